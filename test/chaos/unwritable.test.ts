// Hooks work while the database or its folder cannot be written, and each of their events is stored once afterwards.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { findFallbackSpool } from "../../src/capture/live/spool.ts";
import { MIGRATIONS } from "../../src/store/db/migrate.ts";
import { openStore } from "../../src/store/db/open.ts";
import { createWorld, hook, rows, run, type World } from "../e2e/harness.ts";

const use = (world: World, index: number) =>
  hook(world, "save", {
    session_id: "s",
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: `t${index}`,
    tool_input: { command: `echo ${index}` },
    tool_response: { stdout: String(index) },
  });
const uses = (world: World) =>
  rows(
    world,
    "SELECT count(*) AS n, count(DISTINCT tool_use_id) AS ids, (SELECT sum(count) FROM hook_runs WHERE hook = 'save') AS runs FROM tool_uses",
  );
const database = (world: World) => join(world.home, "c-mem.db");

/** Changes permissions, or remounts a disk for root, who ignores permissions. Undefined if mounting is not allowed. */
function readOnlyDisk(world: World): ((isReadOnly: boolean) => void) | undefined {
  mkdirSync(world.home, { recursive: true, mode: 0o700 });
  if (process.getuid?.() !== 0) {
    return (isReadOnly) => {
      for (const folder of [world.home, join(world.home, "spool")]) chmodSync(folder, isReadOnly ? 0o500 : 0o700);
    };
  }
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=32m,mode=700", "c-mem-test", world.home]).status !== 0)
    return undefined;
  onTestFinished(() => void spawnSync("umount", ["-l", world.home]));
  return (isReadOnly) => void spawnSync("mount", ["-o", `remount,${isReadOnly ? "ro" : "rw"}`, world.home]);
}

describe("hooks keep recording and nothing is lost", () => {
  it("while the data directory is read-only, and after", async ({ skip }) => {
    const world = createWorld();
    const setReadOnly = readOnlyDisk(world);
    if (setReadOnly === undefined) return skip("mounting is not allowed here");
    await use(world, 0);
    await run(world, ["projects"]);
    await use(world, 1);
    setReadOnly(true);
    for (let index = 2; index < 6; index++) await use(world, index);
    const reader = await run(world, ["list", "--all"]);
    expect(reader.status).toBe(1);
    expect(reader.stderr).toMatch(/cannot be (?:written|opened)/);
    expect(
      await hook(world, "context", { session_id: "n", hook_event_name: "SessionStart", source: "startup" }),
    ).toBeDefined();
    setReadOnly(false);
    await use(world, 6);
    expect(await uses(world)).toEqual([{ n: 7, ids: 7, runs: 7 }]);
    expect(findFallbackSpool(join(world.home, "spool"))).toBeUndefined();
  });

  it("except in a temporary folder that another user could have created", async ({ skip }) => {
    const world = createWorld();
    const setReadOnly = readOnlyDisk(world);
    if (setReadOnly === undefined) return skip("mounting is not allowed here");
    await use(world, 0);
    setReadOnly(true);
    await use(world, 1);
    const folder = findFallbackSpool(join(world.home, "spool")) ?? "";
    expect(lstatSync(folder).mode & 0o777).toBe(0o700);
    // Like another user's folder with a forged event.
    const planted = mkdtempSync(join(tmpdir(), "c-mem-planted-"));
    cpSync(folder, planted, { recursive: true });
    rmSync(folder, { recursive: true });
    symlinkSync(planted, folder);
    onTestFinished(() => rmSync(folder));
    await use(world, 2);
    setReadOnly(false);
    expect(await uses(world)).toEqual([{ n: 1, ids: 1, runs: 1 }]);
  });

  it("while the database is locked for longer than any timeout", async () => {
    const world = createWorld();
    await use(world, 0);
    await run(world, ["projects"]);
    const writer = new DatabaseSync(database(world));
    writer.exec("BEGIN EXCLUSIVE");
    for (let index = 1; index < 5; index++) await use(world, index);
    const reader = await run(world, ["projects"]);
    expect([reader.status, reader.stderr]).toEqual([1, expect.stringContaining("busy")]);
    writer.exec("ROLLBACK");
    writer.close();
    expect(await uses(world)).toEqual([{ n: 5, ids: 5, runs: 5 }]);
  });

  it("while the marker of a killed restore exists, and after", async () => {
    const world = createWorld();
    await use(world, 0);
    await run(world, ["projects"]);
    const marker = { pid: 999_999_999, machine: "another", aside: join(world.home, "set-aside", "then") };
    writeFileSync(`${database(world)}.swap`, JSON.stringify(marker));
    await use(world, 1);
    expect(
      await hook(world, "context", { session_id: "n", hook_event_name: "SessionStart", source: "startup" }),
    ).toBeDefined();
    expect(await uses(world)).toEqual([{ n: 2, ids: 2, runs: 2 }]);
  });
});

