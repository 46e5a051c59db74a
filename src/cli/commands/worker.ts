// c-mem worker: the process that does the work nobody waits for.
import { spawn } from "node:child_process";
import { answerLogs, answerWorker, retryWork } from "../../queries/worker.ts";
import { type Paths, resolvePaths } from "../../config/paths.ts";
import { noteStart, workerEnv } from "../../platform/worker-start.ts";
import { AppError } from "../../core/error.ts";
import { ago } from "../../core/text.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printAnswer, printJson } from "../output.ts";
import { count } from "../../core/text.ts";
import { dim, fields, heading } from "../../platform/terminal/style.ts";
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

function status(paths: Paths, { json }: CommandOptions): number {
  const answer = withStore(paths, (db) => answerWorker({ db, paths }), { onlyLook: true });
  if (json) {
    printAnswer("worker", answer);
    return EXIT.ok;
  }
  const { worker, jobs, troubled } = answer;
  print(
    fields([
      ["worker", worker === undefined ? "not running" : `running since ${ago(worker.startedAt, Date.now())}`],
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
  else print(`The worker is running (pid ${pid}).`);
  return EXIT.ok;
}

async function stop(paths: Paths, { json }: CommandOptions): Promise<number> {
  const stopped = await stopWorker(paths);
  if (json) printJson("worker", { running: false, pid: null, stopped: stopped?.pid ?? null });
  else print(stopped === undefined ? "No worker was running." : `Stopped the worker (pid ${stopped.pid}).`);
  return EXIT.ok;
}

function logs(paths: Paths, { flags, json }: CommandOptions): number {
  const answer = answerLogs({ paths, flags });
  if (json) printAnswer("worker", answer);
  else for (const { at, message } of answer.entries) print(`${dim(at)} ${message}`);
  return EXIT.ok;
}

/** Here, where it can be watched, until Ctrl-C. */
async function runHere(paths: Paths, { flags }: CommandOptions): Promise<number> {
  const args = [WORKER.bundle, "--echo", ...(flags["once"] === true ? ["--once"] : [])];
  const child = spawn(process.execPath, args, {
    env: workerEnv(process.env),
    stdio: ["ignore", "inherit", "inherit"],
  });
  noteStart(paths, child.pid);
  // Ctrl-C reaches the worker by itself; it finishes its job, and this waits for it.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  const code = await new Promise<number | null>((done) => child.on("close", done));
  return code === 0 ? EXIT.ok : EXIT.failure;
}

function retry(paths: Paths, { args, json }: CommandOptions): number {
  const answer = withStore(paths, (db) => retryWork({ db }, args[1]));
  if (json) printAnswer("worker", answer);
  else print(`${count(answer.retried, "job")} will be tried again.`);
  return EXIT.ok;
}
