// The worker's program: one process per data directory, started detached by hooks and commands.
//   --once    does all pending work, then exits
//   --echo    also logs to stderr
//   --backup  makes a backup of the database, then exits
//   --answer  runs one slow query for the server, then exits
import { spawn } from "node:child_process";
import { setPriority } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { DROP_SUFFIX } from "../capture/live/spool.ts";
import { userSettings } from "../config/load.ts";
import { isDisabled, type Paths, resolvePaths } from "../config/paths.ts";
import { makeAllPrivate } from "../platform/private-file.ts";
import { listFolder, statOf } from "../platform/read-file.ts";
import { removeLock } from "../platform/worker-lock.ts";
import { dropWorkerEnv, spawnWorker } from "../platform/worker-start.ts";
import { AppError } from "../core/error.ts";
import { count } from "../core/text.ts";
import { VERSION } from "../core/version.ts";
import { createBackup } from "../store/db/backup.ts";
import { toStoreError } from "../store/db/open.ts";
import { rotateBackups } from "../upkeep/backup/rotation.ts";
import type { OffloadedQuery } from "../server/offload.ts";
import { startServing } from "../server/serve.ts";
import { createLog, type Log, reasonOf, stackOf } from "./log.ts";
import { takeLock } from "../platform/take-lock.ts";
import { WakeSignal } from "./wake-signal.ts";
import { runWorker, type StopReason } from "./worker.ts";

const PROGRAM = process.argv[1] ?? "";
/** The build puts the page beside this bundle. */
const VIEWER = join(import.meta.dirname, "viewer");
/** Process titles: WORKING while the process has the lock, WAITING before and after. */
const WORKING = "c-mem worker";
const WAITING = "c-mem waiting";
const STOPPED: Readonly<Record<StopReason, string>> = {
  idle: "stopped: idle",
  requested: "stopped by request",
  "lost-lock": "stopped: another worker has the lock",
  done: "stopped: nothing left to do",
  memory: "restarting: memory above limit",
};
/** A lower priority than programs that the user waits for. */
const NICE = 10;

async function main(args: readonly string[]): Promise<void> {
  dropWorkerEnv(process.env);
  const paths = resolvePaths(process.env);
  const log = createLog(paths.workerLog, { echo: args.includes("--echo") });
  if (isDisabled(process.env)) return log("not started: C_MEM_DISABLE is set");
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stop.abort());
  lowerPriority();
  if (args.includes("--backup")) return makeBackup(paths, log);
  if (args[0] === "--answer") return answer(paths, args[1] ?? "");
  process.title = WAITING;
  try {
    while (await run(paths, log, stop.signal, args));
  } catch (error) {
    logFailure(log, error);
  }
}

async function answer(paths: Paths, question: string): Promise<void> {
  const { runOffloaded } = await import("../server/http-app.ts");
  process.stdout.write(JSON.stringify(await runOffloaded(paths, process.env, JSON.parse(question) as OffloadedQuery)));
}

/** Works until it stops, then releases the lock. True: run again, because a hook has just written an event. */
async function run(paths: Paths, log: Log, signal: AbortSignal, args: readonly string[]): Promise<boolean> {
  const lock = await takeLock(paths, VERSION).catch((error: unknown) => {
    throw toStoreError(error, paths.workerLock);
  });
  if (lock === undefined) {
    log("not started: another worker is running");
    return false;
  }
  process.title = WORKING;
  log(`started, version ${VERSION}`);
  const restricted = makeAllPrivate(paths.home);
  if (restricted > 0) log(`removed access of other users to ${count(restricted, "file")}`);
  const wakeSignal = new WakeSignal([
    { folder: paths.spool, matters: (name) => name.endsWith(DROP_SUFFIX) },
    { folder: paths.worker, matters: (name) => join(paths.worker, name) === paths.workerRequest },
  ]);
  const { wake } = wakeSignal;
  const { env } = process;
  const once = args.includes("--once");
  let requestedAt = -Infinity;
  const onRequest = (): void => void (requestedAt = performance.now());
  const serving = once ? undefined : await startServing({ paths, env, viewer: VIEWER, log, onRequest, onWork: wake });
  signal.addEventListener("abort", wake);
  try {
    const reason = await runWorker({
      paths,
      env,
      token: lock.token,
      log,
      wakeSignal,
      signal,
      once,
      lastRequestAt: () => (serving !== undefined && serving.viewers() > 0 ? performance.now() : requestedAt),
      startBackup: (aborted) => startBackup(paths, aborted),
      releaseMemory,
    });
    process.title = WAITING;
    log(STOPPED[reason]);
    removeLock(paths.workerLock, lock.token);
    if (reason === "memory") spawnWorker(paths, { bundle: PROGRAM, canRun: () => true });
    return reason === "idle" && hasNewDrop(paths.spool);
  } catch (error) {
    logFailure(log, error);
    removeLock(paths.workerLock, lock.token);
    return false;
  } finally {
    signal.removeEventListener("abort", wake);
    await serving?.close();
    wakeSignal.close();
  }
}

function logFailure(log: Log, error: unknown): void {
  process.exitCode = 1;
  if (error instanceof AppError) log([`stopped: ${error.message}`, error.hint].filter(Boolean).join(" "));
  else log(`stopped by an error: ${reasonOf(error)}`, { stack: stackOf(error) });
}

/** A hook starts no worker while another holds the lock. Events younger than this may come from such a hook. */
const RECENT_MS = 10_000;

function hasNewDrop(spool: string): boolean {
  const drops = listFolder(spool).filter((name) => name.endsWith(DROP_SUFFIX));
  return drops.some((name) => Math.abs(Date.now() - (statOf(join(spool, name))?.mtimeMs ?? 0)) < RECENT_MS);
}

/** Runs in another process, which logs the result: copying a large database here would block the heartbeat. */
function startBackup(paths: Paths, signal: AbortSignal): Promise<void> {
  const options = { cwd: paths.home, stdio: "ignore", windowsHide: true, signal, killSignal: "SIGKILL" } as const;
  const child = spawn(process.execPath, [PROGRAM, "--backup"], options);
  return new Promise((done) => child.on("error", () => done()).on("close", () => done()));
}

function makeBackup(paths: Paths, log: Log): void {
  const { database } = paths;
  try {
    const { name, bytes } = createBackup(database, "daily", Date.now());
    const deleted = rotateBackups(database, { daily: userSettings(paths, process.env).backupsDaily });
    const rotated = deleted.length > 0 ? `; ${deleted.length} older deleted` : "";
    log(`backup ${name}, ${Math.ceil(bytes / 1024)} KB${rotated}`);
  } catch (error) {
    log(`backup failed: ${reasonOf(toStoreError(error, database))}`);
    process.exitCode = 1;
  }
}

type CollectGarbage = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

/** An idle V8 keeps unused pages (30 MB after a sync). Only a last-resort collection frees them; it takes 50 ms. */
function releaseMemory(): void {
  // `gc` exists only in contexts created after the flag is set.
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as CollectGarbage;
  setFlagsFromString("--no-expose-gc");
  collectGarbage({ type: "major", execution: "sync", flavor: "last-resort" });
}

function lowerPriority(): void {
  try {
    setPriority(NICE);
  } catch {
    // Not allowed on this system.
  }
}

void main(process.argv.slice(2));
