// `npm run bench -- peers [names]`: installs other memory tools from npm into a temporary folder and measures them beside
// C-Mem. Everything they write is in that folder. It is removed, and their processes are stopped, at the end.
import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderSize } from "../../src/platform/read-file.ts";
import { ROOT } from "../measure.ts";
import { layOutSessions, readQueries } from "../real-sessions.ts";
import type { Contestant, Measurement } from "./contestant.ts";
import { measureHooks, type Runner } from "./hooks.ts";
import { type Installed, install, installNode } from "./install.ts";
import { measureBurst } from "./kill.ts";
import { type ModelServer, startModel } from "./model-server.ts";
import { createPlace, killAllIn } from "./place.ts";
import { machineOf, renderDoc } from "./report.ts";
import type { ImportResult, Report, Row } from "./results.ts";
import { measureSearch } from "./search.ts";
import { measureSecrets } from "./secrets.ts";
import { printReport } from "./table.ts";
import { measureTokens } from "./tokens.ts";
import { cMem, packCMem } from "./tools/c-mem.ts";
import { cavemem } from "./tools/cavemem.ts";
import { claudeMem } from "./tools/claude-mem.ts";
import { agentMemory, claudeHistorian, memoryKeeper, serverMemory } from "./tools/mcp-only.ts";
import { memorix } from "./tools/memorix.ts";
import { locomoWorlds, realWorlds } from "./worlds.ts";

const MAX_ROUNDS = 15;

interface Options {
  rounds: number;
  /** Raw results as JSON. */
  out: string | undefined;
  /** Only these tools, and docs/benchmarks.md is not written. */
  only: readonly string[];
}

interface Opened extends Runner {
  model: ModelServer;
}

export async function benchPeers({ rounds, out, only }: Options): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "c-mem-peers-")));
  const stop = (): void => {
    killAllIn(root);
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  };
  const interrupt = (): void => {
    stop();
    process.exit(130);
  };
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  try {
    const all = [
      cMem(await packCMem(root)),
      claudeMem,
      cavemem,
      memorix,
      agentMemory,
      serverMemory,
      memoryKeeper,
      claudeHistorian,
    ];
    const chosen = all.filter(({ name }) => only.length === 0 || only.includes(name));
    const report = await measureAll(chosen, root, Math.min(rounds, MAX_ROUNDS));
    printReport(report);
    if (out !== undefined) writeFileSync(out, `${JSON.stringify(report, null, 2)}\n`);
    if (only.length === 0) writeFileSync(join(ROOT, "docs", "benchmarks.md"), renderDoc(report));
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    stop();
  }
}

