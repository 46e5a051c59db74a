// Replaces the database with another file and moves the previous one into quarantine.
import { existsSync, fsyncSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError } from "../../core/error.ts";
import { listFolder, readJson, statOf } from "../../platform/read-file.ts";
import { withFile } from "./file-format.ts";
import { birthOf, isSameProcess, machineId } from "../../platform/worker-lock.ts";

/** SQLite's files. A leftover one would be read as part of the next database of that name. */
export const SUFFIXES = ["", "-wal", "-shm", "-journal"] as const;

export function removeDatabase(path: string): void {
  for (const suffix of SUFFIXES) rmSync(path + suffix, { force: true });
}

export function syncFile(path: string, flags: "r" | "r+"): void {
  withFile(path, flags, (fd) => fsyncSync(fd));
}

/** The content of the marker file: while it exists, no process opens the database or begins a transaction. */
interface Swap {
  pid: number;
  birth: string | undefined;
  machine: string;
  /** The folder the present file is moved to. */
  aside: string;
  /** The file that replaces it; undefined while it is being made. */
  incoming?: string;
}

/** Longer than a process takes from checking for the marker to having opened the file and its log. */
const SETTLE_MS = 1_000;
const SQLITE_READONLY_DBMOVED = 1032;

const markerOf = (database: string): string => `${database}.swap`;
const nextMarkerOf = (database: string): string => `${database}.swap.next`;

export function isSwapping(database: string): boolean {
  return statOf(markerOf(database)) !== undefined;
}

/** Announces the swap, and waits until every process has noticed. Requires the worker's lock. */
export function beginSwap(database: string, aside: string, settleMs = SETTLE_MS): void {
  // Another swap was left by a process that was killed: only the holder of the worker's lock gets here.
  if (isSwapping(database)) settleSwap(database);
  const swap: Swap = { pid: process.pid, birth: birthOf(process.pid), machine: machineId(), aside };
  // Written in place, without a temporary file: an incomplete marker is cancelled like a complete one.
  cancelOnError(database, () => writeMarker(markerOf(database), swap));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, settleMs);
}

/** Must follow `beginSwap`. `incoming` has to be complete, and on the same file system. */
export function endSwap(database: string, incoming: string): void {
  const swap = readJson<Swap>(markerOf(database)) as Swap | undefined;
  if (swap === undefined) throw replacedError();
  cancelOnError(database, () => {
    syncFile(incoming, "r+");
    writeMarker(nextMarkerOf(database), { ...swap, incoming });
    renameSync(nextMarkerOf(database), markerOf(database));
  });
  replaceDatabase(database, { ...swap, incoming });
}

function writeMarker(path: string, swap: Swap): void {
  writeFileSync(path, JSON.stringify(swap), { mode: 0o600, flush: true });
}

/** The database stays as it is. */
export function cancelSwap(database: string): void {
  rmSync(markerOf(database), { force: true });
  rmSync(nextMarkerOf(database), { force: true });
}

/** Cancels the swap if the work fails, on a full disk for example: the marker of a running process keeps all others out. */
export function cancelOnError<T>(database: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    cancelSwap(database);
    throw error;
  }
}

/**
 * Completes a swap whose process was killed, or cancels it if its new file is missing. Requires the worker's lock. False
 * while the process that began it is still running.
 */
export function settleSwap(database: string): boolean {
  const swap = readJson<Swap>(markerOf(database)) as Swap | undefined;
  if (swap !== undefined && swap.machine === machineId() && isSameProcess(swap)) return false;
  if (swap?.incoming !== undefined && existsSync(swap.incoming))
    replaceDatabase(database, { ...swap, incoming: swap.incoming });
  removeDatabase(incomingPath(database));
  const folder = dirname(database);
  for (const name of listFolder(folder).filter(isScratchFolder))
    rmSync(join(folder, name), { recursive: true, force: true });
  // Last: while the marker exists, another process cleans up if this one is killed.
  cancelSwap(database);
  return true;
}

/** Where the new database of a restore is prepared. */
export function incomingPath(database: string): string {
  return `${database}.incoming`;
}

const SCRATCH_PREFIX = "repair-";

/** This process's folder for a repaired database. */
export function scratchFolder(database: string): string {
  return join(dirname(database), `${SCRATCH_PREFIX}${process.pid}`);
}

export function isScratchFolder(name: string): boolean {
  return name.startsWith(SCRATCH_PREFIX) && /^\d+$/.test(name.slice(SCRATCH_PREFIX.length));
}

export function replacedError(): AppError {
  const error = new AppError("store_restoring", "The database is being replaced.", {
    hint: "Try again in a moment. Until then hooks record to the spool.",
  });
  // SQLite's code for it: isStorageError is true, so callers retry later.
  return Object.assign(error, { errcode: SQLITE_READONLY_DBMOVED });
}

function replaceDatabase(database: string, { aside, incoming }: Swap & { incoming: string }): void {
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  // The log moves with its file: next to another database it would be read as part of that one.
  for (const suffix of SUFFIXES.toReversed()) {
    if (existsSync(database + suffix)) renameSync(database + suffix, join(aside, basename(database) + suffix));
  }
  renameSync(incoming, database);
  // Without this a power cut may undo the rename.
  if (process.platform !== "win32") syncFile(dirname(database), "r");
  cancelSwap(database);
}
