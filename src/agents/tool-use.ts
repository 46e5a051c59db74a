// What the readers of tool calls share: the event they become, and calls that wait for their result.
import type { Activity, FileTouch } from "../core/event.ts";
import { absolutePath } from "./agent-files.ts";
import type { Loose } from "./fields.ts";

export type ToolUse = Extract<Activity, { kind: "tool-use" }>;

/** A nonzero exit code is a failure, and a failed tool touched no files. */
export function toolUse({
  hasFailed,
  ...use
}: Omit<Loose<ToolUse>, "kind" | "isError"> & { hasFailed: boolean }): Loose<ToolUse> {
  const isError = hasFailed || (use.exitCode ?? 0) !== 0;
  return { kind: "tool-use", ...use, isError, files: isError ? [] : use.files };
}

export function withAbsolutePaths(files: readonly FileTouch[], cwd: string): FileTouch[] {
  return files.map((file) => ({ ...file, path: absolutePath(file.path, cwd) }));
}

/** Calls that never get a result must not pile up: the oldest are dropped. */
const MAX_WAITING = 500;

/** Waiting calls are a list, not a map: reader state is plain JSON, and ids come from outside. */
export function addCall<Call extends { id: string }>(calls: Call[], call: Call): void {
  calls.push(call);
  if (calls.length > MAX_WAITING) calls.shift();
}

/** Newest first: a result nearly always belongs to one of the last calls. */
export function findCall<Call extends { id: string }>(calls: readonly Call[], id: string | undefined) {
  return calls.findLast((call) => call.id === id);
}

/** Finds the call and removes it from the list. */
export function takeCall<Call extends { id: string }>(calls: Call[], id: string | undefined): Call | undefined {
  const index = calls.findLastIndex((call) => call.id === id);
  return index < 0 ? undefined : calls.splice(index, 1)[0];
}

/** `1\tx` and `1→x` (Claude Code), `1. x` (Copilot CLI), `00001| x` and `1: x` (OpenCode). */
const NUMBERED = /^ *(\d{1,9})(?:→|\t|\. |\| |: )/;

/** Removes line numbers that count up from the first line's: "3\tx\n4\ty" -> "x\ny". Other lines stay as they are. */
export function stripLineNumbers(text: string): string {
  const first = NUMBERED.exec(text)?.[1];
  if (first === undefined) return text;
  let expected = Number(first);
  return text
    .split("\n")
    .map((line) => {
      const found = NUMBERED.exec(line);
      if (found === null || Number(found[1]) !== expected) return line;
      expected += 1;
      return line.slice(found[0].length);
    })
    .join("\n");
}
