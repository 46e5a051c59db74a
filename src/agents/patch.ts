// Counts the lines that edits added and removed, in diffs, patches and replaced texts.
import type { FileTouch } from "../core/event.ts";

interface LineCounts {
  added: number;
  removed: number;
}

/** For one file's unified diff. Lines before the first hunk are headers, even with + or - in front. */
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

/** For a replaced text: equal lines at its beginning and end are unchanged. */
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
    // The patch does not have the text of a deleted file.
    else if (path !== undefined && action === "Delete File") files.push({ path, kind: "edit" });
    else if (file?.added !== undefined && line.startsWith("+")) file.added += 1;
    else if (file?.removed !== undefined && line.startsWith("-")) file.removed += 1;
  }
  return files;
}
