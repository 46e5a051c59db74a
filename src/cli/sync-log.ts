// The file of `c-mem sync --log`: a line with the time for each result and error.
import { closeSync, openSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { AppError } from "../core/error.ts";
import { STDERR } from "../platform/terminal/style.ts";

export interface SyncLog {
  add(lines: readonly string[]): void;
  close(): void;
}

/**
 * Opened before anything is read: a sync whose log cannot be written does not start. "-" is stderr: stdout is for the
 * summary and for JSON.
 */
export function openSyncLog(file: string): SyncLog {
  const fd = file === "-" ? STDERR : open(resolve(file));
  return {
    add(lines) {
      const time = new Date().toISOString();
      writeSync(fd, lines.map((line) => `${time} ${line.replace(/\s*\n\s*/g, " ")}\n`).join(""));
    },
    close() {
      if (fd !== STDERR) closeSync(fd);
    },
  };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such folder",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
};

function open(path: string): number {
  try {
    // Paths of projects are in it.
    return openSync(path, "a", 0o600);
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw new AppError("log_unwritable", `Cannot write ${path}: ${REASONS[code] ?? message}`, {
      hint: "Give --log a file in a folder that exists and that you may write to.",
      cause: error,
    });
  }
}
