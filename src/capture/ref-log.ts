// Reads the newest moves of HEAD. Not part of work-tree.ts, because recall.cjs loads that file but no secrets filter.
import { join } from "node:path";
import { filterText } from "../core/privacy/filter.ts";
import type { RefMove } from "../core/work-tree.ts";
import { readTail } from "../platform/read-file.ts";
import type { Place } from "./project.ts";

const LOG_BYTES = 32 * 1024;
const NOTE_CHARS = 200;

export function readRefLog({ tree }: Place): RefMove[] {
  return tree === undefined ? [] : parseRefLog(readTail(join(tree.gitDir, "logs", "HEAD"), LOG_BYTES) ?? "");
}

/** "<old> <new> Name <mail> <seconds> <zone>\t<note>" */
export function parseRefLog(text: string): RefMove[] {
  return text.split("\n").flatMap((line) => {
    const [, seconds, note] = /^\S+ \S+ .*> (\d{1,12}) [+-]\d{4}\t(.+)$/.exec(line) ?? [];
    if (seconds === undefined || note === undefined) return [];
    return [{ at: Number(seconds) * 1000, note: filterText(note, NOTE_CHARS) }];
  });
}
