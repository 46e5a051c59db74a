// The command line's contract: data on stdout, everything else on stderr, one JSON envelope, fixed exit codes.
import { writeSync } from "node:fs";
import { type Answer, answerJson, errorJson } from "../queries/envelope.ts";
import { AppError } from "../core/error.ts";
import { terminalSafe, terminalSafeJson } from "../core/terminal.ts";
import { forScreen, isDevice, paint, STDERR, STDOUT } from "../platform/terminal/style.ts";
import { asMachineTrouble } from "./machine-trouble.ts";

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

/** Cleans text in a pipe, too: `c-mem search x | less -R` passes escape codes on. */
export function print(text: string): void {
  writeText(STDOUT, `${forScreen(text)}\n`);
}

/** For people: progress, questions, what to do next. */
export function say(text: string): void {
  writeText(STDERR, `${forScreen(text)}\n`);
}

/** A document as it is, for a file or another program. On a terminal it is cleaned like everything else. */
export function writeDocument(fd: number, text: string): void {
  writeText(fd, isDevice(fd) ? terminalSafe(text) : text);
}

/** Straight to the file: `process.stdout` takes longer to set up than most commands take to run. */
function writeText(fd: number, text: string): void {
  const buffer = Buffer.from(text);
  for (let written = 0; written < buffer.length;) {
    try {
      written += writeSync(fd, buffer, written);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // The reader may stop early: `c-mem config | head -1`.
      if (code === "EPIPE") process.exit(EXIT.ok);
      if (code === "ENOSPC") throw new AppError("disk_full", ...FULL_OUTPUT);
      if (code !== "EAGAIN") throw error;
      // A pipe that its reader is slow to empty.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PIPE_WAIT_MS);
    }
  }
}

const PIPE_WAIT_MS = 5;

/** Thrown here: later it would be taken for a full disk under the database. */
const FULL_OUTPUT = [
  "The output could not be written: the disk is full.",
  { hint: "Free some space, then run the command again." },
] as const;

/** Prints the error, as JSON with --json, and returns the exit code. */
export function reportError(command: string, thrown: unknown, json: boolean): number {
  const error = asMachineTrouble(thrown);
  const known = error instanceof AppError;
  const told = errorJson(command, error);
  const { code, message, hint } = told.error;
  if (json) writeJson(told);
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
