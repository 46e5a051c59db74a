// The sessions that belong with one, and why.
import { AppError } from "../core/error.ts";
import { shortId } from "../core/text.ts";
import { MAX_LINKS_MS, updateLinks } from "../memory/link/update-links.ts";
import { resolveSession } from "../recall/find-session.ts";
import { relatedSessions, type RelatedSession } from "../recall/related.ts";
import type { Db } from "../store/driver.ts";
import { type SessionEntry, sessionsByIds } from "../store/session-list.ts";
import { type Asked, questionOf } from "./asked.ts";
import type { Answer } from "./envelope.ts";
import { positiveInteger } from "./scope.ts";
import { sessionJson } from "./session-json.ts";

const LIMIT = 8;

export function answerRelated(
  asked: Asked,
  name: string,
): Answer & { session: SessionEntry; results: RelatedSession[] } {
  const { db, flags } = asked;
  updateLinks(db, { maxMs: MAX_LINKS_MS });
  const limit = flags["limit"] === undefined ? LIMIT : positiveInteger("--limit", flags["limit"]);
  const session = conversationOf(db, resolveSession(db, name, () => questionOf(asked, LIMIT).scope).session);
  const results = relatedSessions(db, session, limit);
  if (results.length === 0) {
    throw new AppError(
      "nothing_found",
      `Nothing is related to ${shortId(session.session_id)}: no shared files, commits, links or branch.`,
      { hint: "`c-mem timeline` shows what came before and after it." },
    );
  }
  const related = results.map((one) => ({ ...sessionJson(one.session), weight: one.weight, reasons: one.reasons }));
  return { data: { session_id: session.session_id, results: related }, session, results };
}

/** A subagent's relations are those of the conversation it worked for. */
function conversationOf(db: Db, session: SessionEntry): SessionEntry {
  if (session.parent_session_db_id === null) return session;
  return sessionsByIds(db, [session.parent_session_db_id])[0] ?? session;
}
