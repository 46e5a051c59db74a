// Reads back the end of the hooks' and the worker's logs, which have one JSON object per line.
import type { Paths } from "../config/paths.ts";
import { asObject, parseJson } from "../core/json.ts";
import { localSecond } from "../core/time.ts";
import { readFileSync } from "node:fs";

export interface HookError {
  at: string;
  hook: string;
  code: string;
  message: string;
}

export function lastHookErrors(log: string): HookError[] {
  return logEntries<HookError>(log, 100);
}

/** A line that a full disk cut off, or that another program wrote, is skipped. */
export function logEntries<Entry>(path: string, max: number): Entry[] {
  const current = readLogLines(path);
  // A log that was just rotated continues the file beside it.
  const lines = current.length < max ? [...readLogLines(`${path}.1`), ...current] : current;
  return lines.slice(-max).flatMap((line) => (asObject(parseJson(line)) as Entry | undefined) ?? []);
}

function readLogLines(path: string): string[] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "");
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

/** In local time, or in UTC for a log that others will read. */
export function logLine({ at, from, message }: LogEntry, options: { isUtc?: boolean } = {}): string {
  const time = Date.parse(at);
  const isAsWritten = options.isUtc === true || Number.isNaN(time);
  const shown = isAsWritten ? at.slice(0, 19).replace("T", " ") : localSecond(time);
  return `${shown}  ${from.padEnd(6)}  ${message}`;
}
