// What is looked for across sessions: by words, in time, by file.
import * as z from "zod";
import { answerSearch } from "../../queries/search.ts";
import { AppError } from "../../core/error.ts";
import { CONCEPTS, OBSERVATION_TYPES } from "../../core/memory.ts";
import { FIND_KINDS, ROLE_NAMES } from "../../recall/search/find-sessions.ts";
import { route } from "../route.ts";
import { count, flag, limit, listOf, scope, textOrNull, time, timeOrNull, where, word } from "../schemas/common.ts";

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
