// The worker's program: one per data directory. Started by hooks and commands, detached.
//   --once    does what waits and leaves
//   --echo    says on stderr what it does
//   --backup  makes a backup of the database and leaves
//   --answer  answers one question that would keep the server from all others, and leaves
//   --fresh   follows on another that has just looked at all transcripts
import { spawn } from "node:child_process";
import { setPriority } from "node:os";
import { join } from "node:path";
import { DROP_SUFFIX } from "../capture/live/spool.ts";
import { isDisabled, type Paths, resolvePaths } from "../config/paths.ts";
import { closeAllToOthers } from "../platform/private-file.ts";
import { listFolder, statOf } from "../platform/read-file.ts";
import { removeLock } from "../platform/worker-lock.ts";
import { dropWorkerEnv, noteStart, workerEnv } from "../platform/worker-start.ts";
import { AppError } from "../core/error.ts";
import { VERSION } from "../core/version.ts";
import { explain } from "../store/db/open.ts";
import { backUp, runBackup } from "./back-up.ts";
import type { AsideQuestion } from "../server/offload.ts";
import { startServing } from "../server/serve.ts";
import { createLog, type Log, reasonOf, stackOf } from "./log.ts";
import { takeLock } from "../platform/take-lock.ts";
import { releaseMemory } from "./release-memory.ts";
import { createWaker } from "./waker.ts";
import { type Leaving, work } from "./worker.ts";

/** Built beside this bundle. */
const VIEWER = join(import.meta.dirname, "viewer");
/** As the system's list of processes shows it: one that has the lock, and one that does not have it yet or any more. */
const AT_WORK = "c-mem worker";
const WAITING = "c-mem waiting";
const STOPPED: Readonly<Record<Leaving, string>> = {
  idle: "stopped: idle",
  asked: "stopped: asked to stop",
  lost: "stopped: another worker has the lock",
  done: "stopped: nothing left to do",
  memory: "restarting: memory above limit",
};
/** Below everything a person waits for. */
const NICE = 10;

async function main(args: readonly string[]): Promise<void> {
  dropWorkerEnv(process.env);
  const paths = resolvePaths(process.env);
  const log = createLog(paths.workerLog, { echo: args.includes("--echo") });
  if (isDisabled(process.env)) return log("C_MEM_DISABLE is set: nothing is done");
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stop.abort());
  lowerPriority();
  if (args.includes("--backup")) return backUp(paths, process.env, log);
  if (args[0] === "--answer") return answer(paths, args[1] ?? "");
  process.title = WAITING;
  try {
    while (await live(paths, log, stop.signal, args));
  } catch (error) {
    logFailure(log, error);
  }
}

async function answer(paths: Paths, question: string): Promise<void> {
  const { answerAlone } = await import("../server/answering.ts");
  process.stdout.write(JSON.stringify(await answerAlone(paths, process.env, JSON.parse(question) as AsideQuestion)));
}

/** Runs until the lock is released; true: run again, a hook wrote an event just as it stopped. */
async function live(paths: Paths, log: Log, signal: AbortSignal, args: readonly string[]): Promise<boolean> {
  const lock = await takeLock(paths, VERSION).catch((error: unknown) => {
    throw explain(error, paths.workerLock);
  });
  if (lock === undefined) {
    log("another worker is at it");
    return false;
  }
  process.title = AT_WORK;
  log(`started, version ${VERSION}`);
  const open = closeAllToOthers(paths.home);
  if (open > 0) log(`made ${open} files readable by their owner alone`);
  const waker = createWaker([
    { folder: paths.spool, matters: (name) => name.endsWith(DROP_SUFFIX) },
    { folder: paths.worker, matters: (name) => join(paths.worker, name) === paths.workerRequest },
  ]);
  const wake = () => waker.wake();
  const isOnce = args.includes("--once");
  let askedAt = -Infinity;
  const serving = isOnce
    ? undefined
    : await startServing({
        paths,
        env: process.env,
        viewer: VIEWER,
        log,
        onRequest: () => (askedAt = performance.now()),
        onWork: wake,
      });
  signal.addEventListener("abort", wake);
  try {
    const leaving = await work({
      paths,
      env: process.env,
      token: lock.token,
      log,
      waker,
      signal,
      once: isOnce,
      askedAt: () => (serving !== undefined && serving.viewers() > 0 ? performance.now() : askedAt),
      isCaughtUp: args.includes("--fresh"),
      startBackup: (aborted) => runBackup(paths, aborted),
      releaseMemory,
    });
    process.title = WAITING;
    log(STOPPED[leaving]);
    removeLock(paths.workerLock, lock.token);
    if (leaving === "memory") startSuccessor(paths);
    return leaving === "idle" && hasNewDrop(paths.spool);
  } catch (error) {
    logFailure(log, error);
    removeLock(paths.workerLock, lock.token);
    return false;
  } finally {
    signal.removeEventListener("abort", wake);
    await serving?.close();
    waker.close();
  }
}

function logFailure(log: Log, error: unknown): void {
  process.exitCode = 1;
  if (error instanceof AppError) log([`stopped: ${error.message}`, error.hint].filter(Boolean).join(" "));
  else log(`stopped by an error: ${reasonOf(error)}`, { stack: stackOf(error) });
}

/** A hook that came before the lock was gone has not started another worker. */
const JUST_NOW_MS = 10_000;

function hasNewDrop(spool: string): boolean {
  const drops = listFolder(spool).filter((name) => name.endsWith(DROP_SUFFIX));
  return drops.some((name) => Math.abs(Date.now() - (statOf(join(spool, name))?.mtimeMs ?? 0)) < JUST_NOW_MS);
}

function startSuccessor(paths: Paths): void {
  const args = [process.argv[1] ?? "", "--fresh"];
  const env = workerEnv(process.env);
  const options = { cwd: paths.home, env, detached: true, stdio: "ignore", windowsHide: true } as const;
  const child = spawn(process.execPath, args, options);
  child.unref();
  noteStart(paths, child.pid);
}

function lowerPriority(): void {
  try {
    setPriority(NICE);
  } catch {
    // Not allowed here: it does without.
  }
}

void main(process.argv.slice(2));
