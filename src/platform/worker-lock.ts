// Who the worker of this data directory is: a lock file that only one process can create, touched while its heart beats.
import { closeSync, mkdirSync, openSync, readlinkSync, renameSync, rmSync, utimesSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { readText, statOf } from "./read-file.ts";

export interface WorkerLock {
  pid: number;
  /** Tells this worker from any other, also from one that is given the same pid later. */
  token: string;
  version: string;
  startedAt: number;
  /** Where the pid means something: this start of this machine, and this container of it. */
  machine: string;
  /** When the process began, in the system's own count; undefined where that cannot be asked. */
  birth?: string | undefined;
}

export const BEAT_MS = 5_000;
/** A heart that has not beaten for so long may have stopped. */
const FRESH_MS = 3 * BEAT_MS;

/** One stat: all that a hook pays while a worker lives. A time in the future (the clock was set back) is no sign of life. */
export function isBeating(lockPath: string, now: number): boolean {
  const stat = statOf(lockPath);
  return stat !== undefined && Math.abs(now - stat.mtimeMs) < FRESH_MS;
}

export function readLock(path: string): WorkerLock | undefined {
  try {
    const lock = JSON.parse(readText(path) ?? "") as Partial<WorkerLock> | null;
    return typeof lock?.pid === "number" && typeof lock.token === "string" ? (lock as WorkerLock) : undefined;
  } catch {
    return undefined;
  }
}

/** The worker that is there, alive as far as can be told; undefined where none is. */
export function findWorker(lockPath: string, now: number): (WorkerLock & { beatenAt: number }) | undefined {
  const lock = readLock(lockPath);
  if (lock === undefined || lifeOf(lock, lockPath, now) === "dead") return undefined;
  return { ...lock, beatenAt: statOf(lockPath)?.mtimeMs ?? lock.startedAt };
}

/** True for one process only: the file is created where there is none, or not at all. */
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
    // On a full disk: half a lock would keep everybody out.
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** The heart beats. False when the lock is no longer this worker's. */
export function beat(path: string, token: string, now: number): boolean {
  if (readLock(path)?.token !== token) return false;
  try {
    utimesSync(path, now / 1000, now / 1000);
    return true;
  } catch {
    return false;
  }
}

/** Takes a lock away, if it is still the one that was looked at. */
export function removeLock(path: string, token: string | undefined): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    // Somebody else was quicker and the lock is a new one: it goes back.
    if (readLock(aside)?.token !== token && statOf(path) === undefined) renameSync(aside, path);
  } catch {
    // It is gone already.
  }
  rmSync(aside, { force: true });
}

/** "unsure": the process is there, or cannot be asked for, but its heart has not been heard lately. */
export function lifeOf(lock: WorkerLock, lockPath: string, now: number): "alive" | "dead" | "unsure" {
  if (lock.machine === machineId() && !isSameProcess(lock)) return "dead";
  return isBeating(lockPath, now) ? "alive" : "unsure";
}

export function isSameProcess({ pid, birth }: { pid: number; birth?: string | undefined }): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const [state, ...rest] = statusOf(pid);
  // In a container nobody may be there to bury it.
  if (state === "Z" || state === "X") return false;
  return birth === undefined || state === undefined || rest[BIRTH] === birth;
}

export function birthOf(pid: number): string | undefined {
  return statusOf(pid)[BIRTH + 1];
}

/** Its place behind the state of a process. */
const BIRTH = 18;

/** What the system says of a process, from its state on; before that stands the program's name, which may hold anything. */
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
