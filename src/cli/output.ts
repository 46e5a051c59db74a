// The command line's contract: data on stdout, everything else on stderr, one JSON envelope, fixed exit codes.
import { styleText } from "node:util";
import { AppError } from "../core/error.ts";

export const EXIT = { ok: 0, failure: 1, usage: 2, nothingFound: 4, interrupted: 130 } as const;

const SCHEMA_VERSION = 1;

export function printJson(command: string, data: unknown, meta: Record<string, unknown> = {}): void {
  process.stdout.write(`${JSON.stringify({ schema_version: SCHEMA_VERSION, command, data, meta }, null, 2)}\n`);
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** For people: progress, questions, what to do next. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Tells the person (or, with --json, the program) what went wrong, and returns the exit code. */
export function reportError(command: string, error: unknown, json: boolean): number {
  const known = error instanceof AppError;
  const code = known ? error.code : "internal";
  const message = error instanceof Error ? error.message : String(error);
  const hint = known ? error.hint : "This is a bug in c-mem. Please report it with the lines above.";
  if (json) {
    process.stdout.write(
      `${JSON.stringify({ schema_version: SCHEMA_VERSION, command, error: { code, message, hint } }, null, 2)}\n`,
    );
  } else {
    if (!known && error instanceof Error) say(error.stack ?? "");
    say(`${styleText("red", "error:", { stream: process.stderr })} ${message}`);
    if (hint !== undefined) say(`${styleText("cyan", "hint:", { stream: process.stderr })}  ${hint}`);
  }
  if (code === "usage") return EXIT.usage;
  return code === "nothing_found" ? EXIT.nothingFound : EXIT.failure;
}

export function heading(text: string): string {
  return styleText("bold", text, { stream: process.stdout });
}

export function dim(text: string): string {
  return styleText("dim", text, { stream: process.stdout });
}

/** Rows of label and value with the values lined up. */
export function fields(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`).join("\n");
}

export function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

export function iso(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : new Date(at).toISOString();
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
