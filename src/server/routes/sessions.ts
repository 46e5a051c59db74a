// Sessions: listed, told, read page by page, exported, related to each other.
import * as z from "zod";
import { answerExport } from "../../queries/export.ts";
import { answerSession, answerTranscript } from "../../queries/session.ts";
import { route } from "../route.ts";
import { count, flag, textOrNull, word } from "../schemas/common.ts";
import { entry, session, sessionDetail } from "../schemas/session.ts";

export const SESSION = route({
  method: "get",
  path: "/api/sessions/:id",
  command: "session",
  tag: "sessions",
  about:
    "What a session came to: summary, counts, turns, subagents, what was learned, files. By its id or the beginning of it.",
  reply: () => ({ data: sessionDetail() }),
  run: ({ asked, params }) => answerSession(asked, params["id"] ?? ""),
});

export const TRANSCRIPT = route({
  method: "get",
  path: "/api/sessions/:id/transcript",
  command: "transcript",
  tag: "sessions",
  about:
    "A session's items as they read, page by page. A subagent is one item here; its own are those of its own session.",
  query: z.strictObject({
    from: word("index of the first item (default: 0)"),
    limit: word("how many at the most (default: 100, at most 1,000)"),
    around: word("instead of from: the item that is to be in the middle (p12, m34, t56)"),
  }),
  reply: () => ({
    data: z.strictObject({ session_id: z.string(), results: z.array(entry()) }),
    meta: z.strictObject({ total: count(), from: count(), has_more: z.boolean() }),
  }),
  run: ({ asked, params }) => answerTranscript(asked, params["id"] ?? ""),
});

const TYPES: Readonly<Record<string, string>> = {
  md: "text/markdown; charset=utf-8",
  html: "text/html; charset=utf-8",
  json: "application/json",
};

export const EXPORT = route({
  method: "get",
  path: "/api/export/:id",
  command: "export",
  tag: "sessions",
  about: "A session as a document; with `download` the document itself, else inside the envelope.",
  query: z.strictObject({
    format: word("md (default), html or json"),
    tools: flag("with what went into the tools and what came out"),
    thinking: flag("with the assistant's thinking"),
    download: flag("as a file"),
  }),
  alsoGives: ["text/markdown", "text/html"],
  reply: () => ({
    data: session().extend({
      format: z.string(),
      file: textOrNull(),
      bytes: count(),
      text: z.string(),
    }),
  }),
  run: ({ asked, params, query, http }) => {
    const format = query.format ?? "md";
    const answer = answerExport(asked, params["id"] ?? "", { format });
    if (query.download !== true) return answer;
    const name = `${(params["id"] ?? "").replace(/[^\w.-]/g, "_").slice(0, 80)}.${format}`;
    // Never shown as a page of ours: a session may be full of somebody else's HTML.
    return http.body(answer.text, 200, {
      "Content-Type": TYPES[format] ?? "text/plain; charset=utf-8",
      "Content-Disposition": `attachment; filename="${name}"`,
    });
  },
});
