// Real hooks and workers under all faults at once: every event is stored exactly once.
//   C_MEM_CHAOS_SECONDS   duration (default: 12)
//   C_MEM_CHAOS_SEED      seed of the random faults
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { createWorld, data, run, type World } from "../e2e/harness.ts";
import { type Agent, createAgent } from "./agent.ts";
import { seeded } from "./chance.ts";
import { type FlappingModel, startFlappingModel } from "./flapping-model.ts";
import { fillDisk, jumpClock, jumpLock, killWorker, startWorkers, type Trouble } from "./monkey.ts";

const SECONDS = Number(process.env["C_MEM_CHAOS_SECONDS"] ?? 12);
const SEED = Number(process.env["C_MEM_CHAOS_SEED"] ?? Date.now() % 100_000);
const AGENTS = 3;
const RECOVER_MS = 90_000;

it(
  `no event is lost and no job done twice under random faults (seed ${SEED})`,
  { timeout: SECONDS * 1000 + RECOVER_MS + 60_000 },
  async () => {
    const random = seeded(SEED);
    const world = createWorld();
    world.env["C_MEM_WORKER"] = "1";
    const disk = fillDisk(world);
    const clock = jumpClock(world, random);
    if (disk === undefined) console.warn("no full disk: mounting is not allowed here");
    if (clock === undefined)
      console.warn("no jumping clock: libfaketime is not installed (apt-get install libfaketime)");
    const model = await startFlappingModel(random);
    configure(world, model);
    onTestFinished(async () => {
      await run(world, ["worker", "stop"]);
      disk?.unmount();
    });

    const counted = { kills: 0 };
    const agents = Array.from({ length: AGENTS }, (_, index) => createAgent(world, `chaos-${index}`, random));
    const troubles = [
      killWorker(world, counted),
      killWorker(world, counted),
      startWorkers(world),
      jumpLock(world, random),
      flap(model),
      ...(disk === undefined ? [] : [disk.trouble]),
      ...(clock === undefined ? [] : [clock]),
    ];
    const until = performance.now() + SECONDS * 1000;
    await Promise.all([...agents.map((agent) => keepWorking(agent, until)), injectFaults(troubles, random, until)]);
    expect(counted.kills).toBeGreaterThan(0);

    for (const trouble of troubles) trouble.end?.();
    for (const agent of agents) await agent.end();
    await waitUntilDone(world);
    expectConsistent(world, agents);
    const turns = agents.flatMap((agent) => [...agent.turns.values()]);
    const log = readFileSync(join(world.home, "logs", "worker.log"), "utf8");
    const times = (words: string) => log.split(words).length - 1;
    console.info(
      `${turns.length} turns, ${turns.flat().length} tool uses; ${counted.kills} kills, ${times('"started')} workers, ` +
        `${times("took over")} took jobs over, ${times('"retrying')} errors retried, ${model.asked.length} questions`,
    );
  },
);

function configure(world: World, model: FlappingModel): void {
  mkdirSync(world.home, { recursive: true, mode: 0o700 });
  const settings = { provider: "openai", baseUrl: `${model.url}/v1`, model: "chaos", modelTimeoutSeconds: 1 };
  writeFileSync(join(world.home, "config.json"), JSON.stringify(settings));
}

function flap(model: FlappingModel): Trouble {
  return { name: "model", start: () => (model.isHealthy = false), end: () => (model.isHealthy = true) };
}

async function keepWorking(agent: Agent, until: number): Promise<void> {
  while (performance.now() < until) await agent.turn();
}

async function injectFaults(troubles: readonly Trouble[], random: () => number, until: number): Promise<void> {
  while (performance.now() < until) {
    const trouble = troubles[Math.floor(random() * troubles.length)];
    trouble?.start();
    await setTimeout(50 + random() * 600);
    trouble?.end?.();
    await setTimeout(random() * 200);
  }
}

