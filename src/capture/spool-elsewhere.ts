// Where drops go while the data directory cannot be written: a private folder among the system's temporary files. Whoever
// drains the spool brings them back first.
import { copyFileSync, lstatSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listFolder } from "../config/read.ts";
import { shortHash } from "../core/hash.ts";

const UNWRITABLE = new Set(["EROFS", "EACCES", "EPERM", "ENOSPC", "EDQUOT"]);

export function isUnwritable(error: unknown): boolean {
  return UNWRITABLE.has((error as NodeJS.ErrnoException).code ?? "");
}

/** The folder for this spool, made where it is not there; undefined where it is not ours alone. */
export function openElsewhere(spool: string): string | undefined {
  const folder = elsewhereOf(spool);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") return undefined;
  }
  return isOurs(folder) ? folder : undefined;
}

/** A drop that was moved and comes once more after a kill is applied once more, which changes nothing. */
export function bringBack(spool: string, suffix: string): void {
  const folder = elsewhereOf(spool);
  const names = listFolder(folder).filter((name) => name.endsWith(suffix));
  if (names.length === 0 || !isOurs(folder)) return;
  mkdirSync(spool, { recursive: true, mode: 0o700 });
  for (const name of names) moveFile(join(folder, name), spool, name);
}

function elsewhereOf(spool: string): string {
  return join(tmpdir(), `c-mem-${process.getuid?.() ?? "user"}-${shortHash(spool)}`);
}

/** Anybody may make a folder there: one that is another's, or that others can write to, is not trusted. */
function isOurs(folder: string): boolean {
  try {
    const stat = lstatSync(folder);
    const uid = process.getuid?.();
    return stat.isDirectory() && (uid === undefined || (stat.uid === uid && (stat.mode & 0o077) === 0));
  } catch {
    return false;
  }
}

/** On another disk a rename does not do. */
function moveFile(from: string, spool: string, name: string): void {
  const temporary = join(spool, `.${name}.tmp`);
  try {
    copyFileSync(from, temporary);
    renameSync(temporary, join(spool, name));
    rmSync(from, { force: true });
  } catch (error) {
    rmSync(temporary, { force: true });
    // Another reader was quicker, or the folder still cannot be written: it stays.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" && !isUnwritable(error)) throw error;
  }
}
