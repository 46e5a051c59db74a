// Reads back the end of a log of one JSON object per line.
import { readFileSync } from "node:fs";

export function logEntries<Entry>(path: string, max: number): Entry[] {
  const now = read(path);
  // Just begun anew: what came before is beside it.
  const lines = now.length < max ? [...read(`${path}.1`), ...now] : now;
  return lines.slice(-max).flatMap((line) => parse<Entry>(line));
}

function read(path: string): string[] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch {
    return [];
  }
}

/** A line cut off by a full disk is skipped. */
function parse<Entry>(line: string): Entry[] {
  try {
    return [JSON.parse(line) as Entry];
  } catch {
    return [];
  }
}
