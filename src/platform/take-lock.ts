// Makes sure that only one worker runs: takes the lock if it is free or its worker is dead, and asks a worker of
// an older version to exit.
import { rmSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Paths } from "../config/paths.ts";
import { randomHex } from "./crypto.ts";
import { statOf } from "./read-file.ts";
import {
  HEARTBEAT_MS,
  birthOf,
  createLock,
  findWorker,
  livenessOf,
  machineId,
  readLock,
  removeLock,
  type WorkerLock,
} from "./worker-lock.ts";
import { requestStop } from "./worker-start.ts";
import { isNewer } from "../core/version.ts";

/** How long to wait for a heartbeat of a silent worker, and for an older worker to finish its job. */
const TIMEOUTS = { silentMs: HEARTBEAT_MS * 2.5, handOverMs: 120_000 };
const POLL_MS = 100;
/** A lock without content is from a process killed between creating and writing it. */
const HALF_WRITTEN_MS = 2_000;

/** Undefined if another worker keeps the lock. */
export async function takeLock(paths: Paths, version: string, timeouts = TIMEOUTS): Promise<WorkerLock | undefined> {
  const own = newLock(version);
  const requests = new Map<string, number>();
  for (;;) {
    if (createLock(paths.workerLock, own)) {
      // A request to stop is kept: it may be for this worker, and a request with another token has no effect.
      rmSync(paths.workerStart, { force: true });
      return own;
    }
    const held = readLock(paths.workerLock);
    if (held === undefined) {
      await removeHalfWritten(paths.workerLock);
      continue;
    }
    if (await isDead(held, paths.workerLock, timeouts)) {
      removeLock(paths.workerLock, held.token);
      continue;
    }
    if (!isNewer(version, held.version)) return undefined;
    // The older worker is not killed: it finishes its job and exits.
    const requestedAt = requests.get(held.token);
    if (requestedAt === undefined) {
      requestStop(paths, held.token);
      requests.set(held.token, performance.now());
    } else if (performance.now() - requestedAt > timeouts.handOverMs) return undefined;
    await setTimeout(POLL_MS);
  }
}

/** Runs `work` with the lock. Does not wait: returns undefined if a worker is running. */
export function tryWithLock<T>(paths: Paths, version: string, work: () => T): T | undefined {
  const held = readLock(paths.workerLock);
  if (held !== undefined && findWorker(paths.workerLock, Date.now()) === undefined) {
    removeLock(paths.workerLock, held.token);
  }
  const own = newLock(version);
  if (!createLock(paths.workerLock, own)) return undefined;
  try {
    return work();
  } finally {
    removeLock(paths.workerLock, own.token);
  }
}

function newLock(version: string): WorkerLock {
  return {
    pid: process.pid,
    token: randomHex(12),
    version,
    startedAt: Date.now(),
    machine: machineId(),
    birth: birthOf(process.pid),
  };
}

async function isDead(lock: WorkerLock, path: string, { silentMs }: typeof TIMEOUTS): Promise<boolean> {
  const liveness = livenessOf(lock, path, Date.now());
  if (liveness !== "unsure") return liveness === "dead";
  // The process may be suspended, or the clock may have jumped: any change of the mtime counts as a heartbeat.
  const before = statOf(path)?.mtimeMs;
  const start = performance.now();
  while (performance.now() - start < silentMs) {
    await setTimeout(POLL_MS);
    if (statOf(path)?.mtimeMs !== before) return false;
  }
  return true;
}

async function removeHalfWritten(path: string): Promise<void> {
  const before = statOf(path);
  if (before === undefined) return;
  await setTimeout(HALF_WRITTEN_MS);
  if (statOf(path)?.mtimeMs === before.mtimeMs && readLock(path) === undefined) removeLock(path, undefined);
}
