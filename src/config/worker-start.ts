// Has a worker started where none lives, and asks one to leave. Nobody waits for either.
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readInstall } from "./install-record.ts";
import type { Paths } from "./paths.ts";
import { readText, statOf } from "./read.ts";
import { isBeating } from "./worker-lock.ts";

/** A start that has not led to a beating heart by then has failed; until then nobody else tries. */
const START_MS = 20_000;

export interface WorkerProgram {
  /** The worker's bundle. */
  bundle: string;
  /** This Node can open the database. Else the one that `install` has found is taken. */
  canRun(): boolean;
}

/** Starts a worker where no heart beats. */
export function wakeWorker(paths: Paths, program: WorkerProgram): void {
  const now = Date.now();
  if (!isBeating(paths.workerLock, now) && isFirst(paths.workerStart, now)) spawnWorker(paths, program);
}

/** Whatever runs already: the new one finds out whether it is to take over or to leave. */
export function spawnWorker(paths: Paths, { bundle, canRun }: WorkerProgram): void {
  const node = canRun() ? process.execPath : readInstall(paths.install)?.node;
  if (node === undefined) return;
  // Loaded only here: no other hook needs it, and it costs them a millisecond.
  const { spawn } = process.getBuiltinModule("node:child_process");
  spawn(node, [bundle], { cwd: paths.home, detached: true, stdio: "ignore", windowsHide: true })
    // Not there, not allowed: whoever looks at `c-mem worker status` sees that none runs.
    .on("error", () => {})
    .unref();
}

/** Of many hooks at once one starts the worker. */
function isFirst(path: string, now: number): boolean {
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

/** The worker with this token finishes what it is doing and leaves. */
export function askToLeave(paths: Paths, token: string): void {
  mkdirSync(paths.worker, { recursive: true, mode: 0o700 });
  const temporary = join(paths.worker, `request.${process.pid}`);
  writeFileSync(temporary, token, { mode: 0o600 });
  renameSync(temporary, paths.workerRequest);
}

export function isAskedToLeave(paths: Paths, token: string): boolean {
  return readText(paths.workerRequest) === token;
}

/** Done as asked. */
export function forgetRequest(paths: Paths, token: string): void {
  if (isAskedToLeave(paths, token)) rmSync(paths.workerRequest, { force: true });
}
