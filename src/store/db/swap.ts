// Puts another file in the database's place. What was there is set aside, never deleted.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { listFolder, readText, statOf } from "../../platform/read-file.ts";
import { birthOf, isSameProcess, machineId } from "../../platform/worker-lock.ts";
import { AppError } from "../../core/error.ts";
import { removeDatabase, SUFFIXES } from "./database-files.ts";

/** Lies beside the database while it is being replaced: nobody opens it, no transaction is begun. */
interface Swap {
  pid: number;
  birth: string | undefined;
  machine: string;
  /** Where the present file goes. */
  aside: string;
  /** What takes its place; not known while it is still being made. */
  incoming?: string;
}

/** Longer than anybody takes from looking for the marker to having opened the file and its log. */
const SETTLE_MS = 1_000;
const SQLITE_READONLY_DBMOVED = 1032;

export function isSwapping(database: string): boolean {
  return statOf(markerOf(database)) !== undefined;
}

/** Says that the database is about to be replaced, and waits until everybody has noticed. */
export function beginSwap(database: string, aside: string, settleMs = SETTLE_MS): void {
  // Of somebody who was killed: only who holds the worker's lock comes here.
  if (isSwapping(database)) settleSwap(database);
  layMarker(database, { pid: process.pid, birth: birthOf(process.pid), machine: machineId(), aside });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, settleMs);
}

/** Must follow `beginSwap`. `incoming` has to be whole, and on the same file system. */
export function endSwap(database: string, incoming: string): void {
  const swap = readSwap(database);
  if (swap === undefined) throw replacedError();
  orCancel(database, () => {
    syncFile(incoming, "r+");
    replaceMarker(database, { ...swap, incoming });
  });
  carryOut(database, { ...swap, incoming });
}

/** The database stays as it is. */
export function cancelSwap(database: string): void {
  rmSync(markerOf(database), { force: true });
  rmSync(nextMarkerOf(database), { force: true });
}

/** On a full disk, say: the marker of a process that lives on would keep everybody out. */
export function orCancel<T>(database: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    cancelSwap(database);
    throw error;
  }
}

/**
 * After a kill in the middle: carries the swap out, or calls it off if its new file was not there yet. Only for who holds
 * the worker's lock. False while the one who began it is still at it.
 */
export function settleSwap(database: string): boolean {
  const swap = readSwap(database);
  if (swap !== undefined && swap.machine === machineId() && isSameProcess(swap)) return false;
  if (swap?.incoming !== undefined && existsSync(swap.incoming))
    carryOut(database, { ...swap, incoming: swap.incoming });
  removeLeftovers(database);
  // Last: while it lies there, whoever is killed here is followed by another who clears up.
  cancelSwap(database);
  return true;
}

/** What was being made when its maker was killed. */
function removeLeftovers(database: string): void {
  removeDatabase(incomingOf(database));
  rmSync(nextMarkerOf(database), { force: true });
  const folder = dirname(database);
  const scratch = listFolder(folder).filter(isScratch);
  for (const name of scratch) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Where a database is made ready to take the other's place. */
export function incomingOf(database: string): string {
  return `${database}.incoming`;
}

/** A folder for making a repaired one; this process's own. */
export function scratchOf(database: string): string {
  return join(dirname(database), `${SCRATCH_PREFIX}${process.pid}`);
}

const SCRATCH_PREFIX = "repair-";

export function isScratch(name: string): boolean {
  return name.startsWith(SCRATCH_PREFIX) && /^\d+$/.test(name.slice(SCRATCH_PREFIX.length));
}

export function replacedError(): AppError {
  const error = new AppError("store_restoring", "The database is just being restored.", {
    hint: "Try again in a moment. What agents do meanwhile waits in the spool.",
  });
  // As SQLite would call it: trouble of the store, which passes.
  return Object.assign(error, { errcode: SQLITE_READONLY_DBMOVED });
}

function carryOut(database: string, { aside, incoming }: Swap & { incoming: string }): void {
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  // The log goes with its file: beside another one it would be taken for that one's.
  for (const suffix of SUFFIXES.toReversed()) {
    if (existsSync(database + suffix)) renameSync(database + suffix, join(aside, basename(database) + suffix));
  }
  renameSync(incoming, database);
  // A rename is on disk once its folder is.
  if (process.platform !== "win32") syncFile(dirname(database), "r");
  cancelSwap(database);
}

function markerOf(database: string): string {
  return `${database}.swap`;
}

/** Only who holds the worker's lock writes it. */
function nextMarkerOf(database: string): string {
  return `${markerOf(database)}.next`;
}

function readSwap(database: string): Swap | undefined {
  try {
    return JSON.parse(readText(markerOf(database)) ?? "") as Swap;
  } catch {
    return undefined;
  }
}

/** Under its own name at once: half of it, after a kill, is called off like the whole, and nothing else is left behind. */
function layMarker(database: string, swap: Swap): void {
  orCancel(database, () => writeFileSync(markerOf(database), JSON.stringify(swap), { mode: 0o600, flush: true }));
}

function replaceMarker(database: string, swap: Swap): void {
  const next = nextMarkerOf(database);
  writeFileSync(next, JSON.stringify(swap), { mode: 0o600, flush: true });
  renameSync(next, markerOf(database));
}

function syncFile(path: string, flags: "r" | "r+"): void {
  const fd = openSync(path, flags);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
