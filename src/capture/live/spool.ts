// The spool: hooks drop one small file per event here instead of waiting for the database. A drop is whole or absent
// (temporary name, fsync, rename), so a kill at any moment loses nothing that was acknowledged.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { statOf } from "../../platform/read-file.ts";
import type { CapturedEvent } from "../../core/event.ts";
import { openFallbackSpool } from "./fallback-spool.ts";

export const DROP_SUFFIX = ".json";

/** Names sort by time, then by process, so that a session's events are applied in the order they happened. */
export function writeDrop(spool: string, event: CapturedEvent, { isDurable = true } = {}): string {
  try {
    return writeInto(spool, event, isDurable);
  } catch (error) {
    // Nobody waits for a disk to have room again.
    const elsewhere = openFallbackSpool(spool);
    if (elsewhere === undefined) throw error;
    return writeInto(elsewhere, event, isDurable);
  }
}

function writeInto(spool: string, event: CapturedEvent, isDurable: boolean): string {
  const unique = process.hrtime.bigint().toString(36);
  const name = `${String(event.at).padStart(14, "0")}-${process.pid}-${unique}${DROP_SUFFIX}`;
  const temporary = join(spool, `.${name}.tmp`);
  try {
    writeAll(openPrivate(spool, temporary), Buffer.from(JSON.stringify(event)), isDurable);
    renameSync(temporary, join(spool, name));
  } catch (error) {
    // On a full disk half a file helps nobody.
    if (statOf(temporary) !== undefined) rmSync(temporary, { force: true });
    throw error;
  }
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

function openPrivate(spool: string, path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    mkdirSync(spool, { recursive: true, mode: 0o700 });
    return openSync(path, "wx", 0o600);
  }
}
