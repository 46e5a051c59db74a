// Runs many agents at once and injects faults. Afterwards each event that a hook acknowledged must be stored exactly
// once.
//   C_MEM_SOAK=full   20 agents with 200 tool uses each and 2 GB of history, instead of 6 with 25 and 48 MB
//   C_MEM_SOAK_SEED   chooses the faults
import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { seeded } from "../test/chaos/chance.ts";
import { type Agent, countLost, createAgent } from "../test/chaos/agent.ts";
import {
  fillDisk,
  jumpClock,
  jumpLock,
  killWorker,
  makeReadOnly,
  startWorkers,
  suspendWorker,
  takePort,
  type Trouble,
} from "../test/chaos/monkey.ts";
import { BIN, createWorld, data, run, type World } from "../test/e2e/harness.ts";
import { writeHistory } from "./history.ts";
import { countEvents, type Count } from "./soak-count.ts";
import { soakJobs } from "./soak-jobs.ts";
import { type ProcessPeaks, watchProcesses } from "./soak-processes.ts";
import { watchPage } from "./soak-viewer.ts";

const IS_FULL = process.env["C_MEM_SOAK"] === "full";
const AGENTS = IS_FULL ? 20 : 6;
const TOOLS = IS_FULL ? 200 : 25;
const HISTORY_MB = IS_FULL ? 2_048 : 48;
const JOBS = IS_FULL ? 100_000 : 2_000;
const SUSPENDED_MS = IS_FULL ? 60_000 : 4_000;
const PORT = 38_771;
const SEED = Number(process.env["C_MEM_SOAK_SEED"] ?? 7);
const IDLE_MS = IS_FULL ? 900_000 : 180_000;
/** One hook in this many is killed. */
const KILL_EVERY = 25;

export async function benchSoak(): Promise<void> {
  const random = seeded(SEED);
  const world = createWorld();
  world.env["C_MEM_WORKER"] = "1";
  const disk = fillDisk(world, 256 + HISTORY_MB * 3);
  const clock = jumpClock(world, random);
  const files = writeHistory(join(world.claudeDir, "projects", "history"), HISTORY_MB * 1e6);
  console.log(`${AGENTS} agents with ${TOOLS} tool uses each, ${HISTORY_MB} MB of history (seed ${SEED})`);
  if (disk === undefined) console.log("  skipped the full and the read-only disk: mounting is not allowed");
  if (clock === undefined) console.log("  skipped the clock that jumps: libfaketime is not installed");
  mkdirSync(world.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(world.home, "config.json"), JSON.stringify({ port: PORT }));
  const processes = watchProcesses(world);
  const viewer = watchPage(world);
  const faults = new Map<string, number>();
  try {
    const troubles: [Trouble, number][] = [
      [killWorker(world, { kills: 0 }), 300],
      [killWorker(world, { kills: 0 }), 300],
      [startWorkers(world), 300],
      [jumpLock(world, random), 300],
      [suspendWorker(world), SUSPENDED_MS],
      [takePort(world, PORT), 1_500],
      ...(disk === undefined
        ? []
        : ([
            [disk.trouble, 700],
            [makeReadOnly(world), 700],
          ] as [Trouble, number][])),
      ...(clock === undefined ? [] : ([[clock, 500]] as [Trouble, number][])),
    ];
    const first = await runAgents(world, "agent", { random, faults, hasTranscript: false, troubles });
    await untilIdle(world);
    report("all faults but a deleted database", countEvents(world, first));
    const second = await runAgents(world, "later", {
      random,
      faults,
      hasTranscript: true,
      troubles: [
        [deleteDatabase(world), 300],
        [killWorker(world, { kills: 0 }), 300],
      ],
    });
    await untilIdle(world);
    report("the database deleted under the worker", countEvents(world, second));
    console.log(`  not written because data directory and temporary folder were full: ${countLost(world)}`);
    await reportHistory(world, files);
    console.log(`  faults: ${[...faults].map(([name, times]) => `${name} ${times}`).join(", ")}`);
    console.log(`  page: ${viewer.events} events seen over ${viewer.connections} connections`);
    reportProcesses(processes);
    await reportDoctor(world);
  } finally {
    processes.end();
    await viewer.end();
    await run(world, ["worker", "stop"]);
    disk?.unmount();
  }
  await soakJobs(JOBS);
}

