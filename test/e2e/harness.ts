// Runs the built commands as processes with a temporary data directory.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

export const ROOT = resolve(import.meta.dirname, "../..");
export const BIN = join(ROOT, "bin", "c-mem.cjs");
export const FIXTURES = join(ROOT, "test", "fixtures", "hook-payloads");

export interface Result {
  status: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

export interface World {
  home: string;
  /** The project folder, where sessions run. */
  project: string;
  claudeDir: string;
  env: Record<string, string>;
}

export function createWorld(folder = tmpdir()): World {
  const root = realpathSync(mkdtempSync(join(folder, "c-mem-e2e-")));
  const project = join(root, "project");
  const claudeDir = join(root, "claude");
  mkdirSync(project);
  const home = join(root, "home", ".c-mem");
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: join(root, "home"),
    C_MEM_HOME: home,
    CLAUDE_CONFIG_DIR: claudeDir,
    // Hooks start no worker. Tests of the worker enable and stop it.
    C_MEM_WORKER: "0",
    // The bytecode cache would change the files and bytes that tests count.
    NODE_DISABLE_COMPILE_CACHE: "1",
  };
  mkdirSync(env.HOME);
  return { home, project, claudeDir, env };
}

export interface RunOptions {
  input?: string | Buffer;
  cwd?: string;
  env?: Record<string, string>;
  node?: string;
  onStart?: (child: ChildProcess) => void;
}

export function run(world: World, args: string[], options: RunOptions = {}): Promise<Result> {
  return new Promise((done) => {
    const child = spawn(options.node ?? process.execPath, [BIN, ...args], {
      cwd: options.cwd ?? world.project,
      env: { ...world.env, ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    child.stdout.on("data", (chunk: Buffer) => chunks.stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.stderr.push(chunk));
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
    child.on("close", (status, signal) =>
      done({
        status,
        signal,
        stdout: Buffer.concat(chunks.stdout).toString(),
        stderr: Buffer.concat(chunks.stderr).toString(),
      }),
    );
    options.onStart?.(child);
  });
}

/** Runs a hook with the payload and expects exit code 0, one JSON object on stdout, and an empty stderr. */
export async function hook(
  world: World,
  command: string,
  payload: object,
  options: RunOptions = {},
): Promise<Record<string, unknown>> {
  const input = JSON.stringify({ cwd: world.project, ...payload });
  const result = await run(world, [command], { ...options, input });
  if (result.status !== 0 || result.stderr !== "") throw new Error(`${command}: ${JSON.stringify(result)}`);
  return JSON.parse(result.stdout) as Record<string, unknown>;
}

export function contextOf(answer: Record<string, unknown>): string {
  const specific = answer["hookSpecificOutput"] as { additionalContext: string } | undefined;
  return specific?.additionalContext ?? "";
}

/** Runs a command with --json and returns `data`. */
export async function data(world: World, args: string[], options: RunOptions = {}): Promise<Record<string, never>> {
  const result = await run(world, [...args, "--json"], options);
  const envelope = JSON.parse(result.stdout) as { schema_version: number; data: Record<string, never> };
  return envelope.data;
}

/** Drains the spool, then returns rows of the database. */
export async function rows<Row = Record<string, unknown>>(world: World, sql: string): Promise<Row[]> {
  await run(world, ["projects"]);
  const db = new DatabaseSync(join(world.home, "c-mem.db"), { readOnly: true, timeout: 5_000 });
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row })) as Row[];
  } finally {
    db.close();
  }
}

/** The bytes of all files below a folder, to check that a text is in none of them. */
export function allBytes(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "latin1"))
    .join("\n");
}

/** Runs `work` on all items, at most `width` at a time. */
export async function pool<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}
