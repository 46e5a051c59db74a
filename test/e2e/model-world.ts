// A data directory with a scripted model. Events are put into the spool with times of their own, and the built worker
// runs on a clock that can be shifted and killed at chosen moments.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findCaptureContext } from "../../src/capture/capture-context.ts";
import { writeDrop } from "../../src/capture/live/spool.ts";
import type { Activity } from "../../src/core/event.ts";
import { type Asked, type Loopback, startLoopback, WIRES } from "../conformance/loopback.ts";
import { type ModelRequest, readChatRequest } from "../conformance/model-request.ts";
import type { Scene } from "../conformance/scenes.ts";
import { scriptedClaude } from "../conformance/scripted-claude.ts";
import { createWorld, ROOT, type World } from "./harness.ts";

export const MINUTE = 60_000;
const WORKER = join(ROOT, "plugin", "dist", "worker.cjs");

export interface ModelWorld extends World {
  model: Loopback;
  /** The worker that runs now. */
  worker: ChildProcess | undefined;
}

export type Script = (request: ModelRequest, world: ModelWorld) => Scene;

interface ModelWorldOptions {
  provider?: "openai" | "claude";
  settings?: Record<string, unknown>;
}

export async function createModelWorld(
  script: Script,
  { provider = "openai", settings = {} }: ModelWorldOptions = {},
): Promise<ModelWorld> {
  const model = await startLoopback(WIRES.chat, [(asked: Asked) => script(readChatRequest(asked.body), world)]);
  const world: ModelWorld = { ...createWorld(), model, worker: undefined };
  mkdirSync(world.home, { recursive: true });
  if (provider === "claude") world.env["PATH"] = `${scriptedClaude(model.url)}${delimiter}${world.env["PATH"]}`;
  configure(world, provider, settings);
  writeFileSync(preloadPath(world), PRELOAD);
  return world;
}

/** Replaces the settings. */
export function configure(
  { home, model }: ModelWorld,
  provider: "openai" | "claude",
  settings: Record<string, unknown> = {},
): void {
  const access = provider === "openai" ? { model: "scripted", baseUrl: `${model.url}/v1` } : { model: "haiku" };
  writeFileSync(join(home, "config.json"), JSON.stringify({ provider, ...access, ...settings }));
}

export const requestsTo = ({ model }: ModelWorld): ModelRequest[] =>
  model.asked.map(({ body }) => readChatRequest(body));

export interface TimedActivity {
  at: number;
  activity: Activity;
}

/** Puts events into the spool, as hooks do. */
export function record(world: World, sessionId: string, events: readonly TimedActivity[]): void {
  const { project } = findCaptureContext(world.project, join(world.home, "config.json"), world.env);
  for (const { at, activity } of events) {
    const event = {
      agent: "claude-code",
      sessionId,
      cwd: world.project,
      branch: "main",
      project,
      activity,
      at,
    } as const;
    writeDrop(join(world.home, "spool"), event);
  }
}

/** The commit after which the worker is killed: that of its n-th reply, or of the memory made from it. */
export interface KillAfter {
  stored: "reply" | "memory";
  count: number;
}

const preloadPath = (world: World): string => join(world.env["HOME"] ?? "", "preload.cjs");

const PRELOAD = `
const offset = Number(process.env.FAKE_OFFSET_MS ?? 0);
const RealDate = Date;
const now = RealDate.now.bind(RealDate);
globalThis.Date = class extends RealDate {
  constructor(...args) { if (args.length === 0) super(now() + offset); else super(...args); }
  static now() { return now() + offset; }
};
const target = { reply: /INTO model_replies/, memory: /DELETE FROM model_replies WHERE request_hash/ }[process.env.KILL_AFTER];
if (target !== undefined) {
  const { DatabaseSync, StatementSync } = require("node:sqlite");
  const { run } = StatementSync.prototype;
  const { exec } = DatabaseSync.prototype;
  let runs = 0;
  StatementSync.prototype.run = function (...params) {
    if (target.test(this.sourceSQL)) runs += 1;
    return run.apply(this, params);
  };
  DatabaseSync.prototype.exec = function (sql) {
    exec.call(this, sql);
    if (runs >= Number(process.env.KILL_COUNT) && sql === "COMMIT") process.kill(process.pid, "SIGKILL");
  };
}
`;

/** Variables that shift the clock of a process. */
export const clockAt = (world: World, time: number): Record<string, string> => ({
  NODE_OPTIONS: `--require ${preloadPath(world)}`,
  FAKE_OFFSET_MS: String(time - Date.now()),
});

/** Runs the worker until no work is due. Returns the signal that killed it, if any. */
export function runWorker(
  world: ModelWorld,
  { at = Date.now(), killAfter }: { at?: number; killAfter?: KillAfter } = {},
): Promise<NodeJS.Signals | null> {
  const killed = killAfter && { KILL_AFTER: killAfter.stored, KILL_COUNT: String(killAfter.count) };
  const env = { ...world.env, ...clockAt(world, at), ...killed };
  return new Promise((done, fail) => {
    world.worker = spawn(process.execPath, [WORKER, "--once"], { env, stdio: "ignore" });
    world.worker.on("error", fail);
    world.worker.on("close", (_, signal) => {
      world.worker = undefined;
      done(signal);
    });
  });
}

/** Reads rows directly: a command would drain the spool. */
export function stored<Row = Record<string, unknown>>(world: World, sql: string): Row[] {
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

export function execute(world: World, sql: string): void {
  const db = new DatabaseSync(join(world.home, "c-mem.db"), { timeout: 5_000 });
  db.exec(sql);
  db.close();
}
