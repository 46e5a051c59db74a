// Helpers of the readers: build tool-use events, find touched files, count changed lines, keep calls that wait for a
// result.
import type { Activity, FileTouch } from "../core/event.ts";
import { absolutePath } from "./agent-files.ts";
import type { Loose } from "./fields.ts";

export type ToolUse = Extract<Activity, { kind: "tool-use" }>;

/** A nonzero exit code counts as a failure, and a failed tool has no touched files. */
export function toolUse({
  hasFailed,
  ...use
}: Omit<Loose<ToolUse>, "kind" | "isError"> & { hasFailed: boolean }): Loose<ToolUse> {
  const isError = hasFailed || (use.exitCode ?? 0) !== 0;
  return { kind: "tool-use", ...use, isError, files: isError ? [] : use.files };
}

/** The information that an agent logs about a changed file. */
interface Change {
  isNew?: boolean | undefined;
  diff?: string | undefined;
  added?: number | undefined;
  removed?: number | undefined;
  /** The replaced text. */
  before?: string | undefined;
  /** The text in its place; for a new file its content. */
  after?: string | undefined;
}

/** Empty without a path, or if the tool is not Read, Write or Edit. */
export function touchedFile(name: string, path: string | undefined, change: Change): FileTouch[] {
  if (!path) return [];
  if (name === "Read") return [{ path, kind: "read" }];
  if (name !== "Write" && name !== "Edit") return [];
  const counts = changedLines(change);
  if (!change.isNew) return [{ path, kind: "edit", ...counts }];
  return [{ path, kind: "create", ...(counts ?? { added: lineCount(change.after ?? ""), removed: 0 }) }];
}

/** Counts from the diff, else the agent's own counts, else counts from the texts in the call. */
function changedLines({ diff, added, removed, before, after }: Change) {
  if (diff?.includes("@@")) return diffCounts(diff);
  if (added !== undefined && removed !== undefined) return { added, removed };
  return before === undefined || after === undefined ? undefined : replacementCounts(before, after);
}

export function withAbsolutePaths(files: readonly FileTouch[], cwd: string): FileTouch[] {
  return files.map((file) => ({ ...file, path: absolutePath(file.path, cwd) }));
}

interface LineCounts {
  added: number;
  removed: number;
}

/** Counts the lines of a unified diff. Lines before the first hunk are headers, even if they begin with + or -. */
export function diffCounts(diff: string): LineCounts {
  const counts = { added: 0, removed: 0 };
  let inHunk = false;
  for (const line of diff.split("\n")) {
    if (line.startsWith("@@")) inHunk = true;
    else if (line.startsWith("diff --git ") || line.startsWith("Index: ")) inHunk = false;
    else if (inHunk && line.startsWith("+")) counts.added += 1;
    else if (inHunk && line.startsWith("-")) counts.removed += 1;
  }
  return counts;
}

/** Counts the lines of a replacement. Equal lines at the beginning and end count as unchanged. */
export function replacementCounts(before: string, after: string): LineCounts {
  const old = textLines(before);
  const now = textLines(after);
  const shorter = Math.min(old.length, now.length);
  let same = 0;
  while (same < shorter && old[same] === now[same]) same += 1;
  let tail = 0;
  while (tail < shorter - same && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  return { added: now.length - same - tail, removed: old.length - same - tail };
}

export function lineCount(text: string): number {
  return textLines(text).length;
}

function textLines(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

/** The files in the input of apply_patch, a `*** Begin Patch` text. */
export function patchFiles(patch: string): FileTouch[] {
  const files: FileTouch[] = [];
  for (const line of patch.split("\n")) {
    const [, action, path] = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/.exec(line.trimEnd()) ?? [];
    const file = files.at(-1);
    if (path !== undefined && action === "Move to" && file !== undefined) file.path = path;
    else if (path !== undefined && action === "Add File") files.push({ path, kind: "create", added: 0, removed: 0 });
    else if (path !== undefined && action === "Update File") files.push({ path, kind: "edit", added: 0, removed: 0 });
    // No counts: the patch does not contain the text of a deleted file.
    else if (path !== undefined && action === "Delete File") files.push({ path, kind: "edit" });
    else if (file?.added !== undefined && line.startsWith("+")) file.added += 1;
    else if (file?.removed !== undefined && line.startsWith("-")) file.removed += 1;
  }
  return files;
}

/** Limit of calls without a result; the oldest are dropped. */
const MAX_WAITING = 500;

/** Calls are in a list, not a Map, because the reader's state is stored as JSON. */
export function addCall<Call extends { id: string }>(calls: Call[], call: Call): void {
  calls.push(call);
  if (calls.length > MAX_WAITING) calls.shift();
}

/** Searches from the end: a result nearly always belongs to one of the last calls. */
export function findCall<Call extends { id: string }>(calls: readonly Call[], id: string | undefined) {
  return calls.findLast((call) => call.id === id);
}

/** Finds the call and removes it from the list. */
export function takeCall<Call extends { id: string }>(calls: Call[], id: string | undefined): Call | undefined {
  const index = calls.findLastIndex((call) => call.id === id);
  return index < 0 ? undefined : calls.splice(index, 1)[0];
}

/** Forms of line numbers: `1\tx` and `1→x` (Claude Code), `1. x` (Copilot CLI), `00001| x` and `1: x` (OpenCode). */
const NUMBERED = /^ *(\d{1,9})(?:→|\t|\. |\| |: )/;

/** Removes consecutive line numbers: "3\tx\n4\ty" -> "x\ny". Lines without the expected number are not changed. */
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
