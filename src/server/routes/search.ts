// What is looked for across sessions: by words, in time, by file.
import * as z from "zod";
import { answerSearch } from "../../queries/search.ts";
import { answerTimeline } from "../../queries/timeline.ts";
import { AppError } from "../../core/error.ts";
import { CONCEPTS, OBSERVATION_TYPES } from "../../core/memory.ts";
import { FIND_KINDS, ROLE_NAMES } from "../../recall/search/find-sessions.ts";
import { route } from "../route.ts";
import { count, flag, limit, listOf, scope, textOrNull, time, timeOrNull, where, word } from "../schemas/common.ts";
import { turnStatus } from "../schemas/session.ts";

const commit = () => z.strictObject({ sha: z.string(), subject: z.string() });

const words = (about: string) => z.string().max(2_000).optional().meta({ description: about });

function wordsOf({ q, query }: { q?: string | undefined; query?: string | undefined }): string {
  if (q !== undefined && query !== undefined && q !== query)
    throw new AppError("usage", "q and query are the same parameter.", { hint: "Give one of them." });
  return q ?? query ?? "";
}

export const SEARCH = route({
  method: "get",
  path: "/api/search",
  command: "search",
  tag: "search",
  about: "Sessions that fit the words, best first, each with the place that shows why.",
  query: z.strictObject({
    q: words("the words; in quotation marks: as they stand"),
    query: words("the same as q; one of the two is needed"),
    kind: word(`only: ${FIND_KINDS.join(", ")}`),
    role: word(`only what they said: ${ROLE_NAMES.join(", ")}`),
    type: word(`only sessions with an observation of this type: ${OBSERVATION_TYPES.join(", ")}`),
    concept: word(`only sessions with an observation of this concept: ${CONCEPTS.join(", ")}`),
    file: word("only sessions that touched this file"),
    session: word("only this session, or those whose id begins so"),
    typing: flag("the last word may be half typed"),
    ...scope,
    limit,
  }),
  reply: () => ({
    data: listOf(
      z.strictObject({
        session_id: z.string(),
        agent: z.string(),
        project: z.string(),
        title: textOrNull(),
        branch: textOrNull(),
        started_at: time(),
        at: time(),
        prompt_number: z.int(),
        kind: z.enum(FIND_KINDS),
        role: z.enum(["user", "assistant", "tool"]).nullable(),
        item: z.string(),
        path: textOrNull().meta({ description: "of a file; null for other kinds" }),
        score: z.number(),
        snippet: z.string(),
        marks: z
          .array(z.tuple([count(), count()]))
          .meta({ description: "what to highlight in the snippet: [from, to)" }),
        open: z.string(),
      }),
    ),
    meta: z.strictObject({
      query: z.string(),
      kind: textOrNull(),
      rung: z.enum(["phrase", "words", "prefix", "typo", "meaning"]),
      words: z.array(z.string()),
      where,
      lanes: z.array(z.string()),
      degraded: textOrNull(),
      hint: textOrNull(),
      corpus: z.strictObject({ model: textOrNull(), vectors: count(), not_embedded: count() }),
      searched: z.array(z.strictObject({ lane: z.string(), words: z.array(z.string()), since: timeOrNull() })),
      ms: z.number(),
    }),
  }),
  run: ({ asked, query }) => answerSearch(asked, wordsOf(query)),
});

export const TIMELINE = route({
  method: "get",
  path: "/api/timeline",
  command: "timeline",
  tag: "search",
  about: "Turns before and after a session, an item or words from a session; without an anchor the latest.",
  query: z.strictObject({
    anchor: word("a session, an item (p12, m34, t56), or words from a session"),
    query: word("the same as anchor"),
    type: word(`only turns with an observation of this type, beside the anchor: ${OBSERVATION_TYPES.join(", ")}`),
    depth: word("how many turns each way (default: 5)"),
    depth_before: word("how many turns before, instead of depth; may be 0"),
    depth_after: word("how many turns after, instead of depth; may be 0"),
    ...scope,
  }),
  reply: () => ({
    data: listOf(
      z.strictObject({
        id: z.string(),
        session_id: z.string(),
        agent: z.string(),
        project: z.string(),
        title: textOrNull(),
        turn: z.int(),
        prompt: z.string(),
        at: time(),
        ended_at: timeOrNull(),
        status: turnStatus(),
        is_anchor: z.boolean(),
        continues: z.array(z.strictObject({ session_id: z.string(), weight: z.number() })),
        files: z.array(z.strictObject({ path: z.string(), created: z.boolean(), added: count(), removed: count() })),
        commits: z.array(commit()),
        failed: z.array(
          z.strictObject({ id: z.string(), command: z.string(), exit_code: z.int().nullable(), error: z.string() }),
        ),
      }),
    ),
    meta: z.strictObject({ depth: count(), depth_before: count(), depth_after: count() }),
  }),
  run: ({ asked, query }) => answerTimeline(asked, query.anchor ?? query.query ?? ""),
});
