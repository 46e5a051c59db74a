// The command line's contract: data on stdout, everything else on stderr, one JSON envelope, fixed exit codes.
import { fstatSync, writeSync } from "node:fs";
import { styleText } from "node:util";
import { type Answer, answerJson, errorJson } from "../queries/envelope.ts";
import { AppError } from "../core/error.ts";
import { terminalSafe, terminalSafeJson } from "../core/terminal.ts";
import { asMachineTrouble } from "./machine-trouble.ts";

export const EXIT = { ok: 0, failure: 1, usage: 2, nothingFound: 4, interrupted: 130 } as const;

export { count } from "../core/text.ts";
export { iso } from "../core/time.ts";

export const STDOUT = 1;
export const STDERR = 2;

export function printJson(command: string, data: unknown, meta: Record<string, unknown> = {}): void {
  printAnswer(command, { data, meta });
}

export function printAnswer(command: string, answer: Answer): void {
  writeJson(answerJson(command, answer));
}

function writeJson(value: object): void {
  writeText(STDOUT, `${terminalSafeJson(JSON.stringify(value, null, 2))}\n`);
}

/** Cleaned in a pipe, too: `c-mem search x | less -R` passes on what it is given. */
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
      // Whoever reads our output (`c-mem config | head -1`) may stop before we do.
      if (code === "EPIPE") process.exit(EXIT.ok);
      if (code === "ENOSPC") throw new AppError("disk_full", ...FULL_OUTPUT);
      if (code !== "EAGAIN") throw error;
      // A pipe that its reader is slow to empty.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PIPE_WAIT_MS);
    }
  }
}

const PIPE_WAIT_MS = 5;

/** Said here: later the error would be taken for the database's. */
const FULL_OUTPUT = [
  "The output could not be written: the disk is full.",
  { hint: "Free some space, then run the command again." },
] as const;

/** Tells the person (or, with --json, the program) what went wrong, and returns the exit code. */
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

type Style = Parameters<typeof styleText>[0];

/** For `print` and `say`, which put in the escape codes. */
export function paint(style: Style, text: string, fd: typeof STDOUT | typeof STDERR = STDOUT): string {
  // `process.stdout` takes milliseconds to set up; that a pipe or a file is not a terminal can be had for less.
  if (process.env["FORCE_COLOR"] === undefined && !isDevice(fd)) return text;
  const styled = styleText(style, forScreen(text), { stream: fd === STDOUT ? process.stdout : process.stderr });
  return styled.replaceAll(ESCAPE, OUR_ESCAPE);
}

const ESCAPE = "\u001b";
/**
 * Stands for the escape character in our own colours until they are written, so that those in recorded text can be told apart
 * and removed. Random noncharacters: no recorded text can have them.
 */
const OUR_ESCAPE = String.fromCodePoint(...Array.from({ length: 16 }, () => 0xfdd0 + Math.floor(Math.random() * 32)));

/** Text as it is written to a terminal: cleaned, but for our own colours. */
export function forScreen(text: string): string {
  const [first = "", ...styled] = text.split(OUR_ESCAPE);
  const pieces = styled.map((piece) => {
    const code = /^\[[\d;]*m/.exec(piece)?.[0] ?? "";
    return (code === "" ? "" : ESCAPE + code) + terminalSafe(piece.slice(code.length));
  });
  return terminalSafe(first) + pieces.join("");
}

function isDevice(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice();
  } catch {
    return false;
  }
}

export function heading(text: string): string {
  return paint("bold", text);
}

export function dim(text: string, fd: typeof STDOUT | typeof STDERR = STDOUT): string {
  return paint("dim", text, fd);
}

/** Rows of label and value with the values lined up. */
export function fields(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`).join("\n");
}

export function bytes(total: number): string {
  if (total < 1024) return `${total} B`;
  const units = ["KB", "MB", "GB"];
  let value = total / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}
