// A session for somebody who scrolls through it.
import * as z from "zod";
import { answerFind, answerItems, answerOutline } from "../../queries/outline.ts";
import { route } from "../route.ts";
import { count, flag, textOrNull } from "../schemas/common.ts";
import { outlinedItem } from "../schemas/session.ts";

export const OUTLINE = route({
  method: "get",
  path: "/api/sessions/:id/outline",
  command: "outline",
  tag: "sessions",
  about:
    "All items of a session without their texts, a subagent's after it: id (p12 prompt, m34 message, t56 tool use, r12 response, s7 subagent, c9 commit), kind, turn, time in ms, failed, bytes, name, and the subagent it happened in.",
  reply: () => ({
    data: z.strictObject({
      session_id: z.string(),
      results: z.array(
        z.tuple(
          [z.string(), z.string(), z.int(), z.int(), z.int(), count(), textOrNull()],
          z.string().meta({ description: "the subagent it happened in" }),
        ),
      ),
    }),
  }),
  run: ({ asked, params }) => answerOutline(asked, params["id"] ?? ""),
});

export const ITEMS = route({
  method: "get",
  path: "/api/sessions/:id/items",
  command: "items",
  tag: "sessions",
  about: "Some items of a session, by the ids of its outline.",
  query: z.strictObject({
    ids: z.string().max(4_000).meta({ description: "p12,m34,t56; at most 200" }),
    whole: flag("with what went into the tools and what came out"),
  }),
  reply: () => ({ data: z.strictObject({ session_id: z.string(), results: z.array(outlinedItem()) }) }),
  run: ({ asked, params, query }) => answerItems(asked, params["id"] ?? "", query.ids),
});

export const FIND = route({
  method: "get",
  path: "/api/sessions/:id/find",
  command: "find",
  tag: "sessions",
  about: "The items of a session that have these words as they stand, in the order they are read.",
  query: z.strictObject({ q: z.string().max(1_000) }),
  reply: () => ({
    data: z.strictObject({ session_id: z.string(), results: z.array(z.string()) }),
    meta: z.strictObject({ total: count() }),
  }),
  run: ({ asked, params, query }) => answerFind(asked, params["id"] ?? "", query.q),
});
