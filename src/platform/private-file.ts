// Files of ours: readable by their owner alone, and never written through a link in their place.
import { chmodSync, closeSync, constants, lstatSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { userHome } from "../config/paths.ts";
import { statOf } from "./read-file.ts";

const { O_WRONLY, O_CREAT, O_APPEND, O_TRUNC, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
/** O_NONBLOCK: opening a pipe without a reader would wait for one. */
const SAFELY = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK;

export function appendPrivate(path: string, text: string): void {
  write(path, SAFELY | O_APPEND, text);
}

export function writePrivate(path: string, content: string | Buffer): void {
  write(path, SAFELY | O_TRUNC, content);
}

function write(path: string, flags: number, content: string | Buffer): void {
  const fd = openFile(path, flags);
  try {
    writeFileSync(fd, content);
  } finally {
    closeSync(fd);
  }
}

/** A link, or a pipe, that is in the way is removed: what it leads to stays as it is. */
function openFile(path: string, flags: number): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ELOOP" && code !== "ENXIO" && code !== "EMLINK") throw error;
    rmSync(path, { force: true });
    return openSync(path, flags, 0o600);
  }
}

const OTHERS = 0o077;
const STICKY = 0o1000;

/** Closes the data directory to others where it was open, which closes all that is in it. One stat where it was not. */
export function closeToOthers(home: string): boolean {
  const mode = statOf(home)?.mode ?? 0;
  if ((mode & OTHERS) === 0 || !isOnlyOurs(home, mode)) return false;
  return close(home, mode);
}

/** False for the user's home folder and for one that all users share, such as /tmp: its mode is left as it is. */
export function isOnlyOurs(home: string, mode: number): boolean {
  return process.platform !== "win32" && (mode & STICKY) === 0 && home !== "/" && home !== userHome(process.env);
}

/** The same for everything in it. Links are left as they are: what they lead to is not ours. Returns how many were open. */
export function closeAllToOthers(home: string): number {
  let closed = closeToOthers(home) ? 1 : 0;
  const mode = statOf(home)?.mode;
  if (mode === undefined || !isOnlyOurs(home, mode)) return closed;
  for (const name of readdirSync(home, { recursive: true, encoding: "utf8" })) {
    const stat = lstatSync(join(home, name), { throwIfNoEntry: false });
    if (stat === undefined || stat.isSymbolicLink() || (stat.mode & OTHERS) === 0) continue;
    if (close(join(home, name), stat.mode)) closed += 1;
  }
  return closed;
}

/** False where it belongs to another user. */
function close(path: string, mode: number): boolean {
  try {
    chmodSync(path, mode & 0o700);
    return true;
  } catch {
    return false;
  }
}
