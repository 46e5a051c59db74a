// c-mem audit finds and removes secrets that were written everywhere in the data directory past the filter.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openFallbackSpool } from "../../src/capture/live/spool.ts";
import { openDriver } from "../../src/store/db/driver.ts";
import { migrate, MIGRATIONS } from "../../src/store/db/migrate.ts";
import { ALNUM, HEX, seeded } from "../secrets/random.ts";
import { allBytes, createWorld, data, hook, rows, run, type World } from "./harness.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";
const random = seeded(42);
const github = (): string => `gh${"p"}_${random.text(ALNUM, 36)}`;
const password = (): string => `pw${random.text(HEX, 14)}`;

interface Planted {
  /** The place that the audit should report. */
  place: { file: string; table?: string; column?: string };
  secret: string;
}

async function worldWithHistory(): Promise<World> {
  const world = createWorld();
  await hook(world, "new", { session_id: SESSION, hook_event_name: "UserPromptSubmit", prompt: "Look at the deploy" });
  await hook(world, "save", {
    session_id: SESSION,
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: "toolu_1",
    tool_input: { command: "make deploy" },
    tool_response: { stdout: "deployed to staging", stderr: "" },
  });
  await hook(world, "summary", { session_id: SESSION, hook_event_name: "Stop", last_assistant_message: "Deployed." });
  await run(world, ["rebuild", "--all"]);
  await run(world, ["remember", "Deploys go through make", "--type", "decision"]);
  return world;
}

function plantRows(path: string, file: string): Planted[] {
  const planted: Planted[] = [];
  const db = new DatabaseSync(path);
  const plant = (table: string, column: string, text: (secret: string) => string, secret = github()): void => {
    db.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = (SELECT min(rowid) FROM ${table})`).run(text(secret));
    planted.push({ place: { file, table, column }, secret });
  };
  plant("tool_uses", "output", (secret) => `remote: https://x:${secret}@github.com`);
  plant(
    "tool_uses",
    "input",
    (secret) => JSON.stringify({ command: "login", env: { DB_PASSWORD: secret } }),
    password(),
  );
  plant("prompts", "text", (secret) => `Deploy with ${secret} please`);
  plant("prompts", "response", (secret) => `I used password=${secret}`, password());
  plant("sessions", "title", (secret) => `Token ${secret}`);
  plant("sessions", "cwd", (secret) => `/srv/${secret}`);
  plant("observations", "narrative", (secret) => `We keep <private>${secret}</private> here`, password());
  plant("observations", "facts", (secret) => JSON.stringify([`The key is ${secret}`]));
  plant("jobs", "last_error", (secret) => `401 for ${secret}`);
  db.prepare("DELETE FROM index_state WHERE name = 'unclean'").run();
  // Deleted rows leave their bytes on free pages.
  const dead = password();
  db.exec("PRAGMA secure_delete = OFF");
  db.prepare(
    "INSERT INTO messages (session_db_id, prompt_number, uuid, role, text, created_at) VALUES (1, 1, 'gone', 'assistant', ?, 1)",
  ).run(`DB_PASSWORD=${dead}\n`.repeat(2000));
  db.prepare("DELETE FROM messages WHERE uuid = 'gone'").run();
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  planted.push({ place: { file }, secret: dead });
  return planted;
}

function plantFiles({ home }: World): Planted[] {
  const write = (file: string, text: (secret: string) => string | Buffer, secret = github()): Planted => {
    mkdirSync(join(home, file, ".."), { recursive: true });
    writeFileSync(join(home, file), text(secret));
    return { place: { file }, secret };
  };
  return [
    write("logs/hook.log", (secret) => `{"at":"2026-01-01T00:00:00Z","hook":"save","message":"bad ${secret}"}\n`),
    write("logs/worker.log", (secret) => `something fell over: password="${secret}"\n`, password()),
    write(
      "spool/bad/1.json",
      (secret) => JSON.stringify({ activity: { kind: "prompt", text: `<private>${secret}` } }),
      password(),
    ),
    write("shown/x.log", (secret) => `o1 ${secret}\n`),
    write("shown/compiled.bin", (secret) => Buffer.from(`\0\x01${secret}\0`)),
    write("archive/claude-code/stray.jsonl.gz", (secret) => gzipSync(`{"text":"${secret}"}\n`)),
    write("backups/claude-settings-2026.json", (secret) => JSON.stringify({ env: { API_KEY: secret } })),
  ];
}

/** All bytes, also decompressed, in lower case like the words in an index. */
function allText(home: string): string {
  const packed = readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".gz"))
    .map((name) => gunzipSync(readFileSync(join(home, name))).toString());
  return [allBytes(home), ...packed].join("\n").toLowerCase();
}

