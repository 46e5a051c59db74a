// Measures memory and CPU time of an idle worker: just started, after an import, and after embedding.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { resolvePaths } from "../src/config/paths.ts";
import { sessionId, transcript } from "./history.ts";
import { installModel } from "./indexes.ts";
import { PLUGIN } from "./measure.ts";

const WORKER = join(PLUGIN, "worker.cjs");
/** Four heartbeats. */
const WATCH_MS = 20_000;
const SESSIONS = 300;
const TURNS = 5;
const MB = 1024 * 1024;
const MAX_EMBED_MS = 90_000;
/** The worker is watched this long after it has embedded everything. */
const SETTLE_MS = 45_000;

export async function benchWorker(): Promise<void> {
  if (process.platform !== "linux") {
    console.log("worker: skipped, needs /proc");
    return;
  }
  const scratch = mkdtempSync(join(tmpdir(), "c-mem-bench-"));
  const env = { PATH: process.env["PATH"] ?? "", HOME: scratch, C_MEM_HOME: join(scratch, "data") };
  console.log(`The idle worker (Node ${process.versions.node}, watched for ${WATCH_MS / 1000} s)`);
  const bare = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  await setTimeout(1_000);
  console.log(`  bare node                  ${rss(bare.pid as number).toFixed(0)} MB`);
  bare.kill();
  const first = spawn(process.execPath, [WORKER], { env, stdio: "ignore" });
  await untilIdle(env.C_MEM_HOME);
  await watch("just started", first.pid as number);
  await stop(first);

  const folder = join(scratch, ".claude", "projects", "bench");
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < SESSIONS; index++) {
    writeFileSync(join(folder, `${sessionId(index)}.jsonl`), transcript(index, TURNS));
  }
  const second = spawn(process.execPath, [WORKER], { env, stdio: "ignore" });
  const start = performance.now();
  await until(() => activity(env.C_MEM_HOME).sessions === SESSIONS);
  await untilIdle(env.C_MEM_HOME);
  const seconds = (performance.now() - start) / 1000;
  const used = cpuSeconds(second.pid as number);
  console.log(
    `  ${SESSIONS} sessions imported      ${seconds.toFixed(1)} s, ${used.toFixed(1)} s of CPU time, ${rss(second.pid as number).toFixed(0)} MB`,
  );
  // An idle worker returns unused memory after five seconds.
  await setTimeout(10_000);
  await watch("after that", pid(env.C_MEM_HOME));
  await watchEmbedding(env);
  process.kill(pid(env.C_MEM_HOME), "SIGTERM");
  await setTimeout(1_000);
  console.log("  targets: under 80 MB and almost no CPU time; while embedding, with the model's process, under 200 MB");
  rmSync(scratch, { recursive: true, force: true });
}

/** Installs the model and watches the worker embed everything. */
async function watchEmbedding(env: NodeJS.ProcessEnv & { C_MEM_HOME: string }): Promise<void> {
  const home = env.C_MEM_HOME;
  if (!installModel(resolvePaths({ C_MEM_HOME: home }))) return;
  process.kill(pid(home), "SIGTERM");
  await setTimeout(2_000);
  const third = spawn(process.execPath, [WORKER], { env, stdio: "ignore" });
  await until(() => pid(home) === third.pid);
  const peak = { worker: 0, together: 0 };
  let isSeen = false;
  for (const end = performance.now() + MAX_EMBED_MS; performance.now() < end; await setTimeout(200)) {
    const [worker, models] = [rssOf(pid(home)), childrenOf(pid(home)).map(rssOf)];
    if (isSeen && models.length === 0) break;
    isSeen ||= models.length > 0;
    peak.worker = Math.max(peak.worker, worker);
    peak.together = Math.max(
      peak.together,
      models.reduce((sum, one) => sum + one, worker),
    );
  }
  console.log(
    `  while embedding            ${peak.worker.toFixed(0)} MB, with the model's process ${peak.together.toFixed(0)} MB`,
  );
  await setTimeout(SETTLE_MS);
  await watch("after that", pid(home));
}

/** 0 for a process that has just ended. */
function rssOf(process: number): number {
  try {
    return rss(process);
  } catch {
    return 0;
  }
}

function childrenOf(process: number): number[] {
  try {
    return readFileSync(`/proc/${process}/task/${process}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

async function watch(name: string, process: number): Promise<void> {
  const before = cpuSeconds(process);
  await setTimeout(WATCH_MS);
  const share = (100 * (cpuSeconds(process) - before)) / (WATCH_MS / 1000);
  console.log(`  ${name.padEnd(25)}  ${rss(process).toFixed(0)} MB, ${share.toFixed(2)} % of a core`);
}

function rss(process: number): number {
  return (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process}/status`, "utf8"))?.[1]) * 1024) / MB;
}

/** User and system time in seconds. The kernel counts hundredths of a second. */
function cpuSeconds(process: number): number {
  const fields = readFileSync(`/proc/${process}/stat`, "utf8").split(")").at(-1)?.trim().split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function pid(home: string): number {
  return (JSON.parse(readFileSync(join(home, "worker", "lock.json"), "utf8")) as { pid: number }).pid;
}

interface Activity {
  sessions: number;
  queue: { pending: number; running: number };
}

function activity(home: string): Activity {
  return JSON.parse(readFileSync(join(home, "activity.json"), "utf8")) as Activity;
}

/** Waits until activity.json shows an empty queue. The worker writes the file when it has no work left. */
async function untilIdle(home: string): Promise<void> {
  await until(() => activity(home).queue.pending + activity(home).queue.running === 0);
}

async function until(isTrue: () => boolean): Promise<void> {
  for (;;) {
    try {
      if (isTrue()) return;
    } catch {
      // The file does not exist yet.
    }
    await setTimeout(200);
  }
}

async function stop(worker: ChildProcess): Promise<void> {
  const gone = new Promise((done) => worker.once("exit", done));
  worker.kill("SIGTERM");
  await gone;
}
