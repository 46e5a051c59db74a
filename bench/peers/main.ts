// `npm run bench -- peers`: installs other memory tools from npm into a temporary folder and measures them beside C-Mem.
// Everything they write is in that folder. It is removed, and their processes are stopped, at the end.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../measure.ts";
import { layOutSessions, readQueries } from "../real-sessions.ts";
import type { Contestant } from "./contestant.ts";
import { measureHooks, type Runner } from "./hooks.ts";
import { measureImport } from "./import.ts";
import { install, installNode } from "./install.ts";
import { measureBurst } from "./kill.ts";
import { killAllIn } from "./place.ts";
import { machineOf, renderDoc } from "./report.ts";
import type { Report, Row } from "./results.ts";
import { measureSearch } from "./search.ts";
import { measureSecrets } from "./secrets.ts";
import { attempt, createStage, type Entry, measured, type Stage } from "./stage.ts";
import { printReport } from "./table.ts";
import { measureTokens } from "./tokens.ts";
import { cMem, packCMem } from "./tools/c-mem.ts";
import { cavemem } from "./tools/cavemem.ts";
import { claudeMem } from "./tools/claude-mem.ts";
import { agentMemory, claudeHistorian, memoryKeeper, serverMemory } from "./tools/mcp-only.ts";
import { memorix } from "./tools/memorix.ts";
import { locomoWorlds, realWorlds } from "./worlds.ts";

const MAX_ROUNDS = 15;
const PEERS = [claudeMem, cavemem, memorix, agentMemory, serverMemory, memoryKeeper, claudeHistorian];

interface Options {
  rounds: number;
  /** Raw results as JSON. */
  out: string | undefined;
  /** Only these tools, and docs/benchmarks.md is not written. */
  only: readonly string[];
}

export async function benchPeers({ rounds, out, only }: Options): Promise<void> {
  if (!existsSync("/proc/self/environ")) {
    console.log("peers: skipped, needs Linux to find and stop the processes of the tools");
    return;
  }
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
    const all = [cMem(await packCMem(root)), ...PEERS];
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
  const node = await installNode(join(root, "node"));
  const version = spawnSync(join(node, "node"), ["--version"], { encoding: "utf8" }).stdout.trim().slice(1);
  const machine = machineOf(version);
  const all = chosen.map((contestant) => ({ contestant, row: newRow(contestant) }));
  const entries: Entry[] = [];
  for (const entry of all) if (await installEntry(entry, root, node)) entries.push(entry);
  const stage = createStage(root, node);
  await stage.part("Hooks", () => hooksPart(stage, entries, rounds));
  await stage.part("Import", () => importPart(stage, entries));
  await stage.part("Search: sessions", () => searchPart(stage, entries, "search"));
  await stage.part("Search: LoCoMo", () => searchPart(stage, entries, "locomo"));
  await oneByOne(stage, entries);
  return { machine, date: new Date().toISOString().slice(0, 10), rounds, rows: all.map(({ row }) => row) };
}

function newRow({ name, purpose, extra, search }: Contestant): Row {
  return { name, purpose, extra, missing: {}, ...(search === undefined ? {} : { searchNote: search.how }) };
}

async function installEntry({ contestant, row }: Entry, root: string, node: string): Promise<boolean> {
  console.error(`Installing ${contestant.name}`);
  await attempt(row, "install", async () => {
    row.install = await install(contestant, join(root, contestant.name), node);
  });
  return row.install !== undefined;
}

async function hooksPart(stage: Stage, entries: readonly Entry[], rounds: number): Promise<void> {
  const runners: Runner[] = [];
  for (const { contestant, row } of measured(entries, "hooks"))
    await attempt(row, "hooks", async () => void runners.push(await stage.open(contestant, "hooks")));
  const times = await measureHooks(runners, rounds);
  for (const { row } of entries) {
    const own = times.get(row.name);
    if (own !== undefined) row.hooks = own;
  }
}

async function importPart(stage: Stage, entries: readonly Entry[]): Promise<void> {
  for (const { contestant, row } of measured(entries, "import")) {
    await attempt(row, "import", async () => {
      if (readQueries().length === 0) throw new Error("no real sessions (C_MEM_REAL_SESSIONS)");
      const { place } = await stage.open(contestant, "import");
      const sessions = layOutSessions(place.home, undefined).size;
      row.import = await measureImport(contestant, place, sessions);
    });
  }
}

async function searchPart(stage: Stage, entries: readonly Entry[], key: "search" | "locomo"): Promise<void> {
  const worlds = key === "search" ? realWorlds(join(stage.root, "worlds")) : locomoWorlds();
  if (worlds.length === 0) return;
  const suited: Contestant[] = [];
  for (const { contestant, row } of measured(entries, "search")) {
    const reason = key === "locomo" ? contestant.search?.notForLocomo : undefined;
    if (reason === undefined) suited.push(contestant);
    else row.locomo = { reason };
  }
  const results = await measureSearch(suited, worlds, async (...args) => (await stage.open(...args)).place);
  for (const { row } of entries) {
    const own = results.get(row.name);
    if (own !== undefined) row[key] = own;
  }
}

/** These measurements keep a tool's processes busy, so the tools do not take turns within them. */
async function oneByOne(stage: Stage, entries: readonly Entry[]): Promise<void> {
  for (const { contestant, row } of measured(entries, "tokens")) {
    const work = async (): Promise<void> => {
      const runner = await stage.open(contestant, "tokens", { withModel: true });
      const tokens = await measureTokens(runner, runner.model);
      if (tokens !== undefined) row.tokens = tokens;
    };
    await stage.part(`Tokens: ${row.name}`, () => attempt(row, "tokens", work));
  }
  for (const { contestant, row } of measured(entries, "kill")) {
    const work = async (): Promise<void> => {
      const calm = await measureBurst(await stage.open(contestant, "burst"), false);
      const killed = await measureBurst(await stage.open(contestant, "kill"), true);
      if (calm !== undefined && killed !== undefined) row.kill = { calm, killed };
    };
    await stage.part(`Kill: ${row.name}`, () => attempt(row, "kill", work));
  }
  for (const { contestant, row } of measured(entries, "secrets")) {
    const work = async (): Promise<void> => {
      const runner = await stage.open(contestant, "secrets");
      const secrets = await measureSecrets(runner, runner.model);
      if (secrets !== undefined) row.secrets = secrets;
    };
    await stage.part(`Secrets: ${row.name}`, () => attempt(row, "secrets", work));
  }
}
