// Measures a store with years of work: disk usage, latency of commands and hooks, and how long a purge takes.
//   C_MEM_SPACE=full   10 GB of transcripts instead of 100 MB
//   C_MEM_SPACE_MB     another number of megabytes
//   C_MEM_SPACE_DIR    a folder for the store, which is kept and reused
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BIN, PLUGIN, printRatios, quantile, type Sample, wallMs } from "./measure.ts";
import { COMMON_WORDS, rareWord, writeYears } from "./years.ts";

const HOOK = join(PLUGIN, "hook.cjs");
const IS_FULL = process.env["C_MEM_SPACE"] === "full";
const MB = 1_000_000;
const BYTES = Number(process.env["C_MEM_SPACE_MB"] ?? (IS_FULL ? 10_000 : 100)) * MB;
const PROJECTS = 24;
const ROUNDS = IS_FULL ? 7 : 3;
/** The purge keeps this share of the store. */
const KEPT_SHARE = 0.5;

interface Sandbox {
  root: string;
  env: NodeJS.ProcessEnv;
  projects: string[];
  claudeDir: string;
  database: string;
}

export async function benchBigStore(): Promise<void> {
  const chosen = process.env["C_MEM_SPACE_DIR"];
  const sandbox = layOut(chosen ?? mkdtempSync(join(tmpdir(), "c-mem-space-")));
  try {
    fill(sandbox);
    measure(sandbox);
    backUp(sandbox);
    await shrink(sandbox);
    measure(sandbox);
  } finally {
    if (chosen === undefined) rmSync(sandbox.root, { recursive: true, force: true });
  }
}

function layOut(root: string): Sandbox {
  const projects = Array.from({ length: PROJECTS }, (_, index) => join(root, "work", `project-${index}`));
  for (const project of projects) mkdirSync(project, { recursive: true });
  const claudeDir = join(root, "claude");
  const env = {
    PATH: process.env["PATH"],
    HOME: root,
    C_MEM_HOME: join(root, "c-mem"),
    CLAUDE_CONFIG_DIR: claudeDir,
    C_MEM_WORKER: "0",
  };
  return { root, env, projects, claudeDir, database: join(root, "c-mem", "c-mem.db") };
}

function fill(sandbox: Sandbox): void {
  const { claudeDir, projects, database } = sandbox;
  if (!existsSync(claudeDir)) writeYears(claudeDir, projects, BYTES, Date.now() - 60_000);
  const bytes = sizeOf(claudeDir);
  if (!existsSync(database)) {
    const syncMs = wallMs(() => command(sandbox, "sync", "--quiet"));
    const rebuildMs = wallMs(() => command(sandbox, "rebuild", "--all"));
    console.log(`Imported in ${seconds(syncMs)}, memory derived in ${seconds(rebuildMs)}`);
  }
  const share = statSync(database).size / bytes;
  console.log(`${mb(bytes)} of transcripts; the database has ${share.toFixed(2)} times that size`);
}

function measure(sandbox: Sandbox): void {
  const { root, claudeDir, database } = sandbox;
  const empty = join(root, "empty.cjs");
  writeFileSync(empty, "");
  const cli = (...args: string[]) => ({ name: args.join(" ").slice(0, 60), run: () => command(sandbox, ...args) });
  const file = firstTranscript(claudeDir);
  const samples: Sample[] = [
    { name: "bare node", run: () => start(sandbox, [empty]) },
    { name: "hook save", run: () => hook(sandbox, "save", TOOL_USE) },
    { name: "hook new", run: () => hook(sandbox, "new", PROMPT) },
    { name: "hook recall", run: () => hook(sandbox, "recall", BEFORE_EDIT) },
    { name: "hook context", run: () => hook(sandbox, "context", START) },
    cli("search", rareWord(3), "--all"),
    cli("search", COMMON_WORDS[0] ?? "", "--all"),
    cli("search", [...COMMON_WORDS, rareWord(4), "please see to the grep of the part"].join(" "), "--all"),
    cli("search", ...COMMON_WORDS),
    cli("list"),
    cli("list", "--all"),
    cli("projects"),
    cli("status"),
    cli("stats"),
    cli("stats", "--all"),
    cli("stats", "--size"),
    cli("doctor"),
    cli("efforts", "--all"),
    cli("sync", "--quiet"),
    { ...cli("sync", "--quiet"), name: "sync, one new line", before: () => addLine(file) },
  ];
  for (const { run } of samples) run();
  console.log(
    `In a store of ${mb(statSync(database).size)}, against a bare start of Node (${ROUNDS} rounds, interleaved)`,
  );
  printRatios(samples, ROUNDS);
}

