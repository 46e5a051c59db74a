// Replaces the database with another file and moves the previous one into quarantine.
import { existsSync, fsyncSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError } from "../../core/error.ts";
import { listFolder, readJson, statOf } from "../../platform/read-file.ts";
import { withFile } from "./file-format.ts";
import { birthOf, isSameProcess, machineId } from "../../platform/worker-lock.ts";

/** SQLite's files. SQLite would read a leftover -wal or -journal as part of the next database with that name. */
export const SUFFIXES = ["", "-wal", "-shm", "-journal"] as const;

export function removeDatabase(path: string): void {
  for (const suffix of SUFFIXES) rmSync(path + suffix, { force: true });
}

export function syncFile(path: string, flags: "r" | "r+"): void {
  withFile(path, flags, (fd) => fsyncSync(fd));
}

/** The content of the marker file. While the file exists, no process opens the database or begins a transaction. */
interface Swap {
  pid: number;
  birth: string | undefined;
  machine: string;
  /** The quarantine folder, to which the current database is moved. */
  aside: string;
  /** The new database. Undefined until it is complete. */
  incoming?: string;
}

/** Longer than a process takes to open the database after it checked that there is no marker. */
const SETTLE_MS = 1_000;
const SQLITE_READONLY_DBMOVED = 1032;

const markerOf = (database: string): string => `${database}.swap`;
const nextMarkerOf = (database: string): string => `${database}.swap.next`;

export function isSwapping(database: string): boolean {
  return statOf(markerOf(database)) !== undefined;
}

/** Writes the marker. Waits until processes that did not see it have opened the database. Needs the worker's lock. */
export function beginSwap(database: string, quarantine: string, settleMs = SETTLE_MS): void {
  // A marker that exists was left by a killed process, because only the holder of the worker's lock gets here.
  if (isSwapping(database)) settleSwap(database);
  const swap: Swap = { pid: process.pid, birth: birthOf(process.pid), machine: machineId(), aside: quarantine };
  // No temporary file needed: an incomplete marker is cancelled like a complete one.
  cancelOnError(database, () => writeMarker(markerOf(database), swap));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, settleMs);
}

/** Replaces the database, after `beginSwap`. `incoming` must be complete and on the same file system. */
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

/** Deletes the marker. The database stays unchanged. */
export function cancelSwap(database: string): void {
  rmSync(markerOf(database), { force: true });
  rmSync(nextMarkerOf(database), { force: true });
}

/** Cancels the swap if `work` throws. Otherwise the marker would keep all processes out while this one runs. */
export function cancelOnError<T>(database: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    cancelSwap(database);
    throw error;
  }
}

/**
 * Completes a swap whose process was killed, or cancels it if the new database is missing. Requires the worker's lock.
 * Returns false if the process that began the swap is still running.
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
  // The marker is deleted last: if this process is killed before, another one finds it and cleans up.
  cancelSwap(database);
  return true;
}

/** Where the new database of a restore is prepared. */
export function incomingPath(database: string): string {
  return `${database}.incoming`;
}

const SCRATCH_PREFIX = "repair-";

/** Where this process builds a repaired database. */
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
  // SQLite's code for a moved file. isStorageError returns true for it, so callers retry later.
  return Object.assign(error, { errcode: SQLITE_READONLY_DBMOVED });
}

function replaceDatabase(database: string, { aside: quarantine, incoming }: Swap & { incoming: string }): void {
  mkdirSync(quarantine, { recursive: true, mode: 0o700 });
  // Moves the -wal file, too: SQLite would read it as part of the new database.
  for (const suffix of SUFFIXES.toReversed()) {
    if (existsSync(database + suffix)) renameSync(database + suffix, join(quarantine, basename(database) + suffix));
  }
  renameSync(incoming, database);
  // A power cut may undo the rename until the folder is synced.
  if (process.platform !== "win32") syncFile(dirname(database), "r");
  cancelSwap(database);
}
