// A damaged database as users see it: hooks keep recording, one process repairs the database and reports that.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { createWorld, data, hook, rows, run, type World } from "../e2e/harness.ts";

const say = (world: World, id: string) =>
  hook(world, "new", {
    session_id: `session-${id}`,
    prompt_id: `p-${id}`,
    hook_event_name: "UserPromptSubmit",
    prompt: `prompt ${id}`,
  });
const start = (world: World) =>
  hook(world, "context", { session_id: "session-next", hook_event_name: "SessionStart", source: "startup" });
const database = (world: World) => join(world.home, "c-mem.db");
const texts = async (world: World) =>
  (await rows<{ text: string }>(world, "SELECT text FROM prompts ORDER BY id")).map((row) => row.text);
const quarantine = (world: World) => {
  const folder = join(world.home, "set-aside");
  return existsSync(folder) ? readdirSync(folder) : [];
};

async function seeded(): Promise<World> {
  const world = createWorld();
  await say(world, "a");
  await run(world, ["backup", "create"]);
  await say(world, "b");
  await run(world, ["projects"]);
  return world;
}

function wreck(world: World): void {
  // Empty the write-ahead log: SQLite would read the damaged pages from it.
  const db = new DatabaseSync(database(world));
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  const bytes = readFileSync(database(world));
  writeFileSync(database(world), bytes.fill(0x41, 0, 4096));
}

/** Damages the last page of the table's rows, which is noticed only when that page is read. */
function wreckPageOf(world: World, table: string): void {
  const db = new DatabaseSync(database(world));
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const { page, size } = db
    .prepare("SELECT max(pageno) AS page, pgsize AS size FROM dbstat WHERE name = ? AND pagetype = 'leaf'")
    .get(table) as { page: number; size: number };
  db.close();
  const bytes = readFileSync(database(world));
  writeFileSync(database(world), bytes.fill(0x5a, (page - 1) * size, page * size));
}

