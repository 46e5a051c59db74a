// Makes sure that there is one worker: takes the lock, leaves it to a living one, asks an older one to go.
import { rmSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Paths } from "../config/paths.ts";
import { randomHex } from "./random-hex.ts";
import { statOf } from "./read-file.ts";
import {
  BEAT_MS,
  birthOf,
  createLock,
  findWorker,
  lifeOf,
  machineId,
  readLock,
  removeLock,
  type WorkerLock,
} from "./worker-lock.ts";
import { askToLeave } from "./worker-start.ts";
import { isNewer } from "../core/version.ts";

export interface Patience {
  /** How long the heart of a worker that cannot be asked is listened to before it counts as stopped. */
  listenMs: number;
  /** How long an older worker is given to finish its job. */
  handOverMs: number;
}

const PATIENCE: Patience = { listenMs: BEAT_MS * 2.5, handOverMs: 120_000 };
const POLL_MS = 100;
/** A lock without content belongs to a process that was killed between creating and writing it. */
const HALF_WRITTEN_MS = 2_000;

/** Returns the lock, or undefined where another worker has it and is to keep it. */
export async function takeLock(
  paths: Paths,
  version: string,
  patience: Patience = PATIENCE,
): Promise<WorkerLock | undefined> {
  const own = newLock(version);
  const asked = new Map<string, number>();
  for (;;) {
    if (createLock(paths.workerLock, own)) {
      // Not the request to leave: it may be for this one already, and one for another's token is nobody's.
      rmSync(paths.workerStart, { force: true });
      return own;
    }
    const held = readLock(paths.workerLock);
    if (held === undefined) {
      await removeHalfWritten(paths.workerLock);
      continue;
    }
    if (await isDead(held, paths.workerLock, patience)) {
      removeLock(paths.workerLock, held.token);
      continue;
    }
    if (!isNewer(version, held.version)) return undefined;
    // A newer version never kills: the older one finishes its job and goes.
    const since = asked.get(held.token);
    if (since === undefined) {
      askToLeave(paths, held.token);
      asked.set(held.token, performance.now());
    } else if (performance.now() - since > patience.handOverMs) return undefined;
    await setTimeout(POLL_MS);
  }
}

/** For work that must be done at once or not at all: undefined where a worker lives. */
export function withLockNow<T>(paths: Paths, version: string, work: () => T): T | undefined {
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

async function isDead(lock: WorkerLock, path: string, { listenMs }: Patience): Promise<boolean> {
  const life = lifeOf(lock, path, Date.now());
  if (life !== "unsure") return life === "dead";
  // The process sleeps, or the clock has jumped: a beat is a change of the file's time, whatever that time is.
  const before = statOf(path)?.mtimeMs;
  const start = performance.now();
  while (performance.now() - start < listenMs) {
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
