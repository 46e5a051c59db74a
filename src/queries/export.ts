// Exports a session as a document: Markdown, HTML or JSON.
import { toHtml } from "../recall/history/export-html.ts";
import { toMarkdown } from "../recall/history/export-markdown.ts";
import { readTranscript, type Transcript } from "../recall/history/transcript.ts";
import { resolveSession } from "../recall/search/find-session.ts";
import { defineQuery } from "./query.ts";
import { countOf, textOrNull } from "./schemas.ts";
import { readScope, SCOPE, SESSION_OR_WORDS } from "./scope.ts";
import { sessionJson, sessionSchema } from "./session-json.ts";
import { type DetailOptions, transcriptJson } from "./transcript-json.ts";

export const EXPORT_FORMATS = ["md", "html", "json"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const WRITERS: Readonly<Record<ExportFormat, (transcript: Transcript, detail: DetailOptions) => string>> = {
  md: toMarkdown,
  html: toHtml,
  json: (transcript, detail) => `${JSON.stringify(transcriptJson(transcript, detail), null, 2)}\n`,
};

const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  md: "text/markdown; charset=utf-8",
  html: "text/html; charset=utf-8",
  json: "application/json",
};

export const sessionExport = defineQuery({
  name: "export",
  about: "export a session as Markdown, HTML or JSON",
  fields: {
    ...SESSION_OR_WORDS,
    format: { kind: "text", value: "format", choices: EXPORT_FORMATS, about: "the format (default: md)" },
    tools: { kind: "flag", about: "include the input and output of tools" },
    thinking: { kind: "flag", about: "include the assistant's thinking" },
    download: { kind: "flag", only: "http", about: "reply with the file itself" },
    ...SCOPE,
  },
  http: { path: "/api/export/:id", tag: "sessions", alsoGives: ["text/markdown", "text/html"] },
  reply: (z) => ({
    data: sessionSchema(z).extend({ format: z.string(), file: textOrNull(z), bytes: countOf(z), text: z.string() }),
  }),
  run({ id, format = "md", tools, thinking, ...input }, context) {
    // Words are accepted only on the command line: a program with a wrong id must not get another session.
    const words = context.cwd !== undefined;
    const { session } = resolveSession(context.db, id, () => readScope(input, context).scope, { words });
    const text = WRITERS[format](readTranscript(context.db, session), { tools, thinking });
    return { data: { ...sessionJson(session), format, file: null, bytes: Buffer.byteLength(text), text } };
  },
  document({ data }, { input: { id, format = "md", download } }) {
    if (!download) return undefined;
    const fileName = `${id.replace(/[^\w.-]/g, "_").slice(0, 80)}.${format}`;
    // Browsers save it, and never display it on this origin: a session may contain hostile HTML.
    return { body: data.text, type: CONTENT_TYPES[format], fileName };
  },
});
