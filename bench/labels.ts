// Shows how much good memory the model's pipeline lets through: a scripted model replies with what annotators wrote
// about real sessions, and the labels' own scripts score what is stored.
import { type SpawnOptions, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ChatServer } from "./chat-server.ts";
import { labelsFolder, readTurns } from "./label-data.ts";
import { modelUrl, startLabelledModel } from "./labelled-model.ts";
import { BIN } from "./measure.ts";
import { DATA, layOutSessions } from "./real-sessions.ts";

const GOALS: Readonly<Record<string, string>> = {
  decision_right: ">= 90",
  findings_found: ">= 70",
  title_overlap: ">= 60",
  "parts of replies kept": ">= 98",
  handover_found: ">= 70",
  tokens: "<= 400",
};
const MAX_ROUNDS = 50;
const DAILY = 1_000_000_000;

/** Sends everything to the scripted model, whatever it costs. */
const settingsFor = (baseUrl: string): object => ({
  provider: "openai",
  model: "labels",
  baseUrl,
  tokensPerDay: DAILY,
  tokensPerProjectAndDay: DAILY,
  usdPerDay: 10_000,
  usdPerProjectAndDay: 10_000,
});

/** `out`: a folder for the stores, which are kept; else they are deleted. */
export async function benchLabels({ out }: { out?: string | undefined }): Promise<void> {
  const folder = labelsFolder();
  if (folder === undefined) return console.log("labels: skipped, no labels (C_MEM_LABELS)");
  const work = out ?? mkdtempSync(join(tmpdir(), "c-mem-labels-"));
  const model = await startLabelledModel(folder);
  try {
    await scoreTurns(folder, join(work, "turns"), model);
    await scoreHandovers(folder, join(work, "handovers"), model);
  } finally {
    await model.close();
    if (out === undefined) rmSync(work, { recursive: true, force: true });
  }
}

async function scoreTurns(folder: string, work: string, model: ChatServer): Promise<void> {
  console.log("Memory from replies built from labelled turns");
  const homes = [...new Set(readTurns(folder).map(({ repo }) => repo))].map((repo) => ({
    repo,
    root: join(work, repo.replaceAll(/\W/g, "_")),
  }));
  for (const { repo, root } of homes) await fillStore(repo, root, model);
  const script = ["--bin", BIN, "--sessions", DATA, "--turns", join(folder, "turns.jsonl"), "--work", work];
  const scores = await lastLine([join(folder, "score.mjs"), ...script, "--reuse", "1"], {});
  for (const [name, value] of Object.entries(scores)) printRow(name, value);
  printKept(homes.map(({ root }) => join(root, ".c-mem", "c-mem.db")));
}

/** Imports the sessions, then has the model write the memory of all of them. */
async function fillStore(repo: string, root: string, model: ChatServer): Promise<void> {
  rmSync(root, { recursive: true, force: true });
  const home = join(root, ".c-mem");
  layOutSessions(root, repo);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "config.json"), JSON.stringify(settingsFor(modelUrl(model, home))));
  const env = { PATH: process.env["PATH"], HOME: root, C_MEM_HOME: home, C_MEM_WORKER: "0" };
  const cMem = (...args: string[]): Promise<string> => runNode([BIN, ...args], { env });
  await cMem("sync", "--json");
  await cMem("worker", "run", "--once");
  const before = model.exchanges.length;
  const rebuild = ["rebuild", "--all", "--with-model", "--since", "2000-01-01", "--yes", "--json"];
  const estimate = (JSON.parse(await cMem(...rebuild)) as { data: Estimate }).data;
  const database = join(home, "c-mem.db");
  for (let round = 0; waitingJobs(database) > 0; round++) {
    if (round === MAX_ROUNDS) throw new Error(`${waitingJobs(database)} jobs still wait after ${round} rounds`);
    await cMem("worker", "run", "--once");
  }
  const sent = model.exchanges.slice(before);
  const input = sent.reduce((sum, { fixedTokens, textTokens }) => sum + fixedTokens + textTokens, 0);
  const output = sent.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
  const row = (actual: number, estimated: number): string =>
    `${actual.toLocaleString("en")} (estimated ${estimated.toLocaleString("en")})`;
  console.log(
    `  ${repo}: ${row(sent.length, estimate.requests)} requests, tokens in ${row(input, estimate.input_tokens)}, out ${row(output, estimate.output_tokens)}`,
  );
}

