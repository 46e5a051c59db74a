// c-mem worker: the process that does the work nobody waits for.
import { spawn } from "node:child_process";
import { spoolCounts } from "../../capture/drain.ts";
import { type Paths, resolvePaths } from "../../config/paths.ts";
import { findWorker } from "../../config/worker-lock.ts";
import { AppError } from "../../core/error.ts";
import { ago } from "../../core/text.ts";
import { countJobs, retryJobs, troubledJobs } from "../../store/jobs.ts";
import { clearPauses } from "../../store/model-pauses.ts";
import { logEntries } from "../log-entries.ts";
import type { CommandOptions } from "../table.ts";
import { count, dim, EXIT, fields, heading, iso, print, printJson } from "../output.ts";
import { withStore } from "../store.ts";
import { WORKER_ACTIONS, type WorkerAction } from "../worker-actions.ts";
import { startWorker, stopWorker, WORKER } from "../worker-control.ts";

type Action = (paths: Paths, options: CommandOptions) => number | Promise<number>;

const ACTIONS: Readonly<Record<WorkerAction, Action>> = {
  status,
  start,
  stop,
  restart: async (paths, options) => {
    await stopWorker(paths);
    return start(paths, options);
  },
  logs,
  run: runHere,
  retry,
};

export function run(options: CommandOptions): number | Promise<number> {
  const [name = "status"] = options.args;
  const action = WORKER_ACTIONS.find((known) => known === name);
  if (action === undefined) {
    throw new AppError("usage", `The worker cannot "${name}".`, { hint: `One of: ${WORKER_ACTIONS.join(", ")}` });
  }
  return ACTIONS[action](resolvePaths(process.env), options);
}

const JOBS_SHOWN = 20;

function status(paths: Paths, { json }: CommandOptions): number {
  const now = Date.now();
  const worker = findWorker(paths.workerLock, now);
  const { jobs, troubled } = withStore(
    paths,
    (db) => ({ jobs: countJobs(db), troubled: troubledJobs(db, JOBS_SHOWN) }),
    { onlyLook: true },
  );
  if (json) {
    printJson("worker", {
      running: worker !== undefined,
      pid: worker?.pid ?? null,
      version: worker?.version ?? null,
      started_at: iso(worker?.startedAt),
      last_beat: iso(worker?.beatenAt),
      jobs,
      spool: spoolCounts(paths.spool),
      troubled: troubled.map(({ run_after: runAfter, ...job }) => ({
        ...job,
        next_try: job.status === "failed" ? null : iso(runAfter),
      })),
      log: paths.workerLog,
    });
    return EXIT.ok;
  }
  print(
    fields([
      ["worker", worker === undefined ? "not running" : `running since ${ago(worker.startedAt, now)}`],
      ...(worker === undefined ? [] : [["process", `${worker.pid}, version ${worker.version}`] as const]),
      ["jobs", `${jobs.pending} to do, ${jobs.running} being done, ${jobs.failed} failed`],
      ["log", paths.workerLog],
    ]),
  );
  if (troubled.length > 0) print(`\n${heading("In trouble")}`);
  for (const job of troubled)
    print(`  ${job.key} (${job.status}, ${count(job.attempts, "attempt")}): ${job.last_error}`);
  return EXIT.ok;
}

async function start(paths: Paths, { json }: CommandOptions): Promise<number> {
  const { pid, version } = await startWorker(paths);
  if (json) printJson("worker", { running: true, pid, version });
  else print(`The worker runs (pid ${pid}).`);
  return EXIT.ok;
}

async function stop(paths: Paths, { json }: CommandOptions): Promise<number> {
  const stopped = await stopWorker(paths);
  if (json) printJson("worker", { running: false, pid: null, stopped: stopped?.pid ?? null });
  else print(stopped === undefined ? "No worker was running." : `The worker (pid ${stopped.pid}) has left.`);
  return EXIT.ok;
}

const LINES = 20;

function logs(paths: Paths, { flags, json }: CommandOptions): number {
  const wanted = Number(flags["lines"] ?? LINES);
  if (!Number.isInteger(wanted) || wanted < 1) throw new AppError("usage", "--lines takes a whole number above 0.");
  const entries = logEntries<{ at: string; pid: number; message: string }>(paths.workerLog, wanted);
  if (entries.length === 0) throw new AppError("nothing_found", "The worker has not said anything yet.");
  if (json) printJson("worker", { results: entries });
  else for (const { at, message } of entries) print(`${dim(at)} ${message}`);
  return EXIT.ok;
}

/** Here, where it can be watched, until Ctrl-C. */
async function runHere(_paths: Paths, { flags }: CommandOptions): Promise<number> {
  const args = [WORKER.bundle, "--echo", ...(flags["once"] === true ? ["--once"] : [])];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
  // Ctrl-C reaches the worker by itself; it finishes its job, and this waits for it.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  const code = await new Promise<number | null>((done) => child.on("close", done));
  return code === 0 ? EXIT.ok : EXIT.failure;
}

function retry(paths: Paths, { args, json }: CommandOptions): number {
  const key = args[1];
  const { retried, pauses } = withStore(paths, (db) => ({
    retried: retryJobs(db, Date.now(), key),
    // A model that is left alone after trouble is asked again as well.
    pauses: key === undefined ? clearPauses(db) : 0,
  }));
  if (retried + pauses === 0) {
    throw new AppError("nothing_found", key === undefined ? "Nothing has failed." : `No failed job is called ${key}.`);
  }
  if (json) printJson("worker", { retried, models: pauses });
  else print(`${count(retried, "job")} will be tried again.`);
  return EXIT.ok;
}