describe("c-mem audit", () => {
  it("finds nothing in filtered data", async () => {
    const world = await worldWithHistory();
    await hook(world, "save", {
      session_id: SESSION,
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_use_id: "toolu_2",
      tool_input: { command: `export TOKEN=${github()}` },
      tool_response: { stdout: `DB_PASSWORD=${password()} <private>x</private>` },
    });
    expect(await run(world, ["audit"])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Clean\. Checked/),
    });
    await run(world, ["rebuild", "--all"]);
    const { status, stdout } = await run(world, ["audit", "--json"]);
    expect({ status, data: (JSON.parse(stdout) as { data: object }).data }).toMatchObject({
      status: 0,
      data: { clean: true, results: [], unreadable: [] },
    });
  });

  it("reads compressed outputs and removes secrets from them", async () => {
    const world = await worldWithHistory();
    const secret = github();
    const db = new DatabaseSync(join(world.home, "c-mem.db"));
    const packed = zstdCompressSync(`${"plain text ".repeat(200)} token ${secret}`);
    db.prepare("UPDATE tool_uses SET output = NULL, packed = ?").run(packed);
    db.close();
    const found = (await data(world, ["audit"])) as unknown as { results: { table?: string; column?: string }[] };
    expect(found.results).toContainEqual(expect.objectContaining({ table: "tool_uses", column: "output" }));
    expect((await run(world, ["audit", "--fix"])).status).toBe(0);
    const [row] = await rows<{ output: string; packed: unknown }>(world, "SELECT output, packed FROM tool_uses");
    expect([row?.output.includes("[redacted:"), row?.packed]).toEqual([true, null]);
  });

  it("lists the place of every planted secret without printing it", async () => {
    const world = await worldWithHistory();
    const planted = [...plantRows(join(world.home, "c-mem.db"), "c-mem.db"), ...plantFiles(world)];
    const { status, stdout, stderr } = await run(world, ["audit", "--json"]);
    expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
    const { results } = (JSON.parse(stdout) as { data: { results: Planted["place"][] } }).data;
    for (const { place } of planted) expect(results).toContainEqual(expect.objectContaining(place));
    expect(results).toContainEqual(expect.objectContaining({ table: "prompts", column: "text", session_id: SESSION }));
    const text = await run(world, ["audit"]);
    expect(text.status).toBe(1);
    for (const { secret } of planted) expect(stdout + text.stdout + text.stderr).not.toContain(secret.slice(4));
  });

  it("removes all secrets from every file and database copy, with a receipt", async () => {
    const world = await worldWithHistory();
    const database = join(world.home, "c-mem.db");
    const planted = plantRows(database, "c-mem.db");
    await run(world, ["search", "deploy"]);
    mkdirSync(join(world.home, "backups"));
    copyFileSync(database, join(world.home, "backups", "c-mem-2026-01-01.db"));
    planted.push(...plantFiles(world));
    for (const { secret } of planted) expect(allText(world.home)).toContain(secret.toLowerCase());

    const fixed = await run(world, ["audit", "--fix", "--json"]);
    expect({ status: fixed.status, stderr: fixed.stderr }).toEqual({ status: 0, stderr: "" });
    expect((JSON.parse(fixed.stdout) as { data: object }).data).toMatchObject({
      clean: true,
      results: [],
      fixed: {
        problems: [],
        kinds: expect.objectContaining({ github: expect.any(Number), private: expect.any(Number) }),
      },
    });
    const left = allText(world.home);
    for (const { secret } of planted) {
      // An index splits words at punctuation.
      for (const word of secret.toLowerCase().split("_")) if (word.length > 3) expect(left).not.toContain(word);
    }
    expect(left).toContain("[redacted:github]");
    expect(await run(world, ["audit"])).toMatchObject({ status: 0 });
    expect((await data(world, ["show", SESSION])) as object).toMatchObject({ session_id: SESSION });
    expect((await run(world, ["search", "deploy", "--all"])).status).toBe(0);
  });

  it("rewrites a copy from before a migration", async () => {
    const world = await worldWithHistory();
    const secret = github();
    const copy = join(world.home, "backups", "c-mem-2026-01-01T00-00-00-000Z-migration.db");
    mkdirSync(join(copy, ".."));
    const db = openDriver(copy, { busyTimeoutMs: 0 });
    migrate(db, MIGRATIONS.slice(0, 7));
    db.exec(`INSERT INTO projects (id, key, name, root, created_at) VALUES (1, '/x', 'x', '/x', 1);
      INSERT INTO sessions (id, agent, session_id, project_id, cwd, started_at, last_at) VALUES (1, 'claude-code', 'old', 1, '/x', 1, 1);
      INSERT INTO tool_uses (session_db_id, prompt_number, tool_use_id, name, input, output, is_error, created_at)
      VALUES (1, 1, 't1', 'Bash', '{}', 'token ${secret}', 0, 1)`);
    db.close();
    expect(await data(world, ["audit", "--fix"])).toMatchObject({ clean: true, fixed: { problems: [] } });
    expect(readFileSync(copy, "latin1")).not.toContain(secret);
    expect((await run(world, ["backup", "verify"])).stdout).toContain("1 session, 0 prompts, 1 tool use");
  });

  it("reads drops in the fallback spool of an unwritable data directory", async () => {
    const world = await worldWithHistory();
    const secret = github();
    const refuge = openFallbackSpool(join(world.home, "spool")) ?? "";
    const bad = join(refuge, "bad", "1.json");
    mkdirSync(join(bad, ".."));
    writeFileSync(bad, JSON.stringify({ activity: { kind: "prompt", text: `take ${secret}` } }));
    expect(await data(world, ["audit"])).toMatchObject({ results: [{ file: bad, kinds: { github: 1 } }] });
    expect(await data(world, ["audit", "--fix"])).toMatchObject({ clean: true, fixed: { problems: [] } });
    expect(readFileSync(bad, "utf8")).toContain("take [redacted:github]");
    rmSync(refuge, { recursive: true });
  });

  it("finds secrets that are only in the write-ahead log", async () => {
    const world = await worldWithHistory();
    const secret = github();
    const db = new DatabaseSync(join(world.home, "c-mem.db"));
    db.exec("PRAGMA wal_autocheckpoint = 0");
    db.prepare("UPDATE prompts SET text = ?").run(`Take ${secret}`);
    db.prepare("UPDATE prompts SET text = ?").run("Take it");
    const { results } = (await data(world, ["audit"])) as { results?: { file: string }[] };
    expect(results).toContainEqual(expect.objectContaining({ file: "c-mem.db-wal" }));
    db.close();
    expect((await run(world, ["audit", "--fix"])).status).toBe(0);
    expect(allBytes(world.home)).not.toContain(secret);
  });

  it("does not report filtered text in the write-ahead log", async () => {
    const world = await worldWithHistory();
    const db = new DatabaseSync(join(world.home, "c-mem.db"));
    db.exec("PRAGMA wal_autocheckpoint = 0");
    // Adjacent on a page, the two rows look like `password=Zx9...`.
    db.prepare("UPDATE sessions SET title = ?, subtitle = ?").run("Ask for the pass", "word=Zx9kLm2Qp7Rt4Wv8");
    db.prepare("UPDATE sessions SET title = ?, subtitle = ?").run("Ask for it", "later");
    expect(await data(world, ["audit"])).toMatchObject({ clean: true, results: [] });
    db.close();
  });

  it("does not change the user's settings, and says so", async () => {
    const world = await worldWithHistory();
    const secret = github();
    writeFileSync(join(world.home, "config.json"), JSON.stringify({ project: secret }));
    const fixed = await run(world, ["audit", "--fix"]);
    expect(fixed.status).toBe(1);
    expect(fixed.stdout).toMatch(/fix by hand +config\.json/);
    expect(readFileSync(join(world.home, "config.json"), "utf8")).toContain(secret);
  });

  it("does not report the tokens in server.json and lock.json", async () => {
    const world = await worldWithHistory();
    const [server, lock] = [join(world.home, "server.json"), join(world.home, "worker", "lock.json")];
    const key = JSON.stringify({ token: random.text(HEX, 64), port: 37777, pid: 1 });
    mkdirSync(join(lock, ".."), { recursive: true });
    for (const path of [server, lock]) writeFileSync(path, key);
    expect(await data(world, ["audit", "--fix"])).toMatchObject({ clean: true, results: [] });
    expect([server, lock].map((path) => readFileSync(path, "utf8"))).toEqual([key, key]);
  });

  it("suggests what to do about a damaged copy with a secret", async () => {
    const world = await worldWithHistory();
    const damaged = join(world.home, "set-aside", "then", "c-mem.db");
    mkdirSync(join(damaged, ".."), { recursive: true });
    writeFileSync(damaged, `not a database any more, with ${github()} in it ${"and more ".repeat(500)}`);
    const fixed = await run(world, ["audit", "--fix"]);
    expect([fixed.status, fixed.stderr]).toEqual([1, expect.stringContaining("It cannot be rewritten: delete it")]);
  });

  it("reads a file that is not a database as bytes, and continues", async () => {
    const world = await worldWithHistory();
    writeFileSync(join(world.home, "broken.db"), "not a database at all, only a name that says so".repeat(20));
    expect(await data(world, ["audit"])).toMatchObject({ clean: true, unreadable: ["broken.db"] });
  });
});
