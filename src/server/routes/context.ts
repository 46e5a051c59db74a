// What an agent is told when a session starts: for editors to inject, and for people to try before they save.
import * as z from "zod";
import { CONTEXT_KEYS, contextOrEmpty } from "../../queries/context.ts";
import { SETTINGS } from "../../config/schema.ts";
import { route } from "../route.ts";
import { count, word } from "../schemas/common.ts";

const tried = Object.fromEntries(
  CONTEXT_KEYS.map((key) => [key, word(`instead of the setting: ${SETTINGS[key].about}`)]),
);

export const CONTEXT = route({
  method: "get",
  path: "/api/context/inject",
  command: "context",
  tag: "context",
  about: "The block for the start of a session, as text or, if accepted, as JSON; empty for an unknown project.",
  query: z.strictObject({
    project: word("by name or key"),
    cwd: word("instead: the folder the session starts in; its files are looked at as well"),
    source: word("startup (default), clear, compact or resume"),
    days: word("only from the last days"),
    ...tried,
  }),
  alsoGives: ["text/plain"],
  reply: () => ({
    data: z.strictObject({
      project: z
        .strictObject({ key: z.string(), name: z.string() })
        .nullable()
        .meta({ description: "null: not known" }),
      text: z.string(),
      items: z.array(z.string()),
      chars: count(),
      tokens: count(),
      stale: count().meta({ description: "left out or marked: no longer true" }),
    }),
  }),
  run: ({ asked, query, http }) => {
    const answer = contextOrEmpty({ ...asked, cwd: query.cwd }, query.project);
    if (/\bjson\b/.test(http.req.header("Accept") ?? "")) return answer;
    return http.text(answer.block.text);
  },
});
