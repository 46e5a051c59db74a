// The spool: hooks write one small file ("drop") per event instead of waiting for the database. A drop is written under
// a temporary name, synced and renamed, so a kill never leaves half a drop. If the data directory is not writable (full
// or read-only disk), drops go to the fallback spool, a private folder in the system's temporary folder.
import { lstatSync, mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CapturedEvent } from "../../core/event.ts";
import { shortHash } from "../../core/hash.ts";
import { statOf } from "../../platform/read-file.ts";

export const DROP_SUFFIX = ".json";

/** Names sort by time, then by process, so that a session's events are applied in the order they happened. */
export function writeDrop(spool: string, event: CapturedEvent, { isDurable = true } = {}): string {
  const unique = process.hrtime.bigint().toString(36);
  const name = `${String(event.at).padStart(14, "0")}-${process.pid}-${unique}${DROP_SUFFIX}`;
  const content = JSON.stringify(event);
  writeWithFallback(spool, (folder) => {
    const temporary = join(folder, `.${name}.tmp`);
    try {
      writeNew(temporary, content, isDurable);
      renameSync(temporary, join(folder, name));
    } catch (error) {
      if (statOf(temporary) !== undefined) rmSync(temporary, { force: true });
      throw error;
    }
  });
  return name;
}

/** Creates the folder only after the write failed: nearly always it exists. */
function writeNew(path: string, content: string, isDurable: boolean): void {
  const write = () => writeFileSync(path, content, { flag: "wx", mode: 0o600, flush: isDurable });
  try {
    write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    write();
  }
}

/** Not $TMPDIR: hooks and the worker may have been started with different ones. */
const TEMPORARY = process.platform === "win32" ? tmpdir() : "/tmp";

function fallbackPath(spool: string): string {
  return join(TEMPORARY, `c-mem-${process.getuid?.() ?? "user"}-${shortHash(spool)}`);
}

/** Undefined unless the folder exists and only this user can access it: another user may have created it. */
export function findFallbackSpool(spool: string): string | undefined {
  const path = fallbackPath(spool);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isDirectory()) return undefined;
  const isOurs = process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & 0o077) === 0);
  return isOurs ? path : undefined;
}

/** The existing fallback folders of a data directory: for drops, and for markers of private turns. */
export function findFallbackSpools({ spool, privateTurns }: { spool: string; privateTurns: string }): string[] {
  return [spool, privateTurns].map(findFallbackSpool).filter((path) => path !== undefined);
}

/** The folder, and its fallback if there is one. */
export function withFallback(folder: string): string[] {
  return [folder, findFallbackSpool(folder)].filter((path) => path !== undefined);
}

/** Writes into the folder; if that fails, into its fallback. */
export function writeWithFallback<T>(folder: string, write: (folder: string) => T): T {
  try {
    return write(folder);
  } catch (error) {
    const fallback = openFallbackSpool(folder);
    if (fallback === undefined) throw error;
    return write(fallback);
  }
}

/** Undefined if another user created the folder first, or the temporary disk is full, too. */
export function openFallbackSpool(spool: string): string | undefined {
  try {
    mkdirSync(fallbackPath(spool), { recursive: true, mode: 0o700 });
    return findFallbackSpool(spool);
  } catch {
    return undefined;
  }
}

/** Deletes the folder if it is empty; a hook that needs it creates it again. */
export function removeFallbackSpool(fallback: string): void {
  try {
    rmdirSync(fallback);
  } catch {
    // Not empty.
  }
}
