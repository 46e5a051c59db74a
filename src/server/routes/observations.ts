// Observations: listed, told with what they rest on.
import * as z from "zod";
import { answerObservation, answerObservations } from "../../queries/observations.ts";
import { AppError } from "../../core/error.ts";
import { CONCEPTS, OBSERVATION_TYPES } from "../../core/memory.ts";
import { route } from "../route.ts";
import { count, flag, limit, listOf, offset, scope, where, word } from "../schemas/common.ts";
import { listedObservation, story } from "../schemas/observation.ts";

export const OBSERVATIONS = route({
  method: "get",
  path: "/api/observations",
  command: "observations",
  tag: "memory",
  about:
    "What is known: the newest, or those that fit the words; where there are vectors, those that are near in meaning follow.",
  query: z.strictObject({
    q: word("words they have; without them the newest come first"),
    type: word(`one of: ${OBSERVATION_TYPES.join(", ")}`),
    concept: word(`one of: ${CONCEPTS.join(", ")}`),
    file: word("a path, or the end of one"),
    session: word("learned in this session, by its whole id"),
    pinned: flag("only what is pinned"),
    superseded: flag("also what something newer has replaced"),
    ...scope,
    limit,
    offset,
  }),
  reply: () => ({
    data: listOf(listedObservation()),
    meta: z.strictObject({
      where,
      has_more: z.boolean(),
      not_derived: count().meta({ description: "sessions that memory was not made of yet" }),
      query: z.string().optional(),
      rung: z.string().optional(),
      words: z.array(z.string()).optional(),
      degraded: z.string().nullable().optional().meta({ description: "why it was by words only, or in part" }),
    }),
  }),
  run: ({ asked, query }) => answerObservations(asked, query.q?.trim() ?? ""),
});

export const OBSERVATION = route({
  method: "get",
  path: "/api/observations/:id",
  command: "show",
  tag: "memory",
  about: "One observation (o78) with its evidence, what it replaced and what replaced it.",
  reply: () => ({ data: story() }),
  run: ({ asked, params }) => {
    const answer = answerObservation(asked, params["id"] ?? "");
    if (answer !== undefined) return answer;
    throw new AppError("usage", "That is not the id of an observation.", { hint: "They look like o78." });
  },
});
