// c-mem export: a session as a document of its own, or everything as JSON lines.
import { existsSync } from "node:fs";
import { extname } from "node:path";
import { answerExport, isExportFormat } from "../../queries/export.ts";
import { AppError } from "../../core/error.ts";
import { exportAll, outputFile } from "../export-all.ts";
import { isDiskFull } from "../machine-trouble.ts";
import { writeOutputFile } from "../output-file.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, printAnswer, say, writeDocument } from "../output.ts";
import { bytes, STDOUT } from "../../platform/terminal/style.ts";
import { ask } from "../question.ts";

export function run(options: CommandOptions): number {
  const { args, flags, json } = options;
  if (args.length === 0) {
    if (flags["all"] === true) return exportAll(options);
    throw new AppError("usage", "Which session?", {
      hint: "c-mem export <session>, or c-mem export --all for everything.",
    });
  }
  const file = outputFile(flags);
  const format = chooseFormat(flags["format"], file);
  if (file !== undefined && flags["force"] !== true && existsSync(file)) {
    throw new AppError("file_exists", `${file} exists already.`, { hint: "--force overwrites it." });
  }
  const answer = ask(flags, (asked) => answerExport(asked, args.join(" "), { format, file, words: true }));
  if (file !== undefined) write(file, answer.text, flags["force"] === true);
  if (json) printAnswer("export", answer);
  else if (file === undefined) writeDocument(STDOUT, answer.text);
  else say(`${file}: ${bytes(Buffer.byteLength(answer.text))}`);
  return EXIT.ok;
}

function chooseFormat(asked: unknown, file: string | undefined): string {
  if (asked !== undefined) return String(asked);
  const byName = file === undefined ? "" : extname(file).slice(1).toLowerCase();
  return isExportFormat(byName) ? byName : "md";
}

function write(file: string, text: string, overwrite: boolean): void {
  try {
    writeOutputFile(file, text, { overwrite });
  } catch (error) {
    if (isDiskFull(error)) throw error;
    throw new AppError("write_failed", `${file} could not be written: ${(error as Error).message}`, { cause: error });
  }
}
