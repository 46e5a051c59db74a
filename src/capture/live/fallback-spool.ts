// Where drops are written while the data directory takes none (a full disk, a read-only one): a private folder in the
// system's temporary folder. It is drained like the spool.
import { lstatSync, mkdirSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shortHash } from "../../core/hash.ts";

/** Not $TMPDIR: hooks and the worker may have been started with different ones. */
const TEMPORARY = process.platform === "win32" ? tmpdir() : "/tmp";

function fallbackPath(spool: string): string {
  return join(TEMPORARY, `c-mem-${process.getuid?.() ?? "user"}-${shortHash(spool)}`);
}

/** The folder if it exists and only this user can access it: anyone can create one of that name. */
export function findFallbackSpool(spool: string): string | undefined {
  const path = fallbackPath(spool);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isDirectory()) return undefined;
  const isOurs = process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & 0o077) === 0);
  return isOurs ? path : undefined;
}

/** All fallback folders of a data directory: for drops, and for markers of private turns. */
export function findFallbackSpools({ spool, privateTurns }: { spool: string; privateTurns: string }): string[] {
  return [spool, privateTurns].map(findFallbackSpool).filter((path) => path !== undefined);
}

/** The folder, and its fallback if there is one. */
export function withFallback(folder: string): string[] {
  return [folder, findFallbackSpool(folder)].filter((path) => path !== undefined);
}

/** Writes into the folder, or into its fallback where that fails. */
export function writeWithFallback<T>(folder: string, write: (folder: string) => T): T {
  try {
    return write(folder);
  } catch (error) {
    const fallback = openFallbackSpool(folder);
    if (fallback === undefined) throw error;
    return write(fallback);
  }
}

/** Undefined where another user made the folder first, or the temporary disk is full, too. */
export function openFallbackSpool(spool: string): string | undefined {
  try {
    mkdirSync(fallbackPath(spool), { recursive: true, mode: 0o700 });
    return findFallbackSpool(spool);
  } catch {
    return undefined;
  }
}

/** Removes it once it is empty; a hook that needs it makes it again. */
export function removeFallbackSpool(fallback: string): void {
  try {
    rmdirSync(fallback);
  } catch {
    // Not empty.
  }
}
