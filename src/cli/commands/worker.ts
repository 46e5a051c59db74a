// c-mem worker: the background process that derives memory and serves the page.
import { spawn } from "node:child_process";
import type { Paths } from "../../config/paths.ts";
import { noteStart, workerEnv } from "../../platform/worker-start.ts";
import { retryFailed, workerLog, workerStatus } from "../../queries/worker.ts";
import { defineCommand, runQuery } from "../command.ts";
import { EXIT, respond } from "../output.ts";
import { startWorker, stopWorker, WORKER } from "../worker-control.ts";

export const command = defineCommand({
  about: "control the background worker",
  needsStore: true,
  fields: {
    action: {
      kind: "text",
      position: "[action]",
      choices: ["status", "start", "stop", "restart", "logs", "run", "retry"],
      about: "what to do (default: status)",
    },
    job: { kind: "text", position: "[job]", about: "with retry: only the job with this key" },
    once: { kind: "flag", about: "with run: exit when no job is waiting" },
    lines: workerLog.fields.lines,
  },
  run({ action = "status", job, once, lines }, invocation) {
    const { json, paths } = invocation;
    switch (action) {
      case "status":
        return runQuery(workerStatus, {}, invocation, { startsWorker: false });
      case "logs":
        return runQuery(workerLog, { lines }, invocation);
      case "retry":
        return runQuery(retryFailed, { key: job }, invocation);
      case "start":
        return start(paths, json);
      case "stop":
        return stop(paths, json);
      case "restart":
        return stopWorker(paths).then(() => start(paths, json));
      case "run":
        return runInForeground(paths, once);
    }
  },
});

async function start(paths: Paths, json: boolean): Promise<number> {
  const { pid, version } = await startWorker(paths);
  const text = `The worker is running (pid ${pid}).`;
  return respond("worker", { json, data: { running: true, pid, version }, text });
}

async function stop(paths: Paths, json: boolean): Promise<number> {
  const stopped = await stopWorker(paths);
  const text = stopped === undefined ? "The worker was not running." : `Stopped the worker (pid ${stopped.pid}).`;
  return respond("worker", { json, data: { running: false, pid: null, stopped: stopped?.pid ?? null }, text });
}

/** In the foreground, until Ctrl-C. */
async function runInForeground(paths: Paths, once: boolean): Promise<number> {
  const child = spawn(process.execPath, [WORKER.bundle, "--echo", ...(once ? ["--once"] : [])], {
    env: workerEnv(process.env),
    stdio: ["ignore", "inherit", "inherit"],
  });
  noteStart(paths, child.pid);
  // Ctrl-C reaches the worker directly; it finishes its job, and this command waits for it.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  const code = await new Promise<number | null>((done) => child.on("close", done));
  return code === 0 ? EXIT.ok : EXIT.failure;
}
