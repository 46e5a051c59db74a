// Where drops wait while the data directory takes none (a full disk, a read-only one): a private folder among the
// system's temporary files. It is drained like the spool.
import { lstatSync, mkdirSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shortHash } from "../../core/hash.ts";

/** Not $TMPDIR where there is a common folder: hooks and worker may have been started with different ones. */
const TEMPORARY = process.platform === "win32" ? tmpdir() : "/tmp";

/** The folder where it is there and ours alone: anybody can make one of that name. */
export function findFallbackSpool(spool: string): string | undefined {
  const refuge = refugeOf(spool);
  const stat = lstatSync(refuge, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isDirectory()) return undefined;
  const isOurs = process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & 0o077) === 0);
  return isOurs ? refuge : undefined;
}

/** All there are of a data directory: drops, and marks of private turns. */
export function findFallbackSpools({ spool, privateTurns }: { spool: string; privateTurns: string }): string[] {
  return [spool, privateTurns].map(findFallbackSpool).filter((path) => path !== undefined);
}

/** Undefined where somebody else was first, or there is no room either. */
export function openFallbackSpool(spool: string): string | undefined {
  try {
    mkdirSync(refugeOf(spool), { recursive: true, mode: 0o700 });
    return findFallbackSpool(spool);
  } catch {
    return undefined;
  }
}

/** Once it is empty nothing of it stays behind; a hook that comes just now makes it again. */
export function removeFallbackSpool(refuge: string): void {
  try {
    rmdirSync(refuge);
  } catch {
    // Something is in it again.
  }
}

/** One per user and data directory. */
function refugeOf(spool: string): string {
  return join(TEMPORARY, `c-mem-${process.getuid?.() ?? "user"}-${shortHash(spool)}`);
}
