// Writes files that only their owner can read. Never writes through a symbolic link.
import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { userHome } from "../config/paths.ts";
import { listTree, statOf } from "./read-file.ts";

const { O_WRONLY, O_CREAT, O_APPEND, O_TRUNC, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
/** O_NONBLOCK: opening a pipe without a reader would wait for one. */
const SAFE_FLAGS = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK;

export function appendPrivate(path: string, text: string): void {
  write(path, SAFE_FLAGS | O_APPEND, text);
}

export function writePrivate(path: string, content: string | Buffer): void {
  write(path, SAFE_FLAGS | O_TRUNC, content);
}

function write(path: string, flags: number, content: string | Buffer): void {
  const fd = openFile(path, flags);
  try {
    writeFileSync(fd, content);
  } finally {
    closeSync(fd);
  }
}

/** Creates a missing folder. Replaces a link or pipe at `path`; the target of the link stays. */
function openFile(path: string, flags: number): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    else if (["ELOOP", "ENXIO", "EMLINK"].includes(code)) rmSync(path, { force: true });
    else throw error;
    return openSync(path, flags, 0o600);
  }
}

const OTHERS = 0o077;
const STICKY = 0o1000;

/** Removes group and world access from the data directory, which protects everything in it. True if there was any. */
export function makePrivate(home: string): boolean {
  const mode = statOf(home)?.mode ?? 0;
  return (mode & OTHERS) !== 0 && mayRestrict(home, mode) && removeOthersAccess(home, mode);
}

/** False for the user's home folder and shared folders such as /tmp: their mode is not changed. */
export function mayRestrict(home: string, mode: number): boolean {
  return process.platform !== "win32" && (mode & STICKY) === 0 && home !== "/" && home !== userHome(process.env);
}

/** Like makePrivate, but also for all files and folders inside, except links. Returns how many it changed. */
export function makeAllPrivate(home: string): number {
  let changed = makePrivate(home) ? 1 : 0;
  const mode = statOf(home)?.mode;
  if (mode === undefined || !mayRestrict(home, mode)) return changed;
  for (const path of listTree(home)) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.isSymbolicLink() || (stat.mode & OTHERS) === 0) continue;
    if (removeOthersAccess(path, stat.mode)) changed += 1;
  }
  return changed;
}

/** False if the file belongs to another user. */
function removeOthersAccess(path: string, mode: number): boolean {
  try {
    chmodSync(path, mode & 0o700);
    return true;
  } catch {
    return false;
  }
}

export const HOOK_LOG_BYTES = 256 * 1024;

/** Appends a line of JSON; above `maxBytes` the log becomes `<path>.1` and starts again. Never throws. */
export function appendLog(path: string, entry: object, maxBytes: number): void {
  try {
    if ((lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(path, `${path}.1`);
    appendPrivate(path, `${JSON.stringify(entry)}\n`);
  } catch {
    // There is no other place to report that the log cannot be written.
  }
}
