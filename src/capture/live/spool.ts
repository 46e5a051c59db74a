// The spool: hooks write one small file ("drop") per event instead of waiting for the database. A drop is complete or
// absent (temporary name, fsync, rename), so a kill never loses an event that was acknowledged.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { CapturedEvent } from "../../core/event.ts";
import { statOf } from "../../platform/read-file.ts";
import { writeWithFallback } from "./fallback-spool.ts";

export const DROP_SUFFIX = ".json";

/** Names sort by time, then by process: a session's events are applied in the order they happened. */
export function writeDrop(spool: string, event: CapturedEvent, { isDurable = true } = {}): string {
  const unique = process.hrtime.bigint().toString(36);
  const name = `${String(event.at).padStart(14, "0")}-${process.pid}-${unique}${DROP_SUFFIX}`;
  const bytes = Buffer.from(JSON.stringify(event));
  writeWithFallback(spool, (folder) => {
    const temporary = join(folder, `.${name}.tmp`);
    try {
      writeAll(openPrivate(folder, temporary), bytes, isDurable);
      renameSync(temporary, join(folder, name));
    } catch (error) {
      if (statOf(temporary) !== undefined) rmSync(temporary, { force: true });
      throw error;
    }
  });
  return name;
}

function writeAll(fd: number, bytes: Buffer, isDurable: boolean): void {
  try {
    let written = 0;
    while (written < bytes.length) written += writeSync(fd, bytes, written);
    if (isDurable) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function openPrivate(folder: string, path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return openSync(path, "wx", 0o600);
  }
}
