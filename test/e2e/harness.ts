// Runs the real commands as real processes against a data directory of their own.
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
  /** The folder sessions happen in. */
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
    // No test leaves a worker behind; those about the worker switch it on and stop it.
    C_MEM_WORKER: "0",
    // Compiled code comes and goes beside the data: tests count bytes and files.
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

/** Runs a hook command with this payload and expects what every hook must do: exit 0, one JSON object, silence. */
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

/** A JSON command's data. */
export async function data(world: World, args: string[], options: RunOptions = {}): Promise<Record<string, never>> {
  const result = await run(world, [...args, "--json"], options);
  const envelope = JSON.parse(result.stdout) as { schema_version: number; data: Record<string, never> };
  return envelope.data;
}

/** Rows of the database after everything in the spool has been brought in. */
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

/** Every byte under a folder, for proving that something is nowhere. */
export function allBytes(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "latin1"))
    .join("\n");
}

/** At most `width` at a time. */
export async function pool<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}
