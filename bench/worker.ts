// What the worker costs while it does nothing: memory and processor time, when it has just begun and after a lot of work.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { resolvePaths } from "../src/config/paths.ts";
import { installModel } from "./lanes.ts";

const WORKER = resolve(import.meta.dirname, "..", "plugin", "dist", "worker.cjs");
/** How long it is watched; its heart beats every five. */
const WATCH_MS = 20_000;
const SESSIONS = 300;
const TURNS = 20;
const MB = 1024 * 1024;
/** Embedding is watched for no longer than this. */
const MAX_EMBED_MS = 90_000;
/** A worker that has grown is replaced when it has been at rest for half a minute. */
const REPLACED_MS = 45_000;

export async function benchWorker(): Promise<void> {
  if (process.platform !== "linux") {
    console.log("worker: skipped, memory and time of another process are read from /proc");
    return;
  }
  const scratch = mkdtempSync(join(tmpdir(), "c-mem-bench-"));
  const env = { PATH: process.env["PATH"] ?? "", HOME: scratch, C_MEM_HOME: join(scratch, "data") };
  console.log(`The worker at rest (Node ${process.versions.node}, watched for ${WATCH_MS / 1000} s)`);
  const bare = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  await setTimeout(1_000);
  console.log(`  bare node                  ${rss(bare.pid as number).toFixed(0)} MB`);
  bare.kill();
  const first = spawn(process.execPath, [WORKER], { env, stdio: "ignore" });
  await atRest(env.C_MEM_HOME);
  await watch("just begun", first.pid as number);
  await stop(first);

  fill(join(scratch, ".claude", "projects", "bench"), scratch);
  const second = spawn(process.execPath, [WORKER], { env, stdio: "ignore" });
  const start = performance.now();
  await until(() => activity(env.C_MEM_HOME).sessions === SESSIONS);
  await atRest(env.C_MEM_HOME);
  const seconds = (performance.now() - start) / 1000;
  const used = cpuSeconds(second.pid as number);
  console.log(
    `  ${SESSIONS} sessions caught up on  ${seconds.toFixed(1)} s, ${used.toFixed(1)} s of processor time, ${rss(second.pid as number).toFixed(0)} MB`,
  );
  // It has grown: at rest it is replaced by a fresh one.
  await until(() => pid(env.C_MEM_HOME) !== second.pid && rss(pid(env.C_MEM_HOME)) > 0);
  await setTimeout(2_000);
  await watch("after that", pid(env.C_MEM_HOME));
  await watchEmbedding(env);
  process.kill(pid(env.C_MEM_HOME), "SIGTERM");
  await setTimeout(1_000);
  console.log("  wanted: under 80 MB; next to no time; while it embeds, with the model's process, under 200 MB");
  rmSync(scratch, { recursive: true, force: true });
}

/** The model comes, and is used on all that there is; then it is let go again. */
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
    `  while it embeds            ${peak.worker.toFixed(0)} MB, with the model's process ${peak.together.toFixed(0)} MB`,
  );
  await setTimeout(REPLACED_MS);
  await watch("after that", pid(home));
}

/** A process that comes or goes just now takes none. */
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

/** User and system time; the kernel counts in hundredths. */
function cpuSeconds(process: number): number {
  const fields = readFileSync(`/proc/${process}/stat`, "utf8").split(")").at(-1)?.trim().split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function pid(home: string): number {
  return (JSON.parse(readFileSync(join(home, "worker", "lock.json"), "utf8")) as { pid: number }).pid;
}

interface Seen {
  sessions: number;
  queue: { pending: number; running: number };
}

function activity(home: string): Seen {
  return JSON.parse(readFileSync(join(home, "activity.json"), "utf8")) as Seen;
}

/** The worker writes what it has done when there is nothing more to do. */
async function atRest(home: string): Promise<void> {
  await until(() => activity(home).queue.pending + activity(home).queue.running === 0);
}

async function until(isSo: () => boolean): Promise<void> {
  for (;;) {
    try {
      if (isSo()) return;
    } catch {
      // Not there yet.
    }
    await setTimeout(200);
  }
}

async function stop(worker: ChildProcess): Promise<void> {
  const gone = new Promise((done) => worker.once("exit", done));
  worker.kill("SIGTERM");
  await gone;
}

/** Sessions with some output in them: what a few months leave behind. */
function fill(folder: string, cwd: string): void {
  mkdirSync(folder, { recursive: true });
  const output = "PASS  test/user.test.ts (12 tests, 340 ms)\n".repeat(100);
  for (let session = 0; session < SESSIONS; session++) {
    const id = `bench-${session}`;
    const lines: object[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const [promptId, tool] = [`${id}-${turn}`, `${id}-${turn}-t`];
      const result = { type: "tool_result", tool_use_id: tool, content: output };
      const use = { type: "tool_use", id: tool, name: "Bash", input: { command: `npm test -- ${turn}` } };
      lines.push(
        { type: "user", promptId, message: { role: "user", content: `Run test ${turn} and fix what fails.` } },
        { type: "assistant", message: { id: `${tool}-m`, role: "assistant", model: "m", content: [use] } },
        { type: "user", promptId, message: { role: "user", content: [result] }, toolUseResult: { stdout: output } },
        {
          type: "assistant",
          message: {
            id: `${promptId}-m`,
            role: "assistant",
            model: "m",
            content: [{ type: "text", text: "It passes." }],
          },
        },
      );
    }
    const at = Date.now() - session * 3_600_000;
    const about = (index: number) => ({
      uuid: `${id}-${index}`,
      sessionId: id,
      cwd,
      version: "2.1.325",
      timestamp: new Date(at + index * 1000).toISOString(),
    });
    writeFileSync(
      join(folder, `${id}.jsonl`),
      lines.map((line, index) => `${JSON.stringify({ ...about(index), ...line })}\n`).join(""),
    );
  }
}