interface AgentsOptions {
  random: () => number;
  faults: Map<string, number>;
  hasTranscript: boolean;
  troubles: readonly [Trouble, number][];
}

async function runAgents(world: World, name: string, options: AgentsOptions): Promise<Agent[]> {
  const { random, faults, hasTranscript, troubles } = options;
  const agents = Array.from({ length: AGENTS }, (_, index) =>
    createAgent(world, `${name}-${index}`, random, {
      hasTranscript,
      onHook(child) {
        if (random() > 1 / KILL_EVERY) return;
        count(faults, "hook killed");
        globalThis.setTimeout(() => child.kill("SIGKILL"), random() * 200);
      },
    }),
  );
  const sync = spawn(process.execPath, [BIN, "sync", "--quiet"], { env: world.env, stdio: "ignore" });
  const isOver = new AbortController();
  const faulting = injectFaults(troubles, random, faults, isOver.signal);
  await Promise.all(agents.map((agent) => finish(agent)));
  isOver.abort();
  await faulting;
  sync.kill("SIGKILL");
  return agents;
}

async function finish(agent: Agent): Promise<void> {
  while ([...agent.turns.values()].flat().length < TOOLS) await agent.turn();
  await agent.end();
}

async function injectFaults(
  troubles: readonly [Trouble, number][],
  random: () => number,
  faults: Map<string, number>,
  isOver: AbortSignal,
): Promise<void> {
  // Continues after the agents have ended until each fault was injected once.
  for (let next = 0; !isOver.aborted || next < troubles.length; next++) {
    const [trouble, ms] = troubles[next % troubles.length] ?? [];
    if (trouble === undefined || ms === undefined) return;
    if (trouble.start() !== false) count(faults, trouble.name);
    await setTimeout(ms);
    trouble.end?.();
    await setTimeout(200 + random() * 500);
  }
}

function deleteDatabase(world: World): Trouble {
  return {
    name: "database deleted",
    start() {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(join(world.home, `c-mem.db${suffix}`), { force: true });
    },
  };
}

async function untilIdle(world: World): Promise<void> {
  const deadline = performance.now() + IDLE_MS;
  for (;;) {
    await run(world, ["worker", "start"]);
    await run(world, ["sync", "--quiet"]);
    const { jobs, spool } = (await data(world, ["worker", "status"])) as unknown as {
      jobs: { pending: number; running: number; failed: number };
      spool: { waiting: number };
    };
    if (jobs.pending + jobs.running + jobs.failed + spool.waiting === 0) return;
    if (performance.now() > deadline) throw new Error(`not idle in time: ${JSON.stringify({ jobs, spool })}`);
    await setTimeout(1_000);
  }
}

function report(what: string, { tried, acknowledged, lost, doubled, invented }: Count): void {
  console.log(
    `  ${what}: ${tried} events, ${acknowledged} acknowledged, ${lost.length} of these lost, ${doubled} stored twice, ${invented} stored but never sent`,
  );
  if (lost.length + doubled + invented > 0) {
    process.exitCode = 1;
    console.log(`    ${lost.slice(0, 10).join(" ")}`);
  }
}

async function reportHistory(world: World, sessions: number): Promise<void> {
  const { totals } = (await data(world, ["stats", "--all"])) as unknown as { totals: { sessions: number } };
  // The first agents had no transcripts, so their sessions were lost with the database.
  const found = totals.sessions - AGENTS;
  console.log(`  history: ${found} of ${sessions} sessions stored`);
  if (found !== sessions) process.exitCode = 1;
}

function reportProcesses({ mostWorkers, mostMb, mostHandles }: ProcessPeaks): void {
  console.log(
    `  processes: at most ${mostWorkers} workers at once, at most ${mostMb} MB and ${mostHandles} open files in one`,
  );
  if (mostWorkers > 1) process.exitCode = 1;
}

/** The check for installed hooks fails here, because none are installed. */
async function reportDoctor(world: World): Promise<void> {
  const { results } = (await data(world, ["doctor"])) as unknown as {
    results: { name: string; state: string; message: string }[];
  };
  const wrong = results.filter(({ state }) => state === "fail");
  console.log(`  doctor: ${results.length - wrong.length} of ${results.length} checks passed`);
  for (const { name, message } of wrong) console.log(`    ${name}: ${message}`);
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
