// Output of commands: data on stdout, everything else on stderr, one JSON envelope, fixed exit codes.
import { writeSync } from "node:fs";
import { type Answer, answerJson, errorJson } from "../queries/envelope.ts";
import { AppError } from "../core/error.ts";
import { terminalSafe, terminalSafeJson } from "../core/terminal.ts";
import { forScreen, isDevice, paint, STDERR, STDOUT } from "../platform/terminal/style.ts";
import { explainSystemError } from "./system-error.ts";

export const EXIT = { ok: 0, failure: 1, usage: 2, nothingFound: 4, interrupted: 130 } as const;

export function printJson(command: string, data: unknown, meta: Record<string, unknown> = {}): void {
  printAnswer(command, { data, meta });
}

export function printAnswer(command: string, answer: Answer): void {
  writeJson(answerJson(command, answer));
}

/** Prints the data as JSON with --json, else the text. */
export function respond(command: string, { json, data, text }: { json: boolean; data: object; text: string }): number {
  if (json) printJson(command, data);
  else print(text);
  return EXIT.ok;
}

function writeJson(value: object): void {
  writeText(STDOUT, `${terminalSafeJson(JSON.stringify(value, null, 2))}\n`);
}

/** Removes escape codes in a pipe, too: `c-mem search x | less -R` would run them. */
export function print(text: string): void {
  writeText(STDOUT, `${forScreen(text)}\n`);
}

/** For people: progress and hints. */
export function say(text: string): void {
  writeText(STDERR, `${forScreen(text)}\n`);
}

/** Writes a document; removes escape codes only on a terminal. */
export function writeDocument(fd: number, text: string): void {
  writeText(fd, isDevice(fd) ? terminalSafe(text) : text);
}

/** Not through `process.stdout`, whose set-up takes longer than most commands. */
function writeText(fd: number, text: string): void {
  const buffer = Buffer.from(text);
  for (let written = 0; written < buffer.length;) {
    try {
      written += writeSync(fd, buffer, written);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // c-mem config | head -1
      if (code === "EPIPE") process.exit(EXIT.ok);
      if (code === "ENOSPC") throw new AppError("disk_full", ...FULL_OUTPUT);
      if (code !== "EAGAIN") throw error;
      // The pipe is full: wait for its reader.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PIPE_WAIT_MS);
    }
  }
}

const PIPE_WAIT_MS = 5;

/** Thrown at the write: later the error would look like a full disk under the database. */
const FULL_OUTPUT = [
  "The output could not be written: the disk is full.",
  { hint: "Free some space, then run the command again." },
] as const;

/** Prints the error, as JSON with --json, and returns the exit code. */
export function reportError(command: string, thrown: unknown, json: boolean): number {
  const error = explainSystemError(thrown);
  const known = error instanceof AppError;
  const body = errorJson(command, error);
  const { code, message, hint } = body.error;
  if (json) writeJson(body);
  else if (code === "cancelled") say(message);
  else {
    if (!known && error instanceof Error) say(error.stack ?? "");
    say(`${paint("red", "error:", STDERR)} ${message}`);
    if (hint !== undefined) say(`${paint("cyan", "hint:", STDERR)}  ${hint}`);
  }
  if (code === "usage") return EXIT.usage;
  if (code === "cancelled") return EXIT.interrupted;
  return code === "nothing_found" ? EXIT.nothingFound : EXIT.failure;
}
