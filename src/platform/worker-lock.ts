// The worker's lock file: only one process can create it, and its mtime is the worker's heartbeat.
import { closeSync, mkdirSync, openSync, readlinkSync, renameSync, rmSync, utimesSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { readJson, readText, statOf } from "./read-file.ts";

export interface WorkerLock {
  pid: number;
  /** A random text: a later process may get the same pid, but not the same token. */
  token: string;
  version: string;
  startedAt: number;
  /** Identifies the boot and the container in which the pid is valid (Linux); elsewhere the host name. */
  machine: string;
  /** Start time of the process in clock ticks; Linux only. */
  birth?: string | undefined;
}

export const HEARTBEAT_MS = 5_000;
/** A worker without a heartbeat for this long may be dead. */
const FRESH_MS = 3 * HEARTBEAT_MS;

/** Needs only one stat, because every hook calls it. False if the mtime is 15 s ahead: the clock was set back. */
export function hasHeartbeat(lockPath: string, now: number): boolean {
  const stat = statOf(lockPath);
  return stat !== undefined && Math.abs(now - stat.mtimeMs) < FRESH_MS;
}

export function readLock(path: string): WorkerLock | undefined {
  const lock = readJson<WorkerLock>(path);
  return typeof lock?.pid === "number" && typeof lock.token === "string" ? (lock as WorkerLock) : undefined;
}

/** The worker, unless it is known to be dead. */
export function findWorker(lockPath: string, now: number): (WorkerLock & { heartbeatAt: number }) | undefined {
  const lock = readLock(lockPath);
  if (lock === undefined || livenessOf(lock, lockPath, now) === "dead") return undefined;
  return { ...lock, heartbeatAt: statOf(lockPath)?.mtimeMs ?? lock.startedAt };
}

/** False if the file exists. */
export function createLock(path: string, lock: WorkerLock): boolean {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let fd: number;
  try {
    fd = openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  try {
    writeSync(fd, JSON.stringify(lock));
    return true;
  } catch (error) {
    // The disk may be full, and half a lock would block every worker.
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Touches the lock. False if it is no longer this worker's. */
export function renewHeartbeat(path: string, token: string, now: number): boolean {
  if (readLock(path)?.token !== token) return false;
  try {
    utimesSync(path, now / 1000, now / 1000);
    return true;
  } catch {
    return false;
  }
}

/** Deletes the lock if it still has this token. */
export function removeLock(path: string, token: string | undefined): void {
  const movedPath = `${path}.${process.pid}`;
  try {
    renameSync(path, movedPath);
    // If another worker replaced the lock before the rename, put its lock back.
    if (readLock(movedPath)?.token !== token && statOf(path) === undefined) renameSync(movedPath, path);
  } catch {
    // Another process has deleted it.
  }
  rmSync(movedPath, { force: true });
}

/** "unsure": no recent heartbeat, but the process exists or is on another machine. */
export function livenessOf(lock: WorkerLock, lockPath: string, now: number): "alive" | "dead" | "unsure" {
  if (lock.machine === machineId() && !isSameProcess(lock)) return "dead";
  return hasHeartbeat(lockPath, now) ? "alive" : "unsure";
}

export function isSameProcess({ pid, birth }: { pid: number; birth?: string | undefined }): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const fields = statusOf(pid);
  const state = fields[0];
  // The process has exited but is still listed (a zombie): in a container its parent may never collect it.
  if (state === "Z" || state === "X") return false;
  return birth === undefined || state === undefined || fields[START_TIME] === birth;
}

export function birthOf(pid: number): string | undefined {
  return statusOf(pid)[START_TIME];
}

/** Index of the start time in the fields of `statusOf`; the state is 0. */
const START_TIME = 19;

/** Fields of /proc/<pid>/stat from the state on. The program's name before them may contain spaces and parentheses. */
function statusOf(pid: number): string[] {
  return readText(`/proc/${pid}/stat`)?.split(")").at(-1)?.trim().split(" ") ?? [];
}

export function machineId(): string {
  const boot = readText("/proc/sys/kernel/random/boot_id")?.trim();
  return boot === undefined ? hostname() : `${boot} ${pidNamespace()}`;
}

function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
