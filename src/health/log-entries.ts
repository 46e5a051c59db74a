// Reads back the end of a log of one JSON object per line.
import { readFileSync } from "node:fs";
import type { Paths } from "../config/paths.ts";
import { localSecond } from "../core/time.ts";

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

/** A line cut off by a full disk is skipped, and so is what nobody of ours wrote. */
function parse<Entry>(line: string): Entry[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? [value as Entry] : [];
  } catch {
    return [];
  }
}

export interface LogEntry {
  at: string;
  from: "hook" | "worker";
  message: string;
}

const MAX_LINES = 5_000;

/** Of hooks and the worker together, in order. */
export function allLogEntries({ hookLog, workerLog }: Paths): LogEntry[] {
  const hooks = logEntries<{ at: string; hook: string; message: string }>(hookLog, MAX_LINES).map(
    ({ at, hook, message }): LogEntry => ({ at, from: "hook", message: `${hook}: ${message}` }),
  );
  const worker = logEntries<{ at: string; message: string }>(workerLog, MAX_LINES).map(({ at, message }): LogEntry => ({
    at,
    from: "worker",
    message,
  }));
  return [...hooks, ...worker].filter(({ at }) => typeof at === "string").toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

/** In the reader's own time zone, unless others are to read it too. */
export function logLine({ at, from, message }: LogEntry, options: { isUtc?: boolean } = {}): string {
  const time = Date.parse(at);
  const isAsItStands = options.isUtc === true || Number.isNaN(time);
  const shown = isAsItStands ? at.slice(0, 19).replace("T", " ") : localSecond(time);
  return `${shown}  ${from.padEnd(6)}  ${message}`;
}