describe("two versions on one database", () => {
  /** Changes the schema like a newer version. */
  function upgrade(world: World, breaking: boolean): void {
    const db = new DatabaseSync(database(world));
    db.exec("ALTER TABLE tool_uses ADD COLUMN colour TEXT; CREATE TABLE novelties (id INTEGER PRIMARY KEY) STRICT;");
    db.prepare("INSERT INTO migrations VALUES (1000, 'novelties', ?, 1)").run(Number(breaking));
    db.close();
  }

  it("work if the schema is newer but compatible", async () => {
    const world = createWorld();
    await use(world, 0);
    await run(world, ["projects"]);
    upgrade(world, false);
    await use(world, 1);
    expect((await run(world, ["worker", "run", "--once"])).status).toBe(0);
    expect((await run(world, ["search", "echo", "--all"])).status).toBe(0);
    expect(await uses(world)).toEqual([{ n: 2, ids: 2, runs: 2 }]);
    expect((await run(world, ["backup", "create"])).status).toBe(0);
    expect((await run(world, ["backup", "restore", "--yes"])).status).toBe(0);
  });

  it("do not work if the newer schema is breaking: the older version says what to do, and its hooks spool", async () => {
    const world = createWorld();
    await use(world, 0);
    await run(world, ["projects"]);
    upgrade(world, true);
    await use(world, 1);
    await hook(world, "context", { session_id: "n", hook_event_name: "SessionStart", source: "startup" });
    for (const command of [
      ["list", "--all"],
      ["search", "echo"],
      ["forget", "echo", "-y"],
      ["backup", "create"],
    ]) {
      const { status, stderr } = await run(world, command);
      expect([command, status, stderr]).toEqual([
        command,
        1,
        expect.stringMatching(/newer c-mem[^]*Update this c-mem/),
      ]);
    }
    const worker = await run(world, ["worker", "run", "--once"]);
    expect(worker.stderr).toContain("newer c-mem");
    expect((await run(world, ["doctor"])).stdout).toContain("newer c-mem");
    // The older version wrote nothing to the database, and its hooks' events wait for the newer one.
    const db = new DatabaseSync(database(world));
    expect(db.prepare("SELECT count(*) AS n FROM tool_uses").get()).toEqual({ n: 1 });
    db.exec("DELETE FROM migrations WHERE id = 1000");
    db.close();
    expect(await uses(world)).toEqual([{ n: 2, ids: 2, runs: 2 }]);
  });

  it("share the spool: the newer one migrates the database after a backup and reads drops of older hooks", async () => {
    const world = createWorld();
    const older = openStore(database(world), { migrations: MIGRATIONS.slice(0, -1) });
    older.run("INSERT INTO projects (key, name, root, created_at) VALUES ('k', 'old', '/old', 1)");
    older.close();
    await use(world, 1);
    // A hook does not migrate, because it cannot wait for the backup.
    await hook(world, "context", { session_id: "n", hook_event_name: "SessionStart", source: "startup" });
    expect(readdirSync(world.home)).not.toContain("backups");
    expect(await uses(world)).toEqual([{ n: 1, ids: 1, runs: 1 }]);
    expect(readdirSync(join(world.home, "backups"))).toEqual([expect.stringContaining("-migration.db")]);
    expect(await rows(world, "SELECT count(*) AS n FROM projects WHERE name = 'old'")).toEqual([{ n: 1 }]);
    expect(await rows(world, "SELECT count(*) AS n FROM migrations")).toEqual([{ n: MIGRATIONS.length }]);
  });
});
