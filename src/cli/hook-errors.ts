// Reads back what the hooks had to say when something went wrong.
import { readFileSync } from "node:fs";

export interface HookError {
  at: string;
  hook: string;
  code: string;
  message: string;
}

const MAX_SHOWN = 100;

export function lastHookErrors(log: string): HookError[] {
  let text: string;
  try {
    text = readFileSync(log, "utf8");
  } catch {
    return [];
  }
  return text
    .split("\n")
    .slice(-MAX_SHOWN - 1)
    .flatMap((line) => parseEntry(line));
}

/** A line cut off by a full disk is skipped. */
function parseEntry(line: string): HookError[] {
  try {
    return line === "" ? [] : [JSON.parse(line) as HookError];
  } catch {
    return [];
  }
}