function backUp(sandbox: Sandbox): void {
  const ms = wallMs(() => command(sandbox, "backup", "create"));
  const bytes = sizeOf(join(sandbox.root, "c-mem", "backups"));
  console.log(`A backup, checked: ${seconds(ms)}, ${mb(bytes)}`);
  rmSync(join(sandbox.root, "c-mem", "backups"), { recursive: true });
}

/** Purges the store while hooks and searches run. Measures the purge and the hooks and searches. */
async function shrink(sandbox: Sandbox): Promise<void> {
  const before = statSync(sandbox.database).size;
  const limit = Math.round((before / 1024 / 1024) * KEPT_SHARE);
  command(sandbox, "config", "set", "retentionMaxMb", String(limit));
  const plan = wallMs(() => command(sandbox, "purge", "--dry-run"));
  const begun = performance.now();
  const purge = spawn(process.execPath, [BIN, "purge", "--yes"], { env: sandbox.env, stdio: "inherit" });
  const waits = await whileRunning(purge, {
    save: () => hook(sandbox, "save", TOOL_USE),
    context: () => hook(sandbox, "context", START),
    search: () => command(sandbox, "search", rareWord(5), "--all"),
  });
  console.log(
    `Purged down to ${limit} MB: planned in ${seconds(plan)}, done in ${seconds(performance.now() - begun)}; the file shrank from ${mb(before)} to ${mb(statSync(sandbox.database).size)}`,
  );
  for (const [name, list] of Object.entries(waits)) {
    const at = (share: number) => quantile(list, share).toFixed(0);
    console.log(`  meanwhile ${name}: ${list.length} times, median ${at(0.5)} ms, longest ${at(1)} ms`);
  }
}

async function whileRunning<Name extends string>(
  child: ChildProcess,
  acts: Record<Name, () => void>,
): Promise<Record<Name, number[]>> {
  const ended = new Promise<void>((done) => child.on("close", () => done()));
  const waits = Object.fromEntries(Object.keys(acts).map((name) => [name, []])) as unknown as Record<Name, number[]>;
  while (child.exitCode === null) {
    for (const name of Object.keys(acts) as Name[]) waits[name].push(wallMs(acts[name]));
    // Lets the event loop see that the child has ended.
    await new Promise((done) => setImmediate(done));
  }
  await ended;
  return waits;
}

const START = { session_id: "next", hook_event_name: "SessionStart", source: "startup" };
const PROMPT = {
  session_id: "next",
  prompt_id: "p1",
  hook_event_name: "UserPromptSubmit",
  prompt: `What happened to ${rareWord(4)} and the ${COMMON_WORDS.join(" ")}?`,
};
const TOOL_USE = {
  session_id: "next",
  prompt_id: "p1",
  hook_event_name: "PostToolUse",
  tool_name: "Bash",
  tool_use_id: "u1",
  tool_input: { command: "make" },
  tool_response: { stdout: "all is well\n".repeat(400), stderr: "" },
};
const BEFORE_EDIT = {
  session_id: "next",
  hook_event_name: "PreToolUse",
  tool_name: "Edit",
  tool_input: { file_path: "src/part-1/file-1.ts" },
};

function hook(sandbox: Sandbox, name: string, payload: object): void {
  start(sandbox, [HOOK, name], JSON.stringify({ cwd: sandbox.projects[0], ...payload }));
}

/** `doctor` and `status` end with 1, because no hooks are installed; a search without results ends with 4. */
function command(sandbox: Sandbox, ...args: string[]): void {
  const isReport = args[0] === "doctor" || args[0] === "status";
  start(sandbox, [BIN, ...args], "", isReport ? [0, 1] : [0, 4]);
}

function start({ env, projects }: Sandbox, args: string[], input = "", wanted = [0]): void {
  const { status, stderr } = spawnSync(process.execPath, args, { env, cwd: projects[0], input, maxBuffer: 1e9 });
  if (!wanted.includes(status ?? -1)) throw new Error(`${args.join(" ")}: exit ${status}: ${stderr}`);
}

function firstTranscript(claudeDir: string): string {
  const folder = join(claudeDir, "projects", "project-0");
  return join(folder, readdirSync(folder)[0] ?? "");
}

let added = 0;

function addLine(path: string): void {
  const id = `${process.pid}-${added++}`;
  const value = {
    type: "assistant",
    uuid: `added-${id}`,
    message: { id: `added-${id}`, content: [{ type: "text", text: `One more thing, ${id}.` }] },
  };
  appendFileSync(path, `${JSON.stringify({ ...value, timestamp: new Date().toISOString() })}\n`);
}

function sizeOf(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function mb(bytes: number): string {
  return `${(bytes / MB).toFixed(0)} MB`;
}