describe("a damaged database", () => {
  it("is repaired by the next command, which says so, while hooks keep recording", async () => {
    const world = await seeded();
    wreck(world);
    await say(world, "c");
    expect(await start(world)).toMatchObject({ systemMessage: expect.stringContaining("damaged") });
    const result = await run(world, ["list", "--all"]);
    expect(result.status).toBe(0);
    expect(result.stderr).toContain("was restored");
    expect(await texts(world)).toEqual(["prompt a", "prompt c"]);
    expect(quarantine(world)).toHaveLength(1);
    expect(await start(world)).toMatchObject({ systemMessage: expect.stringContaining("has been repaired") });
    for (const command of ["status", "doctor"]) {
      expect((await run(world, [command])).stdout).toContain("was damaged and replaced");
    }
  });

  it("is repaired if a running command finds the damage, and the command asks to be run again", async () => {
    const world = await seeded();
    wreckPageOf(world, "sessions");
    const result = await run(world, ["list", "--all"]);
    expect(result.status).toBe(1);
    expect(result.stderr).toMatch(/was restored[^]*has been repaired[^]*Run the command again/);
    expect((await run(world, ["list", "--all"])).status).toBe(0);
    expect(quarantine(world)).toHaveLength(1);
  });

  it("is repaired without losing what was piped into the command", async () => {
    const world = await seeded();
    wreck(world);
    const result = await run(world, ["remember", "-"], { input: "Deploys go through make" });
    expect(result.stderr).toContain("was restored");
    expect(result.stdout).toContain("Deploys go through make");
    expect(result.status).toBe(0);
  });

  it("with a secret in it is repaired by audit --fix", async () => {
    const world = await seeded();
    const secret = `gh${"p"}_${"a1B2c3D4e5F6".repeat(3)}`;
    const db = new DatabaseSync(database(world));
    db.prepare("UPDATE prompts SET text = ?").run(`Deploy with ${secret}`);
    db.close();
    wreck(world);
    const { stderr } = await run(world, ["audit", "--fix"]);
    expect(stderr).toContain("was restored");
    expect(stderr).not.toMatch(/^c-mem\.db: /m);
    expect(await texts(world)).toEqual(["prompt a"]);
    expect(readFileSync(database(world), "latin1")).not.toContain(secret);
  });

  it("is repaired once, whichever process comes first: hooks exit 0, readers answer or say what to do", async () => {
    const world = await seeded();
    wreck(world);
    const hooks = Array.from({ length: 6 }, (_, index) => say(world, `h${index}`));
    const readers = Array.from({ length: 6 }, () => run(world, ["list", "--all"]));
    await Promise.all(hooks);
    for (const { status, stderr } of await Promise.all(readers)) {
      if (status !== 0) expect(stderr).toMatch(/being replaced|is repairing it|has been repaired/);
    }
    expect(quarantine(world)).toHaveLength(1);
    const found = await texts(world);
    expect(found.toSorted()).toEqual(["prompt a", ...Array.from({ length: 6 }, (_, index) => `prompt h${index}`)]);
  });

  it("is repaired by the worker", async () => {
    const world = await seeded();
    wreck(world);
    await say(world, "c");
    await run(world, ["worker", "run", "--once"]);
    const db = new DatabaseSync(database(world), { readOnly: true });
    expect(db.prepare("SELECT text FROM prompts ORDER BY id").all()).toMatchObject([
      { text: "prompt a" },
      { text: "prompt c" },
    ]);
    db.close();
    expect(readFileSync(join(world.home, "logs", "worker.log"), "utf8")).toContain("repaired: the damaged file is in");
  });

  it("is found and repaired by doctor --deep if the damaged page was never read", async () => {
    const world = await seeded();
    await damageUnreadPage(world);
    const first = await deepChecks(world);
    expect(first.get("database, page by page")).toMatchObject({
      state: "warn",
      message: expect.stringContaining("damaged"),
    });
    expect(quarantine(world)).toHaveLength(1);
    const again = await deepChecks(world);
    for (const name of ["database, page by page", "search index", "transcripts"])
      expect(again.get(name)).toMatchObject({ state: "ok" });
    expect((await texts(world)).length).toBe(2);
  });

  it("is repaired by doctor --fix, which says what it did", async () => {
    const world = await seeded();
    await damageUnreadPage(world);
    const { stdout } = await run(world, ["doctor"]);
    expect(stdout).toMatch(/^FAIL {2}database: .*damaged.*\n.*c-mem doctor --fix/m);
    const fixed = await run(world, ["doctor", "--fix"]);
    expect(fixed.stdout).toMatch(/^fixed {6}database: The backup .* was restored, /m);
    expect(fixed.stdout).toMatch(/^ok {4}database: opens and is intact$/m);
    expect(quarantine(world)).toHaveLength(1);
    expect((await texts(world)).length).toBe(2);
  });

  it("that lost rows is found by comparing it with the transcripts", async () => {
    const world = createWorld();
    const SESSION = "11111111-2222-4333-8444-555555555555";
    const shared = { sessionId: SESSION, cwd: world.project, timestamp: "2026-01-01T10:00:00.000Z", version: "2.1.0" };
    const lines = [
      { ...shared, uuid: "u1", type: "user", promptId: "p1", message: { role: "user", content: "why" } },
      {
        ...shared,
        uuid: "u2",
        type: "assistant",
        message: { id: "msg1", role: "assistant", model: "m", content: [{ type: "text", text: "because" }] },
      },
    ];
    const folder = join(world.claudeDir, "projects", "-app");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${SESSION}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await run(world, ["sync", "--quiet"]);
    expect((await deepChecks(world)).get("transcripts")).toMatchObject({ state: "ok" });
    const db = new DatabaseSync(database(world));
    db.exec("DELETE FROM messages; DELETE FROM turns_fts");
    db.close();
    const checks = await deepChecks(world);
    expect(checks.get("transcripts")).toMatchObject({ state: "warn", fix: "Run: c-mem sync --force" });
    expect(await data(world, ["doctor", "--deep", "--fix"])).toMatchObject({
      results: expect.arrayContaining([expect.objectContaining({ name: "transcripts", state: "ok" })]),
      fixed: expect.arrayContaining([
        expect.objectContaining({ name: "transcripts", done: "read 1 transcript again", is_fixed: true }),
      ]),
    });
  });

  it("that was overwritten with text is quarantined", async () => {
    const world = await seeded();
    writeFileSync(database(world), "this is my diary\n".repeat(1_000));
    expect(await texts(world)).toEqual(["prompt a"]);
    const [folder = ""] = quarantine(world);
    expect(readFileSync(join(world.home, "set-aside", folder, "c-mem.db"), "utf8")).toContain("my diary");
  });
});

async function deepChecks(world: World): Promise<Map<string, Record<string, string>>> {
  const { results } = (await data(world, ["doctor", "--deep"])) as unknown as { results: Record<string, string>[] };
  return new Map(results.map((check) => [check["name"] ?? "", check]));
}

function addUse(world: World, index: number): Promise<unknown> {
  return hook(world, "save", {
    session_id: "session-a",
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: `t${index}`,
    tool_input: { command: `echo ${index}` },
    tool_response: { stdout: "x".repeat(1_500) },
  });
}

/** Damages a page that no command reads. */
async function damageUnreadPage(world: World): Promise<void> {
  for (let index = 0; index < 60; index++) await addUse(world, index);
  await run(world, ["projects"]);
  wreckPageOf(world, "tool_uses");
}
