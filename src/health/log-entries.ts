// Reads the end of the hooks' and the worker's logs, which have one JSON object per line.
import type { Paths } from "../config/paths.ts";
import { asObject, parseJson } from "../core/json.ts";
import { localSecond } from "../core/time.ts";
import { readTail } from "../platform/read-file.ts";

interface HookError {
  at: string;
  hook: string;
  code: string;
  message: string;
}

export function lastHookErrors(log: string): HookError[] {
  return logEntries<HookError>(log, 100);
}

/** Skips lines that are not JSON: truncated on a full disk, or written by another program. */
export function logEntries<Entry>(path: string, max: number): Entry[] {
  const current = readLogLines(path);
  // After a rotation, older entries are in `<path>.1`.
  const lines = current.length < max ? [...readLogLines(`${path}.1`), ...current] : current;
  return lines.slice(-max).flatMap((line) => (asObject(parseJson(line)) as Entry | undefined) ?? []);
}

/** Enough for a whole log: they are rotated at 1 MB or less. */
const MAX_BYTES = 2 * 1024 * 1024;

function readLogLines(path: string): string[] {
  return (readTail(path, MAX_BYTES) ?? "").split("\n").filter(Boolean);
}

export interface LogEntry {
  at: string;
  from: "hook" | "worker";
  message: string;
}

const MAX_LINES = 5_000;

/** The entries of hooks and the worker together, by time. */
export function allLogEntries({ hookLog, workerLog }: Paths): LogEntry[] {
  const hooks = logEntries<HookError>(hookLog, MAX_LINES).map(({ at, hook, message }): LogEntry => ({
    at,
    from: "hook",
    message: `${hook}: ${message}`,
  }));
  const worker = logEntries<LogEntry>(workerLog, MAX_LINES).map(({ at, message }): LogEntry => ({
    at,
    from: "worker",
    message,
  }));
  return [...hooks, ...worker].filter(({ at }) => typeof at === "string").toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

/** Formats the time as local time, or as UTC for a bug report. */
export function logLine({ at, from, message }: LogEntry, options: { isUtc?: boolean } = {}): string {
  const time = Date.parse(at);
  const isAsWritten = options.isUtc === true || Number.isNaN(time);
  const shown = isAsWritten ? at.slice(0, 19).replace("T", " ") : localSecond(time);
  return `${shown}  ${from.padEnd(6)}  ${message}`;
}
