// Files that could make `c-mem import` run forever or run out of memory.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, vi } from "vitest";
import { EXPORT_VERSION } from "../../src/capture/import/read-export.ts";
import { BIN, createWorld, data, rows, run, type World } from "../e2e/harness.ts";

function databaseOf(world: World, sql: string): string {
  const path = join(world.project, "foreign.db");
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
  return path;
}

const ENDLESS = "WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)";

/** Importing this takes minutes: without an index, every session scans all observations. */
const SLOW = `CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, claude_session_id TEXT, sdk_session_id TEXT, project TEXT, started_at_epoch INTEGER);
       CREATE TABLE observations (id INTEGER PRIMARY KEY, sdk_session_id TEXT);
       INSERT INTO sdk_sessions ${ENDLESS} SELECT id, 's' || id, 'k' || id, 'shop', 1759305600000 FROM n LIMIT 20000;
       INSERT INTO observations ${ENDLESS} SELECT id, 'x' FROM n LIMIT 300000;`;

describe("import", () => {
  it.each([
    ["an endless device", () => "/dev/zero", "not a regular file"],
    [
      "a pipe without a writer",
      (world: World) => {
        const path = join(world.project, "pipe");
        execFileSync("mkfifo", [path]);
        return path;
      },
      "not a regular file",
    ],
    ["a folder", (world: World) => world.project, "a folder"],
    [
      "a database whose WAL file is a pipe",
      (world: World) => {
        const path = databaseOf(world, "CREATE TABLE x (id)");
        execFileSync("mkfifo", [`${path}-wal`]);
        return path;
      },
      "not a regular file",
    ],
  ])("rejects %s immediately", async (_, path, words) => {
    const world = createWorld();
    const { status, stderr } = await run(world, ["import", path(world)]);
    expect([status, stderr]).toEqual([1, expect.stringMatching(`could not be read: it is ${words}`)]);
  });

  it.each([
    ["claude-mem with an endless view of sessions", `CREATE VIEW sdk_sessions AS ${ENDLESS} SELECT id FROM n;`],
    [
      "memory-nexus with an endless view of sessions",
      `CREATE VIEW sessions AS ${ENDLESS} SELECT id FROM n; CREATE TABLE messages_meta (id); CREATE TABLE tool_uses (id);`,
    ],
    [
      "C-Mem with an endless view of prompts",
      `CREATE TABLE migrations (id); CREATE TABLE tombstones (kind, hash); CREATE VIEW prompts AS ${ENDLESS} SELECT id FROM n;`,
    ],
    [
      "claude-mem with a computed column",
      `CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, claude_session_id AS (hex(zeroblob(100000000)))); INSERT INTO sdk_sessions VALUES (1);`,
    ],
  ])("rejects a database of %s", async (_, sql) => {
    const world = createWorld();
    const { status, stderr } = await run(world, ["import", databaseOf(world, sql)]);
    expect([status, stderr]).toEqual([1, expect.stringContaining("is not a database that C-Mem can import")]);
  });

  it("reads the tables of a database, not its endless views", async () => {
    const world = createWorld();
    const file = databaseOf(
      world,
      `CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, claude_session_id TEXT, sdk_session_id TEXT, project TEXT, user_prompt TEXT, started_at_epoch INTEGER);
       INSERT INTO sdk_sessions VALUES (1, 'one', 'sdk', 'shop', 'add a basket', 1759305600000);
       CREATE VIEW observations AS ${ENDLESS} SELECT id, 'sdk' AS sdk_session_id, 'x' AS text FROM n;
       CREATE VIEW user_prompts AS ${ENDLESS} SELECT id, 1 AS session_db_id, 'x' AS prompt_text FROM n;`,
    );
    expect(await data(world, ["import", file])).toMatchObject({ added: { sessions: 1, prompts: 1 }, refused: 0 });
    expect(await rows(world, "SELECT text FROM prompts")).toEqual([{ text: "add a basket" }]);
  });

  it("stops when its time is up", async () => {
    const world = createWorld();
    const file = databaseOf(world, SLOW);
    const startedAt = performance.now();
    const { status, stderr } = await run(world, ["import", file, "--timeout", "4"]);
    expect([status, stderr]).toEqual([1, expect.stringContaining("was stopped after 4 seconds")]);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(await rows(world, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  });

  it("stops its child process when it is stopped", async () => {
    const world = createWorld();
    const file = databaseOf(world, SLOW);
    const child = spawn(process.execPath, [BIN, "import", file], {
      cwd: world.project,
      env: world.env,
      stdio: "ignore",
    });
    const ended = new Promise((done) => child.once("close", done));
    const inner = await vi.waitFor(
      () => {
        const [pid = ""] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ");
        expect(pid).not.toBe("");
        return pid;
      },
      { timeout: 20_000 },
    );
    child.kill("SIGTERM");
    expect(await ended).toBe(130);
    expect(existsSync(`/proc/${inner}`)).toBe(false);
  });

  it("uses little memory for 6 MB of brackets, on a line or in a column", async () => {
    const world = createWorld();
    const file = join(world.project, "deep.jsonl");
    const head = JSON.stringify({ c_mem_export: EXPORT_VERSION });
    const brackets = "[".repeat(6_000_000);
    const column = JSON.stringify({ table: "tool_uses", row: { id: 1, input: brackets } });
    writeFileSync(file, [head, brackets, column, JSON.stringify({ end: true })].join("\n"));
    expect(await data(world, ["import", file])).toMatchObject({ refused: 2, added: {} });
    expect(await peakMb(world, ["import", file])).toBeLessThan((await peakMb(world, ["list"])) + 120);
    writeFileSync(file, brackets);
    expect((await run(world, ["import", file])).stderr).toContain("is not a file that C-Mem can import");
  });
});

/** The largest peak memory of the command's process and its child processes. */
async function peakMb(world: World, args: string[]): Promise<number> {
  const child = spawn(process.execPath, [BIN, ...args], { cwd: world.project, env: world.env, stdio: "ignore" });
  let peak = 0;
  const measure = (pid: number): void => {
    try {
      const [, kb] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
      peak = Math.max(peak, Number(kb ?? 0) / 1024);
      for (const childPid of readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" "))
        if (childPid !== "") measure(Number(childPid));
    } catch {
      // The process has exited.
    }
  };
  const timer = setInterval(() => measure(child.pid ?? 0), 5);
  await new Promise((done) => child.on("close", done));
  clearInterval(timer);
  return peak;
}
