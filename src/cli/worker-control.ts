// Starts and stops the worker.
import { rmSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { loadSettings } from "../config/load.ts";
import { isDisabled, type Paths } from "../config/paths.ts";
import { takeLock } from "../platform/take-lock.ts";
import {
  HEARTBEAT_MS,
  renewHeartbeat,
  findWorker,
  hasHeartbeat,
  isSameProcess,
  machineId,
  readLock,
  removeLock,
  type WorkerLock,
} from "../platform/worker-lock.ts";
import { requestStop, spawnWorker, startingWorker, wakeWorker, type WorkerProgram } from "../platform/worker-start.ts";
import { AppError } from "../core/error.ts";
import { isNewer, VERSION } from "../core/version.ts";
import { replaceFile } from "../platform/replace-file.ts";
import { hasSqlite } from "../store/db/driver.ts";

/** The worker's program, of the same version as this one. */
export const WORKER: WorkerProgram = {
  bundle: fileURLToPath(new URL("../plugin/dist/worker.cjs", import.meta.url)),
  canRun: hasSqlite,
};

const START_MS = 20_000;
/** The worker finishes its job first, and some jobs are long. */
const STOP_MS = 60_000;
const POLL_MS = 50;

/** Starts a worker if none runs, or only an older version; not if the user switched it off. */
export function startWorkerIfEnabled(paths: Paths): void {
  const { values } = loadSettings({ user: paths.config }, process.env);
  if (!values.worker || !values.enabled || isDisabled(process.env)) return;
  const lock = readLock(paths.workerLock);
  // After an update: the new worker lets the old one finish its job.
  if (lock !== undefined && isNewer(VERSION, lock.version)) spawnWorker(paths, WORKER);
  else wakeWorker(paths, WORKER);
}

export async function startWorker(paths: Paths): Promise<WorkerLock> {
  const find = (): WorkerLock | undefined =>
    hasHeartbeat(paths.workerLock, Date.now()) ? findWorker(paths.workerLock, Date.now()) : undefined;
  if (find() === undefined) {
    // Fails on a full disk, where no worker could take the lock. Deleting also clears the mark of an earlier failed start.
    replaceFile(paths.workerStart, String(process.pid), { isDurable: false });
    rmSync(paths.workerStart);
    spawnWorker(paths, WORKER);
  }
  const found = await waitUntil(START_MS, find);
  if (found !== undefined) return found;
  throw new AppError("worker_failed", "The worker did not start.", { hint: "Run `c-mem worker run` to see why." });
}

/** Returns the worker that was stopped; undefined if none was running. */
export async function stopWorker(paths: Paths): Promise<WorkerLock | undefined> {
  const lock = await findRunning(paths);
  if (lock === undefined) return undefined;
  askToStop(paths, lock);
  // A suspended process (SIGSTOP, Ctrl-Z) must be resumed first; a running one ignores SIGCONT.
  if (isSignalable(lock)) signal(lock, "SIGCONT");
  const isGone = await waitUntil(STOP_MS, () => hasStopped(paths, lock));
  rmSync(paths.workerRequest, { force: true });
  if (isGone) return lock;
  throw new AppError("worker_busy", `The worker (pid ${lock.pid}) did not stop within ${STOP_MS / 1000} s.`, {
    hint: `It finishes its job first. Try again later, or end it: kill -9 ${lock.pid} (nothing is lost)`,
  });
}

/** The worker that has the lock, or the one that is about to take it. */
async function findRunning(paths: Paths): Promise<WorkerLock | undefined> {
  const find = (): WorkerLock | undefined => findWorker(paths.workerLock, Date.now());
  const isStarting = (): boolean => startingWorker(paths) !== undefined;
  await waitUntil(START_MS, () => find() !== undefined || !isStarting());
  // It may have taken the lock between the two checks.
  return find();
}

/** Writes a request file; on a full disk sends a signal, which has the same effect. */
function askToStop(paths: Paths, lock: WorkerLock): void {
  try {
    requestStop(paths, lock.token);
  } catch (error) {
    if (!isSignalable(lock)) throw error;
    signal(lock, "SIGTERM");
  }
}

/** False on Windows, where a signal would kill the worker in the middle of a job. */
function isSignalable({ machine }: WorkerLock): boolean {
  return machine === machineId() && process.platform !== "win32";
}

function signal({ pid }: WorkerLock, name: "SIGCONT" | "SIGTERM"): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return;
    throw new AppError("worker_foreign", `The worker (pid ${pid}) runs as another user and cannot be stopped.`, {
      hint: "Stop it as that user, or as root.",
    });
  }
}

/** Runs the work while no worker runs and none can start. */
export async function withoutWorker<T>(paths: Paths, work: () => T | Promise<T>): Promise<T> {
  await stopWorker(paths);
  const lock = await takeLock(paths, VERSION);
  if (lock === undefined) throw new AppError("worker_busy", "A worker has just started.", { hint: "Try again." });
  const heartbeat = setInterval(() => renewHeartbeat(paths.workerLock, lock.token, Date.now()), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    removeLock(paths.workerLock, lock.token);
  }
}

/**
 * Whether the worker's lock is gone, and its process if it ran on this machine: then the caller may delete files that the
 * worker had open.
 */
function hasStopped(paths: Paths, lock: WorkerLock): boolean {
  if (findWorker(paths.workerLock, Date.now())?.token === lock.token) return false;
  return lock.machine !== machineId() || !isSameProcess(lock);
}

/** Polls every 50 ms; undefined after the time limit. */
export async function waitUntil<T>(maxMs: number, find: () => T | undefined | false): Promise<T | undefined> {
  const start = performance.now();
  for (;;) {
    const found = find();
    if (found !== undefined && found !== false) return found;
    if (performance.now() - start > maxMs) return undefined;
    await setTimeout(POLL_MS);
  }
}
