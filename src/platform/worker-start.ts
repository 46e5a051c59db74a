// Starts a worker, or asks the running one to stop; both without waiting.
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { replaceFile } from "./replace-file.ts";
import { readInstall } from "./state/install-record.ts";
import type { Env, Paths } from "../config/paths.ts";
import { readText, statOf } from "./read-file.ts";
import { hasHeartbeat, isSameProcess } from "./worker-lock.ts";

/** For this long after a start no other process starts a worker. A start without a heartbeat by then has failed. */
const START_MS = 20_000;

export interface WorkerProgram {
  /** The worker's bundle. */
  bundle: string;
  /** Whether this Node can open the database; if not, the Node that `install` found is used. */
  canRun(): boolean;
}

/** Starts a worker unless one has a recent heartbeat. */
export function wakeWorker(paths: Paths, program: WorkerProgram): void {
  const now = Date.now();
  if (!hasHeartbeat(paths.workerLock, now) && claimStart(paths.workerStart, now)) spawnWorker(paths, program);
}

/**
 * glibc raises its mmap threshold and then keeps 30 MB after a sync. With fixed thresholds it returns this memory to
 * the system. Other systems ignore these variables.
 */
const MALLOC_ENV: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_MMAP_THRESHOLD_: "65536",
  MALLOC_TRIM_THRESHOLD_: "65536",
  MALLOC_TOP_PAD_: "0",
};

export function workerEnv(env: Env): Env {
  return { ...MALLOC_ENV, ...env };
}

/** Removes these variables, so that programs started by the worker do not inherit them. */
export function dropWorkerEnv(env: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(MALLOC_ENV)) if (env[name] === value) delete env[name];
}

/** The new worker replaces a running worker of an older version, but exits if any other worker runs. */
export function spawnWorker(paths: Paths, { bundle, canRun }: WorkerProgram): void {
  const node = canRun() ? process.execPath : readInstall(paths.install)?.node;
  if (node === undefined) return;
  // Loaded only here: it costs a hook a millisecond.
  const { spawn } = process.getBuiltinModule("node:child_process");
  const env = workerEnv(process.env);
  const child = spawn(node, [bundle], {
    cwd: paths.home,
    env,
    detached: true,
    stdio: "ignore",
    windowsHide: true,
  });
  // If the start fails, `c-mem worker status` shows that no worker runs.
  child.on("error", () => {}).unref();
  noteStart(paths, child.pid);
}

/** Notes which process is about to take the lock, so that `worker stop` can wait for it. */
export function noteStart({ workerStart }: Paths, pid: number | undefined): void {
  try {
    mkdirSync(dirname(workerStart), { recursive: true, mode: 0o700 });
    writeFileSync(workerStart, String(pid ?? ""), { mode: 0o600 });
  } catch {
    // A full disk: the worker starts anyway.
  }
}

/** The process that is about to take the lock, if any. */
export function startingWorker({ workerStart }: Paths): number | undefined {
  const stat = statOf(workerStart);
  const pid = Number(readText(workerStart) || Number.NaN);
  if (stat === undefined || !Number.isInteger(pid) || Math.abs(Date.now() - stat.mtimeMs) >= START_MS) return undefined;
  return isSameProcess({ pid }) ? pid : undefined;
}

/** Creates the start file. True for only one of many simultaneous hooks. */
function claimStart(path: string, now: number): boolean {
  const stat = statOf(path);
  if (stat !== undefined && Math.abs(now - stat.mtimeMs) < START_MS) return false;
  try {
    if (stat === undefined) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    else rmSync(path, { force: true });
    closeSync(openSync(path, "wx", 0o600));
    return true;
  } catch {
    return false;
  }
}

/** Asks the worker with this token to finish its job and exit. */
export function requestStop(paths: Paths, token: string): void {
  replaceFile(paths.workerRequest, token, { isDurable: false });
}

export function isStopRequested(paths: Paths, token: string): boolean {
  return readText(paths.workerRequest) === token;
}

export function clearStopRequest(paths: Paths, token: string): void {
  if (isStopRequested(paths, token)) rmSync(paths.workerRequest, { force: true });
}
