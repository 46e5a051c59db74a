// Finds the sessions that share files, commits, links, branch or topics with one session.
import { nothingFound } from "../core/error.ts";
import { count } from "../core/text.ts";
import { sessionTerms } from "../memory/relate/terms.ts";
import { MAX_LINKS_MS, updateLinks } from "../memory/relate/update-links.ts";
import { columns, fit } from "../platform/terminal/layout.ts";
import { dim, heading, paint } from "../platform/terminal/style.ts";
import { relatedSessions } from "../recall/history/related.ts";
import { resolveSession } from "../recall/search/find-session.ts";
import type { Db } from "../store/db/driver.ts";
import { promptTexts } from "../store/reads/link-evidence.ts";
import { countSessions } from "../store/reads/counts.ts";
import { sharedTerms } from "../store/reads/relations.ts";
import { type SessionEntry, sessionsByIds } from "../store/reads/session-list.ts";
import { shortId as shorten } from "../store/reads/short-ids.ts";
import { defineQuery } from "./query.ts";
import { LIMIT, readScope, SCOPE, SESSION } from "./scope.ts";
import { sessionJson, sessionSchema } from "./session-json.ts";
import { shortIdsOf, titleText, when } from "./session-text.ts";

const DEFAULT_LIMIT = 8;
const MAX_TOPICS = 8;
/** Topics are words of a session's first prompts. Later prompts than this are not read. */
const MAX_PROMPTS = 6;

export const related = defineQuery({
  name: "related",
  about: "show sessions related to one, and why",
  fields: { ...SESSION, ...SCOPE, ...LIMIT },
  http: { path: "/api/related/:id", tag: "sessions" },
  reply: (z) => ({
    data: z.strictObject({
      session_id: z.string(),
      topics: z.array(z.strictObject({ topic: z.string(), session_ids: z.array(z.string()) })),
      results: z.array(
        sessionSchema(z).extend({ weight: z.number(), reasons: z.array(z.string()), topics: z.array(z.string()) }),
      ),
    }),
  }),
  run({ id, limit = DEFAULT_LIMIT, ...input }, context) {
    const { db } = context;
    updateLinks(db, { maxMs: MAX_LINKS_MS });
    const session = mainSession(db, resolveSession(db, id, () => readScope(input, context).scope).session);
    const topics = sharedTopics(db, session);
    const results = relatedSessions(db, session, limit).map((one) => ({
      ...sessionJson(one.session),
      weight: one.weight,
      reasons: one.reasons,
      topics: topics.filter((topic) => topic.session_ids.includes(one.session.session_id)).map(({ topic }) => topic),
    }));
    if (results.length + topics.length > 0)
      return { data: { session_id: session.session_id, topics, results }, title: titleText(session) };
    throw nothingFound(
      `Nothing is related to ${shorten(db, session.session_id)}: no shared files, commits, links, branch or topics.`,
      "`c-mem timeline` shows what came before and after it.",
    );
  },
  text({ data: { session_id: sessionId, topics, results }, title }, { db }) {
    const shortId = shortIdsOf(db, [{ session_id: sessionId }, ...results]);
    const id = shortId(sessionId);
    const shared = topics.map(({ topic, session_ids: ids }) => `${topic} (${count(ids.length, "session")})`);
    const lines = results.flatMap((result) => {
      const start = `${paint("yellow", shortId(result.session_id))}  ${when(result.last_at)}  `;
      const sameTopics = result.topics.length === 0 ? [] : [`same topics: ${result.topics.join(", ")}`];
      return [
        start + fit(titleText(result), columns() - 20 - shortId(result.session_id).length),
        ...[...result.reasons, ...sameTopics].map((reason) => `          ${dim(fit(reason, columns() - 10))}`),
      ];
    });
    return [
      `${heading(fit(title, columns() - 4 - id.length))}  ${dim(id)}`,
      ...(topics.length > 0 ? [`${dim("shared topics")}  ${fit(shared.join(", "), columns() - 16)}`] : []),
      lines.join("\n"),
    ].join("\n\n");
  },
});

/** Topics that other sessions share, rarest first, except words that more than half of the project's sessions have. */
function sharedTopics(db: Db, session: SessionEntry): { topic: string; session_ids: string[] }[] {
  const words = sessionTerms(promptTexts(db, session.id, MAX_PROMPTS)).terms;
  const most = Math.max(2, countSessions(db, { projectId: session.project_id }).sessions / 2);
  return [...Map.groupBy(sharedTerms(db, session), ({ term }) => term)]
    .map(([term, rows]) => ({ topic: words.get(term) ?? term, session_ids: rows.map((row) => row.session_id) }))
    .filter(({ session_ids: ids }) => ids.length <= most)
    .sort((a, b) => a.session_ids.length - b.session_ids.length)
    .slice(0, MAX_TOPICS);
}

/** The parent of a subagent's session, otherwise the session itself. */
function mainSession(db: Db, session: SessionEntry): SessionEntry {
  if (session.parent_session_db_id === null) return session;
  return sessionsByIds(db, [session.parent_session_db_id])[0] ?? session;
}
