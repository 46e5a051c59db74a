// c-mem export: a session as a document of its own, or everything as JSON lines.
import { existsSync, writeFileSync } from "node:fs";
import { extname } from "node:path";
import { AppError } from "../../core/error.ts";
import { toHtml } from "../../recall/export-html.ts";
import { toMarkdown } from "../../recall/export-markdown.ts";
import { resolveSession } from "../../recall/find-session.ts";
import { readTranscript, type Transcript } from "../../recall/transcript.ts";
import { exportAll } from "../export-all.ts";
import type { CommandOptions } from "../table.ts";
import { bytes, EXIT, printJson, say, STDOUT, writeText } from "../output.ts";
import { ask } from "../question.ts";
import { sessionJson } from "../session-text.ts";
import { transcriptJson } from "../transcript-json.ts";
import type { Detail } from "../transcript-text.ts";

const WRITERS: Readonly<Record<string, (transcript: Transcript, detail: Detail) => string>> = {
  md: toMarkdown,
  html: toHtml,
  json: (transcript, detail) => `${JSON.stringify(transcriptJson(transcript, detail), null, 2)}\n`,
};

export function run(options: CommandOptions): number {
  const { args, flags, json } = options;
  if (args.length === 0) {
    if (flags["all"] === true) return exportAll(options);
    throw new AppError("usage", "Which session?", {
      hint: "c-mem export <session>, or c-mem export --all for everything.",
    });
  }
  const file = flags["output"] === undefined ? undefined : String(flags["output"]);
  const format = chooseFormat(flags["format"], file);
  if (file !== undefined && flags["force"] !== true && existsSync(file)) {
    throw new AppError("file_exists", `${file} exists already.`, { hint: "--force overwrites it." });
  }
  const detail = { tools: flags["tools"] === true, thinking: flags["thinking"] === true };
  const transcript = ask(flags, 1, ({ db, question }) =>
    readTranscript(db, resolveSession(db, args.join(" "), () => question().scope, { words: true }).session),
  );
  const text = WRITERS[format]?.(transcript, detail) ?? "";
  if (file !== undefined) write(file, text, flags["force"] === true);
  if (json) {
    const size = Buffer.byteLength(text);
    printJson("export", {
      ...sessionJson(transcript.session),
      format,
      file: file ?? null,
      bytes: size,
      ...(file === undefined && { text }),
    });
  } else if (file === undefined) writeText(STDOUT, text);
  else say(`${file}: ${bytes(Buffer.byteLength(text))}`);
  return EXIT.ok;
}

function chooseFormat(asked: unknown, file: string | undefined): string {
  const byName = file === undefined ? "" : extname(file).slice(1).toLowerCase();
  const format = asked === undefined ? (Object.hasOwn(WRITERS, byName) ? byName : "md") : String(asked);
  if (Object.hasOwn(WRITERS, format)) return format;
  throw new AppError("usage", `There is no format "${format}".`, { hint: "md, html or json." });
}

/** Private, as everything of ours is: a transcript may hold what nobody else should read. */
function write(file: string, text: string, overwrite: boolean): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: overwrite ? "w" : "wx" });
  } catch (error) {
    throw new AppError("write_failed", `${file} could not be written: ${(error as Error).message}`, { cause: error });
  }
}
