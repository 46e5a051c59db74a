// The worker: started by hooks, exits when idle, and recovers from kills and restarts.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createWorld, data, hook, pool, ROOT, rows, run, type World } from "./harness.ts";

const BUNDLE = join(ROOT, "plugin", "dist", "worker.cjs");

/** A world whose hooks start a worker, which stops when the test ends. */
function createWorkerWorld(): World {
  const world = createWorld();
  world.env["C_MEM_WORKER"] = "1";
  onTestFinished(async () => {
    await run(world, ["worker", "stop"]);
  });
  return world;
}

const lockPath = (world: World) => join(world.home, "worker", "lock.json");
const lock = (world: World) => JSON.parse(readFileSync(lockPath(world), "utf8")) as { pid: number; token: string };
const log = (world: World) => readFileSync(join(world.home, "logs", "worker.log"), "utf8");

async function waitUntil(what: string, look: () => boolean | Promise<boolean>, maxMs = 45_000): Promise<void> {
  const start = Date.now();
  for (;;) {
    try {
      if (await look()) return;
    } catch {
      // The file does not exist yet.
    }
    if (Date.now() - start > maxMs) throw new Error(`timed out: ${what}`);
    await setTimeout(50);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Reads rows directly: a command would drain the spool or start a worker. */
function stored<Row = Record<string, unknown>>(world: World, sql: string): Row[] {
  const db = new DatabaseSync(join(world.home, "c-mem.db"), { readOnly: true, timeout: 5_000 });
  try {
    return db.prepare(sql).all() as Row[];
  } finally {
    db.close();
  }
}

const prompt = (world: World, id: string, text: string) =>
  hook(world, "new", { session_id: id, prompt_id: `${id}-p`, hook_event_name: "UserPromptSubmit", prompt: text });
const end = (world: World, id: string, words: string, extra: object = {}) =>
  hook(world, "summary", {
    session_id: id,
    prompt_id: `${id}-p`,
    hook_event_name: "Stop",
    last_assistant_message: words,
    ...extra,
  });

const toolUse = (index: number) => ({
  hook_event_name: "PostToolUse",
  tool_name: "Bash",
  tool_use_id: `t${index}`,
  tool_input: { command: `echo ${index}` },
  tool_response: { stdout: `${index}` },
});

function activityOf(world: World): object {
  return JSON.parse(readFileSync(join(world.home, "activity.json"), "utf8")) as object;
}

describe("the worker", () => {
  it("is started by a hook, derives memory after the turn, and shows its status", async () => {
    const world = createWorkerWorld();
    await prompt(world, "s1", "Why is the sky blue?");
    await vi.waitFor(() => expect(activityOf(world)).toMatchObject({ active: true, project: "project" }), 20_000);
    await end(world, "s1", "Because of Rayleigh scattering.");
    await waitUntil(
      "the turn's summary",
      () => stored(world, "SELECT 1 FROM summaries WHERE prompt_number = 1").length === 1,
    );
    await waitUntil("its job's end", () => log(world).includes("session:s1: derived memory of 1 turn"));
    expect(stored(world, "SELECT count(*) AS n FROM stale_memory")).toEqual([{ n: 0 }]);
    const status = await data(world, ["worker", "status"]);
    expect(status).toMatchObject({ running: true, pid: lock(world).pid, jobs: { pending: 0, running: 0, failed: 0 } });
    expect(await data(world, ["status"])).toMatchObject({ worker: { running: true, pid: lock(world).pid } });
    await vi.waitFor(() => {
      expect(activityOf(world)).toMatchObject({ active: false, project: null, to_read: 0 });
      expect(activityOf(world)).toMatchObject({ sessions: 1, queue: { pending: 0, failed: 0 }, spent: { tokens: 0 } });
    }, 20_000);
  });

  it("runs only once, even if many hooks and commands start it", async () => {
    const world = createWorkerWorld();
    await Promise.all([
      ...Array.from({ length: 20 }, (_, index) => prompt(world, `s${index}`, "go")),
      ...Array.from({ length: 3 }, () => run(world, ["projects"])),
    ]);
    await waitUntil(
      "all prompts",
      () => stored<{ n: number }>(world, "SELECT count(*) AS n FROM prompts")[0]?.n === 20,
    );
    // The hooks may have stored all events before the worker was ready.
    await waitUntil("a worker", () => log(world).includes('"started'));
    expect(log(world).match(/"started/g)).toHaveLength(1);
  });

  it("runs only once, even if many are started by hand", async () => {
    const world = createWorkerWorld();
    const started = Array.from({ length: 6 }, () =>
      spawn(process.execPath, [BUNDLE], { env: world.env, stdio: "ignore" }),
    );
    await waitUntil("five to leave", () => started.filter((child) => child.exitCode !== null).length === 5);
    expect(started.filter((child) => child.exitCode === null).map((child) => child.pid)).toEqual([lock(world).pid]);
  });

  it("drains the spool without any command", async () => {
    const world = createWorkerWorld();
    const off = { env: { C_MEM_WORKER: "0" } };
    await pool(
      Array.from({ length: 110 }, (_, index) => index),
      4,
      async (index) => {
        await hook(world, "save", { ...toolUse(index), session_id: "s0" }, off);
      },
    );
    await end(world, "s0", "done");
    await waitUntil("an empty spool", () => readdirSync(join(world.home, "spool")).length === 0);
    expect(stored(world, "SELECT count(*) AS n FROM tool_uses")).toEqual([{ n: 110 }]);
  });

  it("is not started if disabled, nor from an excluded folder", async () => {
    const world = createWorkerWorld();
    writeFileSync(join(world.project, ".c-mem.json"), '{"enabled": false}');
    await prompt(world, "s1", "secret work");
    const off = { env: { C_MEM_WORKER: "0" }, cwd: world.env["HOME"] ?? "" };
    await hook(world, "new", { session_id: "s2", cwd: off.cwd, hook_event_name: "UserPromptSubmit", prompt: "x" }, off);
    await run(world, ["projects"], off);
    await setTimeout(300);
    expect(() => statSync(join(world.home, "worker"))).toThrow("ENOENT");
    expect(await data(world, ["worker", "status"])).toMatchObject({ running: false, pid: null });
  });

  it("is replaced by the next hook after a kill, and its jobs continue", async () => {
    const world = createWorkerWorld();
    await prompt(world, "s1", "first");
    // Wait until it logs its start: before that, other processes see it as starting.
    await waitUntil("a worker", () => log(world).includes('"started'));
    const { pid } = lock(world);
    process.kill(pid, "SIGKILL");
    await waitUntil("its end", () => !isAlive(pid));
    // The heartbeat still looks fresh for a while: set the lock's time back.
    utimesSync(lockPath(world), new Date(0), new Date(0));
    await end(world, "s1", "done");
    await waitUntil("another", () => lock(world).pid !== pid);
    await waitUntil("the memory", () => stored(world, "SELECT 1 FROM summaries").length > 0);
    await vi.waitFor(() => expect(stored(world, "SELECT status FROM jobs")).toEqual([{ status: "done" }]), 20_000);
  });

  it.each([
    ["long ago", -365 * 24 * 3600],
    ["in a year", 365 * 24 * 3600],
  ])("stays the only one if a wrong clock set its lock's time %s", async (_when, seconds) => {
    const world = createWorkerWorld();
    await run(world, ["worker", "start"]);
    const before = lock(world);
    const at = Date.now() / 1000 + seconds;
    utimesSync(lockPath(world), at, at);
    const second = spawn(process.execPath, [BUNDLE], { env: world.env, stdio: "ignore" });
    await waitUntil("the second to leave", () => second.exitCode !== null);
    expect(lock(world)).toEqual(before);
  });

  it("is replaced by a newer version", async () => {
    const world = createWorkerWorld();
    const newer = join(world.project, "newer.cjs");
    writeFileSync(newer, readFileSync(BUNDLE, "utf8").replaceAll("`0.1.0`", "`99.0.0`"));
    await run(world, ["worker", "start"]);
    const { pid } = lock(world);
    const child = spawn(process.execPath, [newer], { env: world.env, stdio: "ignore" });
    await waitUntil("the takeover", () => lock(world).pid === child.pid);
    expect(isAlive(pid) && lock(world).pid === pid).toBe(false);
    expect(await data(world, ["worker", "status"])).toMatchObject({ version: "99.0.0", pid: child.pid });
    // An older version does not replace it again.
    const older = spawn(process.execPath, [BUNDLE], { env: world.env, stdio: "ignore" });
    await waitUntil("the older to leave", () => older.exitCode !== null);
    expect(lock(world).pid).toBe(child.pid);
  });

  it.each(["SIGTERM", "SIGINT"] as const)("stops on %s and removes its lock", async (signal) => {
    const world = createWorkerWorld();
    await run(world, ["worker", "start"]);
    const { pid } = lock(world);
    process.kill(pid, signal);
    await waitUntil("its end", () => !isAlive(pid));
    expect(() => statSync(lockPath(world))).toThrow("ENOENT");
    expect(log(world)).toContain("stopped by request");
  });

  it("is resumed and stopped by `worker stop` if suspended", async () => {
    const world = createWorkerWorld();
    await run(world, ["worker", "start"]);
    const { pid } = lock(world);
    process.kill(pid, "SIGSTOP");
    const start = performance.now();
    expect(await run(world, ["worker", "stop"])).toMatchObject({
      status: 0,
      stdout: `Stopped the worker (pid ${pid}).\n`,
    });
    expect(performance.now() - start).toBeLessThan(8_000);
    await waitUntil("its end", () => !isAlive(pid));
  });

  it("is stopped by `worker stop` even while it starts", async () => {
    const world = createWorkerWorld();
    for (let round = 0; round < 5; round++) {
      await prompt(world, `s${round}`, "go");
      const { stdout } = await run(world, ["worker", "stop"]);
      expect(stdout).toMatch(/^Stopped the worker \(pid \d+\)\.\n$/);
      expect(() => statSync(lockPath(world))).toThrow("ENOENT");
    }
    expect(log(world).match(/"started/g)).toHaveLength(5);
    expect((await run(world, ["worker", "stop"])).stdout).toBe("The worker was not running.\n");
  });

  it.runIf(process.platform === "linux")("frees memory after a burst of work, without a restart", async () => {
    const world = createWorkerWorld();
    const off = { env: { C_MEM_WORKER: "0" } };
    const asked = { session_id: "s1", hook_event_name: "UserPromptSubmit", prompt: "go" };
    await hook(world, "new", asked, off);
    await run(world, ["projects"], off);
    const db = new DatabaseSync(join(world.home, "c-mem.db"));
    const insert = db.prepare(
      `INSERT INTO tool_uses (session_db_id, prompt_number, tool_use_id, name, input, output, is_error, created_at)
       VALUES (1, 1, ?, 'Bash', '{}', ?, 0, 0)`,
    );
    db.exec("BEGIN");
    for (let index = 0; index < 4_000; index++) insert.run(`t${index}`, `line ${index} of a long output\n`.repeat(400));
    db.exec("COMMIT");
    db.close();
    await run(world, ["worker", "start"]);
    const { pid } = lock(world);
    const megabytes = (field: string) =>
      Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
    await waitUntil("the work", () => log(world).includes("compressed 4,000 old tool outputs"));
    // Measured before and after: 39 to 47 and 18 MB with Node 24, 99 to 117 and 80 to 91 MB with Node 22.
    const before = megabytes("RssAnon");
    await waitUntil("its memory to be returned", () => megabytes("RssAnon") < before - 10, 25_000);
    expect(lock(world).pid).toBe(pid);
    expect(log(world)).not.toContain("restarting");
  });

  it("reads events that no hook reported, at its start and at the end of a turn", async () => {
    const world = createWorkerWorld();
    const folder = join(world.claudeDir, "projects", "x");
    mkdirSync(folder, { recursive: true });
    const line = (session: string, rest: object) =>
      `${JSON.stringify({ sessionId: session, cwd: world.project, version: "2", timestamp: new Date().toISOString(), ...rest })}\n`;
    const asked = (session: string, text: string) =>
      line(session, {
        type: "user",
        uuid: `${session}-u`,
        promptId: `${session}-p`,
        promptSource: "typed",
        message: { role: "user", content: text },
      });
    const said = (session: string, text: string) =>
      line(session, {
        type: "assistant",
        uuid: `${session}-a`,
        message: { id: `${session}-m`, role: "assistant", model: "m", content: [{ type: "text", text }] },
      });
    writeFileSync(join(folder, "old.jsonl"), asked("old", "From before.") + said("old", "An old answer."));
    const transcript = join(folder, "s1.jsonl");
    await prompt(world, "s1", "What now?");
    await waitUntil(
      "the old session",
      () => stored(world, "SELECT 1 FROM messages WHERE text = 'An old answer.'").length === 1,
    );
    writeFileSync(transcript, asked("s1", "What now?") + said("s1", "Words only the transcript has."));
    await end(world, "s1", "Done.", { transcript_path: transcript });
    await waitUntil(
      "its words",
      () => stored(world, "SELECT 1 FROM messages WHERE text LIKE 'Words only%'").length === 1,
    );
    await waitUntil("its memory", () => stored(world, "SELECT 1 FROM stale_memory").length === 0);
    expect(stored(world, "SELECT count(*) AS n FROM prompts")).toEqual([{ n: 2 }]);
  });

  it("runs waiting jobs once with `worker run --once`", async () => {
    const world = createWorld();
    await prompt(world, "s1", "One?");
    await end(world, "s1", "One.");
    const result = await run(world, ["worker", "run", "--once"]);
    expect(result).toMatchObject({ status: 0 });
    expect(result.stderr).toContain("stopped: nothing left to do");
    expect(await rows(world, "SELECT status FROM jobs")).toEqual([{ status: "done" }]);
  });

  it("gives up a job after three failures, says why, and retries on request", async () => {
    const world = createWorld();
    await prompt(world, "s1", "One?");
    await rows(world, "SELECT 1");
    const db = new DatabaseSync(join(world.home, "c-mem.db"));
    db.exec(
      `INSERT INTO jobs (kind, key, status, attempts, run_after, last_error, created_at) VALUES ('session', 'session:s1', 'failed', 3, 0, 'no reason', 0)`,
    );
    db.close();
    expect(await data(world, ["worker"])).toMatchObject({
      jobs: { failed: 1 },
      troubled: [{ key: "session:s1", status: "failed", attempts: 3, last_error: "no reason", next_try: null }],
    });
    expect((await run(world, ["doctor"])).stdout).toContain("1 job failed; e.g. session:s1: no reason");
    expect(await data(world, ["worker", "retry"])).toEqual({ retried: 1, models: 0 });
    await run(world, ["worker", "run", "--once"]);
    expect(await data(world, ["worker"])).toMatchObject({ jobs: { pending: 0, failed: 0 } });
    expect((await run(world, ["worker", "retry"])).status).toBe(4);
  });

  it("is stopped by uninstall", async () => {
    const world = createWorkerWorld();
    execFileSync("git", ["init", "-q"], { cwd: world.project });
    await run(world, ["install", "--yes", "--method", "settings"]);
    await waitUntil("a worker", () => isAlive(lock(world).pid));
    const { pid } = lock(world);
    expect((await run(world, ["uninstall", "--yes", "--purge"])).status).toBe(0);
    await waitUntil("its end", () => !isAlive(pid));
    expect(() => statSync(world.home)).toThrow("ENOENT");
  });
});