async function measureAll(chosen: readonly Contestant[], root: string, rounds: number): Promise<Report> {
  const rows = new Map<string, Row>(
    chosen.map(({ name, purpose, extra, search }) => [
      name,
      { name, purpose, extra, missing: {}, ...(search === undefined ? {} : { searchNote: search.how }) },
    ]),
  );
  const installs = new Map<string, Installed>();
  const node = await installNode(join(root, "node"));
  const { stdout } = spawnSync(join(node, "node"), ["--version"], { encoding: "utf8" });
  const machine = machineOf(stdout.trim().slice(1));
  for (const contestant of chosen) {
    console.error(`Installing ${contestant.name}`);
    const row = rowOf(contestant);
    await record(row, "install", async () => {
      const installed = await install(contestant, join(root, contestant.name), node);
      const { place: _, ...figures } = installed;
      installs.set(contestant.name, installed);
      row.install = figures;
    });
  }
  const present = chosen.filter(({ name }) => installs.has(name));
  const opened: Opened[] = [];

  await phase("Hooks", async () => {
    const runners: Runner[] = [];
    for (const contestant of measured("hooks"))
      await record(rowOf(contestant), "hooks", async () => void runners.push(await open(contestant, "hooks")));
    for (const [name, times] of await measureHooks(runners, rounds)) {
      const row = rows.get(name);
      if (row !== undefined) row.hooks = times;
    }
  });

  const scratch = join(root, "worlds");
  const hasSessions = readQueries().length > 0;
  await phase("Import", async () => {
    for (const contestant of measured("import")) {
      const row = rowOf(contestant);
      if (!hasSessions) row.missing.import = "no real sessions (C_MEM_REAL_SESSIONS)";
      else await record(row, "import", async () => void (row.import = await importAll(contestant)));
    }
  });
  for (const [key, worlds] of [
    ["search", realWorlds(scratch)],
    ["locomo", locomoWorlds()],
  ] as const) {
    await phase(key, async () => {
      if (worlds.length === 0) return;
      const openPlace = async (contestant: Contestant, purpose: string) => (await open(contestant, purpose)).place;
      for (const [name, result] of await measureSearch(measured("search"), worlds, openPlace)) {
        const row = rows.get(name);
        if (row !== undefined) row[key] = result;
      }
    });
  }
  for (const contestant of measured("tokens")) {
    const row = rowOf(contestant);
    await phase(`Tokens: ${contestant.name}`, () =>
      record(row, "tokens", async () => {
        const runner = await open(contestant, "tokens", true);
        const tokens = await measureTokens(runner, runner.model);
        if (tokens !== undefined) row.tokens = tokens;
      }),
    );
  }
  for (const contestant of measured("kill")) {
    const row = rowOf(contestant);
    await phase(`Kill: ${contestant.name}`, () =>
      record(row, "kill", async () => {
        const calm = await measureBurst(await open(contestant, "burst"), false);
        const killed = await measureBurst(await open(contestant, "kill"), true);
        if (calm !== undefined && killed !== undefined) row.kill = { calm, killed };
      }),
    );
  }
  for (const contestant of measured("secrets")) {
    const row = rowOf(contestant);
    await phase(`Secrets: ${contestant.name}`, () =>
      record(row, "secrets", async () => {
        const runner = await open(contestant, "secrets");
        const secrets = await measureSecrets(runner, runner.model);
        if (secrets !== undefined) row.secrets = secrets;
      }),
    );
  }
  return { machine, date: new Date().toISOString().slice(0, 10), rounds, rows: [...rows.values()] };

  function rowOf({ name }: Contestant): Row {
    const row = rows.get(name);
    if (row === undefined) throw new Error(`no row for ${name}`);
    return row;
  }

  /** The tools that support a measurement. Others get the reason in their row. */
  function measured(measurement: Measurement): Contestant[] {
    return present.filter((contestant) => {
      const reason = contestant.missing[measurement];
      if (reason !== undefined) rowOf(contestant).missing[measurement] = reason;
      return reason === undefined;
    });
  }

  async function open(contestant: Contestant, purpose: string, isWanted = false): Promise<Opened> {
    const place = createPlace(join(root, contestant.name), join(root, contestant.name, "homes", purpose), node);
    const model = await startModel(contestant);
    opened.push({ contestant, place, model });
    await contestant.prepare?.(place, { url: model.url, isWanted });
    return { contestant, place, model };
  }

  /** Stops what was started in it. */
  async function phase(name: string, work: () => Promise<void>): Promise<void> {
    console.error(`${name} (${new Date().toISOString().slice(11, 19)})`);
    try {
      await work();
    } finally {
      for (const { place, model } of opened.splice(0)) {
        killAllIn(place.home);
        await model.close();
      }
    }
  }

  async function importAll(contestant: Contestant): Promise<ImportResult> {
    const { place } = await open(contestant, "import");
    const sessions = layOutSessions(place.home, undefined).size;
    const megabytes = [".claude", ".codex", ".copilot"]
      .map((name) => folderSize(join(place.home, name)).bytes / 1e6)
      .reduce((sum, size) => sum + size, 0);
    const start = performance.now();
    await contestant.search?.load?.(place, [], () => Promise.reject(new Error("no client")));
    return { seconds: (performance.now() - start) / 1000, sessions, megabytes };
  }
}

/** A failure is listed, it does not stop the others. */
async function record(row: Row, measurement: Measurement, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    row.missing[measurement] = error instanceof Error ? error.message : String(error);
    console.error(`  ${row.name}, ${measurement}: ${row.missing[measurement]}`);
  }
}
