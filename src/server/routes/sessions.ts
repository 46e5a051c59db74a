// Sessions: listed, told, read page by page, exported, related to each other.
import * as z from "zod";
import { answerExport } from "../../queries/export.ts";
import { sessionSchema } from "../../queries/session-json.ts";
import { route } from "../route.ts";
import { count, flag, textOrNull, word } from "../schemas/common.ts";

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
    data: sessionSchema(z).extend({
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
