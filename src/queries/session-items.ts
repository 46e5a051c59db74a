// The items of a session: a page, an outline, some by id, or the items that contain some words.
import { oneLine } from "../core/text.ts";
import { findInSession, outlineSession, readItemsById, readTranscriptPage } from "../recall/history/session-items.ts";
import { resolveSession } from "../recall/search/find-session.ts";
import type { Db } from "../store/db/driver.ts";
import type { SessionEntry } from "../store/reads/session-list.ts";
import { defineQuery } from "./query.ts";
import { countOf, textOrNull } from "./schemas.ts";
import { SESSION } from "./scope.ts";
import { sessionItemJson, sessionItemSchema } from "./transcript-json.ts";

const DEFAULT_PAGE = 100;
const MAX_PAGE = 1_000;

export const transcript = defineQuery({
  name: "transcript",
  about: "show a page of a session's items",
  fields: {
    ...SESSION,
    from: { kind: "number", min: 0, about: "the position of the first item (default: 0)" },
    limit: { kind: "number", about: "at most this many (default: 100, at most 1,000)" },
    around: { kind: "text", about: "instead of from: an item (p12, m34, t56) to put in the middle" },
  },
  http: { path: "/api/sessions/:id/transcript", tag: "sessions" },
  reply: (z) => ({
    data: z.strictObject({
      session_id: z.string(),
      results: z.array(
        sessionItemSchema(z, {
          index: countOf(z).meta({ description: "the position of the item in the session" }),
          turn: z.int(),
          observations: z.array(z.string()).meta({ description: "ids of the observations derived from the item" }),
        }),
      ),
    }),
    meta: z.strictObject({ total: countOf(z), from: countOf(z), has_more: z.boolean() }),
  }),
  run({ id, from = 0, limit = DEFAULT_PAGE, around }, { db }) {
    const session = sessionOf(db, id);
    const page = readTranscriptPage(db, session, { from, limit: Math.min(limit, MAX_PAGE), around });
    const results = page.entries.map(({ index, turn, item, observations }) => ({
      index,
      turn,
      ...sessionItemJson(item, { tools: true }),
      observations,
    }));
    return {
      data: { session_id: session.session_id, results },
      meta: { total: page.total, from: page.from, has_more: page.from + results.length < page.total },
    };
  },
});

const NAME_CHARS = 120;

export const outline = defineQuery({
  name: "outline",
  about: "list all items of a session without their texts",
  details:
    "Each item is an array: id (p12 prompt, m34 message, t56 tool use, r12 response, s7 subagent, c9 commit), kind, turn, time in ms, 1 if it failed, bytes, name, and for a subagent's item the subagent.",
  fields: SESSION,
  http: { path: "/api/sessions/:id/outline", tag: "sessions" },
  reply: (z) => ({
    data: z.strictObject({
      session_id: z.string(),
      results: z.array(
        z.tuple(
          [z.string(), z.string(), z.int(), z.int(), z.int(), countOf(z), textOrNull(z)],
          z.string().meta({ description: "for the item of a subagent: the subagent" }),
        ),
      ),
    }),
  }),
  run({ id }, { db }) {
    const session = sessionOf(db, id);
    // Arrays are smaller than objects: a session may have 20,000 items.
    const results = outlineSession(db, session).map(
      (entry): [string, string, number, number, number, number, string | null, ...string[]] => [
        entry.item,
        entry.kind,
        entry.prompt_number,
        entry.at,
        entry.is_error,
        entry.bytes ?? 0,
        entry.name === null ? null : oneLine(entry.name, NAME_CHARS),
        ...(entry.agent === undefined ? [] : [entry.agent]),
      ],
    );
    return { data: { session_id: session.session_id, results } };
  },
});

export const items = defineQuery({
  name: "items",
  about: "show some items of a session, by the ids of its outline",
  fields: {
    ...SESSION,
    ids: { kind: "list", required: true, maxItems: 200, about: "p12,m34,t56; at most 200" },
    whole: { kind: "flag", about: "include the input and output of tools" },
  },
  http: { path: "/api/sessions/:id/items", tag: "sessions" },
  reply: (z) => ({
    data: z.strictObject({ session_id: z.string(), results: z.array(sessionItemSchema(z, { id: z.string() })) }),
  }),
  run({ id: name, ids, whole }, { db }) {
    const session = sessionOf(db, name);
    const found = readItemsById(db, session, ids);
    const results = [...found].map(([id, item]) => ({ ...sessionItemJson(item, { tools: whole }), id }));
    return { data: { session_id: session.session_id, results } };
  },
});

const MAX_FOUND = 1_000;

export const find = defineQuery({
  name: "find",
  about: "list the items of a session that contain some words",
  fields: { ...SESSION, q: { kind: "text", required: true, maxChars: 1_000, about: "the exact words" } },
  http: { path: "/api/sessions/:id/find", tag: "sessions" },
  reply: (z) => ({
    data: z.strictObject({ session_id: z.string(), results: z.array(z.string()) }),
    meta: z.strictObject({ total: countOf(z) }),
  }),
  run({ id, q }, { db }) {
    const session = sessionOf(db, id);
    const found = q.trim() === "" ? [] : findInSession(db, session, q.trim());
    return {
      data: { session_id: session.session_id, results: found.slice(0, MAX_FOUND) },
      meta: { total: found.length },
    };
  },
});

function sessionOf(db: Db, id: string): SessionEntry {
  return resolveSession(db, id, () => ({})).session;
}