/** What `rebuild --with-model` said before it sent anything. */
interface Estimate {
  requests: number;
  input_tokens: number;
  output_tokens: number;
}

function query<Row>(database: string, sql: string): Row[] {
  const db = new DatabaseSync(database, { readOnly: true, timeout: 5_000 });
  try {
    return db.prepare(sql).all() as Row[];
  } finally {
    db.close();
  }
}

function waitingJobs(database: string): number {
  const sql = "SELECT count(*) AS n FROM jobs WHERE kind = 'enrich' AND status IN ('pending', 'running')";
  return query<{ n: number }>(database, sql)[0]?.n ?? 0;
}

function printKept(databases: readonly string[]): void {
  const sql =
    "SELECT purpose, status, count(*) AS n, sum(kept) AS kept, sum(dropped) AS dropped FROM ledger GROUP BY 1, 2";
  type Row = { purpose: string; status: string; n: number; kept: number; dropped: number };
  const rows = databases.flatMap((database) => query<Row>(database, sql));
  for (const [name, group] of Map.groupBy(rows, ({ purpose, status }) => `${purpose}, ${status}`)) {
    const sum = (key: "n" | "kept" | "dropped"): number => group.reduce((total, row) => total + row[key], 0);
    console.log(`  requests (${name}): ${sum("n")}, parts kept ${sum("kept")}, dropped ${sum("dropped")}`);
  }
  const kept = rows.reduce((total, row) => total + row.kept, 0);
  const all = rows.reduce((total, row) => total + row.kept + row.dropped, 0);
  printRow("parts of replies kept", Number(((100 * kept) / Math.max(1, all)).toFixed(1)));
}

/** The script creates the data directories itself, so the command that it runs writes their settings. */
async function scoreHandovers(folder: string, work: string, model: ChatServer): Promise<void> {
  console.log("One annotator's handovers as replies, scored against another's");
  const config = JSON.stringify(settingsFor(`${model.url}/{home}/v1`));
  const bin = join(import.meta.dirname, "c-mem-with-model.ts");
  const files = ["--handovers", join(folder, "handovers-second.jsonl"), "--work", work];
  const args = [join(folder, "handover.mjs"), "--bin", bin, "--sessions", DATA, ...files];
  const before = model.exchanges.length;
  const scores = await lastLine(args, { ...process.env, C_MEM_BENCH_CONFIG: config, C_MEM_WORKER: "0" });
  const sent = Map.groupBy(model.exchanges.slice(before), ({ purpose }) => purpose);
  console.log(`  requests: ${[...sent].map(([purpose, list]) => `${list.length} ${purpose}`).join(", ") || "none"}`);
  for (const [name, value] of Object.entries(scores)) printRow(name, value);
}

function printRow(name: string, value: number): void {
  const goal = GOALS[name];
  console.log(`  ${name.padEnd(24)} ${String(value).padStart(7)}${goal === undefined ? "" : `   goal ${goal}`}`);
}

/** The scripts print their scores as JSON in the last line. */
async function lastLine(args: string[], env: NodeJS.ProcessEnv): Promise<Record<string, number>> {
  const output = await runNode(args, { env: { PATH: process.env["PATH"], ...env } });
  return JSON.parse(output.trim().split("\n").at(-1) ?? "") as Record<string, number>;
}

/** Not spawnSync: the model runs in this process. */
function runNode(args: string[], options: SpawnOptions): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    const output = { stdout: "", stderr: "" };
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
    child.on("error", fail);
    child.on("close", (status) => {
      if (status === 0) done(output.stdout);
      else fail(new Error(`${args.join(" ")}: exit code ${status}\n${output.stderr || output.stdout}`));
    });
  });
}
