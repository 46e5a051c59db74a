// Writes the worker's log file (`c-mem worker logs` prints it); if the worker was started with --echo, also to stderr.
import { appendLog } from "../platform/private-file.ts";
import { filterText } from "../core/privacy/filter.ts";
import { terminalSafe } from "../core/terminal.ts";

const MAX_LOG_BYTES = 1024 * 1024;

export type Log = (message: string, details?: Record<string, unknown>) => void;

export function createLog(path: string, options: { echo: boolean }): Log {
  return (message, details = {}) => {
    const entry = { at: new Date().toISOString(), pid: process.pid, message: filterText(message, 1_000), ...details };
    appendLog(path, entry, MAX_LOG_BYTES);
    if (options.echo) process.stderr.write(`${entry.at.slice(11, 19)} ${terminalSafe(entry.message)}\n`);
  };
}

export function reasonOf(error: unknown): string {
  return filterText(error instanceof Error ? error.message : String(error), 500);
}

export function stackOf(error: unknown): string | undefined {
  return error instanceof Error && error.stack !== undefined ? filterText(error.stack, 4_000) : undefined;
}
