// A session as a document of its own.
import { AppError } from "../core/error.ts";
import { toHtml } from "../recall/history/export-html.ts";
import { toMarkdown } from "../recall/history/export-markdown.ts";
import { resolveSession } from "../recall/search/find-session.ts";
import { readTranscript, type Transcript } from "../recall/history/transcript.ts";
import { type Asked, questionOf } from "./legacy.ts";
import type { Answer } from "./envelope.ts";
import { sessionJson } from "./session-json.ts";
import { type Detail, transcriptJson } from "./transcript-json.ts";

const WRITERS: Readonly<Record<string, (transcript: Transcript, detail: Detail) => string>> = {
  md: toMarkdown,
  html: toHtml,
  json: (transcript, detail) => `${JSON.stringify(transcriptJson(transcript, detail), null, 2)}\n`,
};

export function isExportFormat(name: string): boolean {
  return Object.hasOwn(WRITERS, name);
}

/** `file`: where the text was written instead. `words`: also find the session by words from it. */
export function answerExport(
  asked: Asked,
  name: string,
  { format, file, words = false }: { format: string; file?: string | undefined; words?: boolean },
): Answer & { text: string } {
  const write = isExportFormat(format) ? WRITERS[format] : undefined;
  if (write === undefined)
    throw new AppError("usage", `There is no format "${format}".`, { hint: "md, html or json." });
  const { db, flags } = asked;
  const { session } = resolveSession(db, name, () => questionOf(asked, 1).scope, { words });
  const text = write(readTranscript(db, session), {
    tools: flags["tools"] === true,
    thinking: flags["thinking"] === true,
  });
  const data = {
    ...sessionJson(session),
    format,
    file: file ?? null,
    bytes: Buffer.byteLength(text),
    ...(file === undefined && { text }),
  };
  return { data, text };
}
