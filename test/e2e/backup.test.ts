// c-mem backup: create, list, verify and restore, without losing events that hooks record meanwhile.
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createWorld, data, hook, rows, run, type World } from "./harness.ts";

const say = (world: World, id: string, prompt: string) =>
  hook(world, "new", {
    session_id: `session-${id}`,
    prompt_id: `p-${id}`,
    hook_event_name: "UserPromptSubmit",
    prompt,
  });
const prompts = (world: World) => rows<{ text: string }>(world, "SELECT text FROM prompts ORDER BY created_at, id");
const texts = async (world: World) => (await prompts(world)).map((row) => row.text);
const backups = (world: World) =>
  readdirSync(join(world.home, "backups"))
    .filter((name) => name.endsWith(".db"))
    .map((name) => join(world.home, "backups", name));

describe("c-mem backup", () => {
  it("creates, lists, verifies and restores; the old database is quarantined, newer rows are kept", async () => {
    const world = createWorld();
    await say(world, "a", "before the backup");
    const made = await data(world, ["backup", "create"]);
    expect(made).toMatchObject({ kind: "manual", contents: { sessions: 1, prompts: 1 }, removed: [] });
    await say(world, "b", "after the backup");
    expect(await texts(world)).toEqual(["before the backup", "after the backup"]);
    await say(world, "c", "still in the spool");
    const dry = await data(world, ["backup", "restore", "--dry-run"]);
    expect(dry).toMatchObject({ applied: false, contents: { prompts: 1 } });
    expect(existsSync(join(world.home, "set-aside"))).toBe(false);

    const unasked = await run(world, ["backup", "restore"]);
    expect(unasked.status).not.toBe(0);
    const restored = await data(world, ["backup", "restore", "--yes"]);
    expect(restored).toMatchObject({ applied: true, contents: { prompts: 1 } });
    expect(await texts(world)).toEqual(["before the backup", "still in the spool"]);
    const aside = join(String(restored["set_aside"]), "c-mem.db");
    expect(statSync(aside).mode & 0o777).toBe(0o600);

    // A restore can be undone: the quarantined database works like any backup.
    await run(world, ["backup", "restore", aside, "--yes"]);
    expect(await texts(world)).toEqual(expect.arrayContaining(["before the backup", "after the backup"]));
  });

  it("skips a damaged backup, and names it", async () => {
    const world = createWorld();
    await say(world, "a", "first");
    await run(world, ["backup", "create"]);
    await say(world, "b", "second");
    await run(world, ["backup", "create"]);
    const [older = "", newer = ""] = backups(world).sort();
    truncateSync(newer, 8192);
    const verified = await run(world, ["backup", "verify", "--json"]);
    expect(verified.status).toBe(1);
    expect(JSON.parse(verified.stdout)).toMatchObject({
      data: {
        results: [
          { path: newer, contents: null },
          { path: older, contents: { prompts: 1 } },
        ],
      },
    });
    expect((await run(world, ["backup", "restore", newer, "--yes"])).stderr).toContain("cannot be restored");
    expect(await data(world, ["backup", "restore", "--yes"])).toMatchObject({ backup: older });
    for (const which of ["1999", "/etc/hostname"])
      expect((await run(world, ["backup", "restore", which, "-y"])).status).not.toBe(0);
    expect(await texts(world)).toEqual(["first"]);
  });

  it("loses no events if hooks fire and commands read during a restore", async () => {
    const world = createWorld();
    await say(world, "a", "kept");
    await run(world, ["backup", "create"]);
    // The restore waits for the last writer, then replaces the database.
    const writer = new DatabaseSync(join(world.home, "c-mem.db"));
    writer.exec("BEGIN IMMEDIATE");
    const restoring = run(world, ["backup", "restore", "--yes"]);
    await vi.waitFor(() => statSync(join(world.home, "c-mem.db.swap")), 30_000);
    const said: string[] = [];
    const progress = { isOver: false };
    void restoring.then(() => (progress.isOver = true));
    const seen: (number | null)[] = [];
    for (let index = 0; !progress.isOver; index++) {
      await say(world, `h${index}`, `meanwhile ${index}`);
      said.push(`meanwhile ${index}`);
      const reader = await run(world, ["list", "--all"]);
      seen.push(reader.status);
      if (reader.status === 1) expect(reader.stderr).toContain("is being replaced");
      if (index === 1) writer.close();
    }
    expect((await restoring).status).toBe(0);
    const there = new Set([...(await texts(world)), ...asideTexts(world)]);
    expect(said.filter((text) => !there.has(text))).toEqual([]);
    expect(seen.slice(0, 2)).toEqual([1, 1]);
  });

  it("stops a running worker, and a new one uses the restored database", async () => {
    const world = createWorld();
    world.env["C_MEM_WORKER"] = "1";
    onTestFinished(async () => {
      await run(world, ["worker", "stop"]);
    });
    await say(world, "a", "kept");
    await run(world, ["backup", "create"]);
    await run(world, ["worker", "start"]);
    const before = await data(world, ["worker", "status"]);
    await say(world, "b", "later");
    expect((await run(world, ["backup", "restore", "--yes"])).status).toBe(0);
    await say(world, "c", "after");
    await run(world, ["worker", "start"]);
    const after = await data(world, ["worker", "status"]);
    expect([before["running"], after["running"], before["pid"] === after["pid"]]).toEqual([true, true, false]);
    const found = await texts(world);
    expect(found).toEqual(expect.arrayContaining(["kept", "after"]));
    expect([...found, ...asideTexts(world)]).toContain("later");
  });

  it("completes or rolls back a restore after kill -9 at any moment", async () => {
    for (const delay of [150, 400, 900, 1250, 1350, 1450]) {
      const world = createWorld();
      await say(world, "a", "kept");
      await run(world, ["backup", "create"]);
      await say(world, "b", "later");
      await run(world, ["projects"]);
      await run(world, ["backup", "restore", "--yes"], {
        onStart: (child) => void setTimeout(delay).then(() => child.kill("SIGKILL")),
      });
      await say(world, "c", "after the kill");
      const found = await texts(world);
      expect(found).toContain("kept");
      expect(found).toContain("after the kill");
      expect([...found, ...asideTexts(world)]).toContain("later");
      expect(readdirSync(world.home).filter((name) => /swap|incoming/.test(name))).toEqual([]);
    }
  });

  it("runs once a day in the idle worker", async () => {
    const world = createWorld();
    await say(world, "a", "something to keep");
    await run(world, ["worker", "run", "--once"]);
    expect(backups(world)).toEqual([expect.stringContaining("-daily.db")]);
    await say(world, "b", "more");
    await run(world, ["worker", "run", "--once"]);
    expect(backups(world)).toHaveLength(1);
    const log = readFileSync(join(world.home, "logs", "worker.log"), "utf8");
    expect(log).toContain("backup c-mem-");
  });

  it("does not run in the worker if disabled in the settings", async () => {
    const world = createWorld();
    await say(world, "a", "something");
    writeFileSync(join(world.home, "config.json"), JSON.stringify({ backupsDaily: 0 }));
    await run(world, ["worker", "run", "--once"]);
    expect(existsSync(join(world.home, "backups"))).toBe(false);
  });
});

function asideTexts(world: World): string[] {
  const folder = join(world.home, "set-aside");
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /c-mem\.db(?:-wal)?$/.test(name))
    .flatMap((name) => readFileSync(join(folder, name), "latin1").match(/meanwhile \d+|later/g) ?? []);
}