/** Starts the worker and retries failed jobs until no work is left. */
async function waitUntilDone(world: World): Promise<void> {
  const deadline = performance.now() + RECOVER_MS;
  for (;;) {
    await run(world, ["worker", "start"]);
    await run(world, ["worker", "retry"]);
    const status = (await data(world, ["worker", "status"])) as unknown as { spool: { waiting: number } };
    if (status.spool.waiting + workLeft(world) === 0) return;
    if (performance.now() > deadline) throw new Error(`work is left: ${JSON.stringify(status)}`);
    await setTimeout(500);
  }
}

/** SQL: jobs to do. A session whose last turn never ended gets its summary half an hour later. */
const OPEN_JOBS = `SELECT key, status FROM jobs WHERE status <> 'done' AND key NOT IN (
  SELECT 'handover:' || id FROM sessions WHERE status = 'active')`;

/** Jobs, and turns that were read from a transcript and have no job yet. Makes jobs due that wait for more turns. */
function workLeft(world: World): number {
  const db = new DatabaseSync(join(world.home, "c-mem.db"), { timeout: 5_000 });
  db.exec("UPDATE jobs SET run_after = 0 WHERE kind = 'enrich' AND status = 'pending' AND last_error IS NULL");
  const row = db
    .prepare(`SELECT (SELECT count(*) FROM stale_memory) + (SELECT count(*) FROM (${OPEN_JOBS})) AS n`)
    .get() as { n: number };
  db.close();
  return row.n;
}

/** The last turn of an active session does not count as ended if its Stop hook was killed. */
const ENDED_TURNS = `SELECT p.* FROM prompts p JOIN sessions s ON s.id = p.session_db_id
  WHERE p.ended_at IS NOT NULL OR p.prompt_number < s.prompt_count OR s.status <> 'active'`;

function expectConsistent(world: World, agents: readonly Agent[]): void {
  const db = new DatabaseSync(join(world.home, "c-mem.db"), { readOnly: true, timeout: 5_000 });
  const all = <Row>(sql: string) => db.prepare(sql).all() as Row[];
  const wanted = agents.flatMap(({ sessionId, turns }) =>
    [...turns].flatMap(([promptId, ids]) => ids.map((id) => `${sessionId} ${promptId} ${id}`)),
  );
  const found = all<{ text: string }>(
    `SELECT s.session_id || ' ' || p.prompt_id || ' ' || t.tool_use_id AS text FROM tool_uses t
     JOIN sessions s ON s.id = t.session_db_id
     JOIN prompts p ON p.session_db_id = t.session_db_id AND p.prompt_number = t.prompt_number`,
  );
  expect(found.map(({ text }) => text).sort(), "every tool use once, in its turn").toEqual(wanted.sort());
  expect(
    all(`SELECT prompt_id FROM (${ENDED_TURNS}) p WHERE NOT EXISTS (SELECT 1 FROM summaries s
         WHERE s.session_db_id = p.session_db_id AND s.prompt_number = p.prompt_number AND s.producer = 'extractor')`),
    "every turn that ended has its summary",
  ).toEqual([]);
  expect(
    all(`SELECT prompt_id FROM (${ENDED_TURNS}) p WHERE (SELECT count(*) FROM summaries s
         WHERE s.session_db_id = p.session_db_id AND s.prompt_number = p.prompt_number AND is_current = 1) <> 1`),
    "one current version of each summary",
  ).toEqual([]);
  expect(
    all(`SELECT session_db_id, prompt_number, producer, content_hash FROM observations
         GROUP BY 1, 2, 3, 4 HAVING count(*) > 1`),
    "no observation is stored twice",
  ).toEqual([]);
  expect(all("SELECT prompt_db_id FROM stale_memory"), "all memory is derived").toEqual([]);
  expect(all(OPEN_JOBS), "every job is done").toEqual([]);
  expect(all("SELECT name FROM drops"), "no spool file is half applied").toEqual([]);
  const enriched = all<{ n: number }>("SELECT count(*) AS n FROM summaries WHERE producer = 'openai/chaos'");
  expect(enriched[0]?.n, "the model wrote summaries").toBeGreaterThan(0);
  db.close();
}
