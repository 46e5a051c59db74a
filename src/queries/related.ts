// The sessions that belong with one, and why.
import { AppError } from "../core/error.ts";
import { termWords } from "../memory/relate/terms.ts";
import { MAX_LINKS_MS, updateLinks } from "../memory/relate/update-links.ts";
import { resolveSession } from "../recall/search/find-session.ts";
import { relatedSessions, type RelatedSession } from "../recall/history/related.ts";
import type { Db } from "../store/db/driver.ts";
import { promptTexts } from "../store/reads/link-evidence.ts";
import { countConversations, sharedTerms } from "../store/reads/relations.ts";
import { type SessionEntry, sessionsByIds } from "../store/reads/session-list.ts";
import { shortId } from "../store/reads/short-ids.ts";
import { type Asked, questionOf } from "./legacy.ts";
import type { Answer } from "./envelope.ts";
import { positiveInteger } from "./legacy.ts";
import { sessionJson } from "./session-json.ts";

const LIMIT = 8;
const TOPICS = 8;
/** The first prompts name what a session is about. */
const PROMPTS = 6;

/** A word that says what the session is about, and the other sessions about it, the newest first. */
export interface Topic {
  topic: string;
  sessionIds: string[];
}

export function answerRelated(
  asked: Asked,
  name: string,
): Answer & { session: SessionEntry; results: RelatedSession[]; topics: Topic[] } {
  const { db, flags } = asked;
  updateLinks(db, { maxMs: MAX_LINKS_MS });
  const limit = flags["limit"] === undefined ? LIMIT : positiveInteger("--limit", flags["limit"]);
  const session = conversationOf(db, resolveSession(db, name, () => questionOf(asked, LIMIT).scope).session);
  const results = relatedSessions(db, session, limit);
  const topics = sharedTopics(db, session);
  if (results.length + topics.length === 0) {
    throw new AppError(
      "nothing_found",
      `Nothing is related to ${shortId(db, session.session_id)}: no shared files, commits, links, branch or topics.`,
      { hint: "`c-mem timeline` shows what came before and after it." },
    );
  }
  const related = results.map((one) => ({
    ...sessionJson(one.session),
    weight: one.weight,
    reasons: one.reasons,
    topics: topicsWith(topics, one.session.session_id),
  }));
  const named = topics.map(({ topic, sessionIds }) => ({ topic, session_ids: sessionIds }));
  return { data: { session_id: session.session_id, topics: named, results: related }, session, results, topics };
}

export function topicsWith(topics: readonly Topic[], sessionId: string): string[] {
  return topics.filter(({ sessionIds }) => sessionIds.includes(sessionId)).map(({ topic }) => topic);
}

/** What few others are about comes first; what half of the project's sessions are about is no topic. */
function sharedTopics(db: Db, session: SessionEntry): Topic[] {
  const words = termWords(promptTexts(db, session.id, PROMPTS));
  const most = Math.max(2, countConversations(db, session.project_id) / 2);
  return [...Map.groupBy(sharedTerms(db, session), ({ term }) => term)]
    .map(([term, rows]) => ({ topic: words.get(term) ?? term, sessionIds: rows.map((row) => row.session_id) }))
    .filter(({ sessionIds }) => sessionIds.length <= most)
    .sort((a, b) => a.sessionIds.length - b.sessionIds.length)
    .slice(0, TOPICS);
}

/** A subagent's relations are those of the conversation it worked for. */
function conversationOf(db: Db, session: SessionEntry): SessionEntry {
  if (session.parent_session_db_id === null) return session;
  return sessionsByIds(db, [session.parent_session_db_id])[0] ?? session;
}
