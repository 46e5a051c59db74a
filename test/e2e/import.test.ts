// c-mem export and import, and imports from databases of other memory systems.
import { appendFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { createWorld, data, hook, rows, run, type World } from "./harness.ts";

const SECRET = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");

async function recordSession(world: World, id: string): Promise<void> {
  const base = { session_id: `session-${id}` };
  for (const turn of [1, 2]) {
    const prompt_id = `p-${id}-${turn}`;
    await hook(world, "new", {
      ...base,
      prompt_id,
      hook_event_name: "UserPromptSubmit",
      prompt: `repair lamp ${id} ${turn}`,
    });
    await hook(world, "save", {
      ...base,
      prompt_id,
      hook_event_name: "PostToolUse",
      tool_name: "Edit",
      tool_use_id: `t-${id}-${turn}`,
      tool_input: { file_path: join(world.project, `lamp-${id}.ts`), old_string: "a", new_string: "b" },
      tool_response: "done",
    });
    await hook(world, "summary", {
      ...base,
      prompt_id,
      hook_event_name: "Stop",
      last_assistant_message: `repaired lamp ${id}`,
    });
  }
}

const TOLD = [
  "SELECT session_id, agent, title, status, prompt_count, started_at, last_at FROM sessions ORDER BY session_id",
  "SELECT s.session_id, p.prompt_number, p.prompt_id, p.text, p.response, p.created_at FROM prompts p JOIN sessions s ON s.id = p.session_db_id ORDER BY 1, 2",
  "SELECT s.session_id, t.tool_use_id, t.prompt_number, t.input, t.output, f.path, f.kind FROM tool_uses t JOIN sessions s ON s.id = t.session_db_id LEFT JOIN file_touches f ON f.tool_use_db_id = t.id ORDER BY 1, 2",
  "SELECT title, narrative, producer, pinned, content_hash, edited_at IS NOT NULL AS edited FROM observations WHERE is_current = 1 ORDER BY content_hash, title",
  "SELECT kind, hash FROM tombstones ORDER BY 1, 2",
];
const memoryRows = async (world: World): Promise<unknown[][]> => {
  const all: unknown[][] = [];
  for (const sql of TOLD) all.push(await rows(world, sql));
  return all;
};

async function createExport(): Promise<{ world: World; file: string }> {
  const world = createWorld();
  for (const id of ["a", "b", "c"]) await recordSession(world, id);
  await run(world, ["remember", "lamps are never red", "--all"]);
  await run(world, ["rebuild", "--all", "--quiet"]);
  const [first] = await rows<{ id: number }>(world, "SELECT id FROM observations WHERE producer = 'extractor' LIMIT 1");
  await run(world, ["pin", `o${first?.id}`]);
  await run(world, ["forget", "session-c", "--yes"]);
  const file = join(world.home, "..", "everything.jsonl");
  const result = await run(world, ["export", "--all", "-o", file]);
  expect([result.status, result.stdout]).toEqual([0, ""]);
  return { world, file };
}

describe("c-mem export --all and import", () => {
  it("copy all data to another machine, and change nothing if repeated", async () => {
    const { world, file } = await createExport();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await run(world, ["export", "--all", "-o", file])).stderr).toContain("already exists");
    expect((await run(world, ["export", "--all"])).stdout.split("\n").length).toBe(
      readFileSync(file, "utf8").split("\n").length,
    );
    const other = createWorld();
    expect(await data(other, ["import", file])).toMatchObject({
      source: "c-mem",
      refused: 0,
      known: 0,
      cut_off: false,
    });
    await run(other, ["rebuild", "--all", "--quiet"]);
    expect(await memoryRows(other)).toEqual(await memoryRows(world));
    expect(await data(other, ["import", file])).toMatchObject({ added: {}, refused: 0 });
    await run(other, ["rebuild", "--all", "--quiet"]);
    expect(await memoryRows(other)).toEqual(await memoryRows(world));
    expect(await data(other, ["search", "lamp", "--all"])).toMatchObject({ results: [{}, {}] });
    // Data forgotten on the other machine is not imported.
    await recordSession(other, "c");
    expect(await rows(other, "SELECT 1 FROM sessions WHERE session_id = 'session-c'")).toEqual([]);
  });

  it("merge both machines' data under new ids", async () => {
    const { world, file } = await createExport();
    const other = createWorld();
    await recordSession(other, "z");
    await recordSession(other, "b");
    await run(other, ["rebuild", "--all", "--quiet"]);
    await run(other, ["import", file]);
    await run(other, ["rebuild", "--all", "--quiet"]);
    expect(await rows(other, "SELECT session_id, prompt_count FROM sessions ORDER BY 1")).toEqual(
      ["a", "b", "z"].map((id) => ({ session_id: `session-${id}`, prompt_count: 2 })),
    );
    expect(await rows(other, "PRAGMA foreign_key_check")).toEqual([]);
    // Evidence still refers to the same items.
    const cited = `SELECT o.title, p.text FROM observations o, json_each(o.evidence) e JOIN prompts p ON 'p' || p.id = e.value
      JOIN sessions s ON s.id = o.session_db_id WHERE s.session_id = 'session-a' AND o.is_current = 1 ORDER BY 1, 2`;
    expect(await rows(other, cited)).toEqual(await rows(world, cited));
    expect(await data(other, ["import", join(world.home, "c-mem.db")])).toMatchObject({ source: "c-mem", added: {} });
  });

  it("skip rows with an invalid time, which would break lists", async () => {
    const { file } = await createExport();
    const lines = readFileSync(file, "utf8").split("\n");
    const broken = lines.map((line) => line.replace(/"(last_at|created_at|valid_from)":\d+/, '"$1":9007199254740991'));
    writeFileSync(file, broken.join("\n"));
    const other = createWorld();
    await recordSession(other, "z");
    expect(Number((await data(other, ["import", file]))["refused"])).toBeGreaterThan(5);
    for (const args of [["list", "--all"], ["projects"], ["observations", "--all"], ["stats", "--all"]])
      expect([args, (await run(other, args)).status]).toEqual([args, 0]);
  });

  it("skip forgotten data, and say so", async () => {
    const world = createWorld();
    await recordSession(world, "a");
    const file = join(world.project, "all.jsonl");
    await run(world, ["export", "--all", "-o", file]);
    await run(world, ["forget", "session-a", "-y"]);
    const { stdout, stderr } = await run(world, ["import", file]);
    expect(stdout).toMatch(/^Imported from c-mem: .*1 session, 2 prompts, 2 tool uses, 2 file touches/);
    expect(stderr).toMatch(/^Deleted \d+ rows again: forgotten here or before the export\./);
    expect(await rows(world, "SELECT text FROM prompts")).toEqual([]);
  });

  it("read hostile and truncated files line by line, and filter their text", async () => {
    const { file } = await createExport();
    const lines = readFileSync(file, "utf8").split("\n");
    const project = lines.find((line) => line.includes('"projects"')) ?? "";
    const bad = [
      "{ not json",
      "[]",
      '"text"',
      "null",
      '{"table":"sqlite_schema","row":{}}',
      '{"table":"migrations","row":{"id":9999,"name":"x","breaking":1,"applied_at":1}}',
      '{"table":"prompts","row":null}',
      '{"table":"prompts","row":{"id":1,"session_db_id":424242,"prompt_number":1,"text":"orphan","created_at":1}}',
      '{"table":"sessions","row":{"id":77,"session_id":"x","agent":"a","project_id":1,"cwd":{"a":1},"started_at":1,"last_at":1}}',
      '{"table":"sessions","row":{"id":78,"session_id":"self","agent":"a","project_id":1,"parent_session_db_id":78,"cwd":"/","started_at":1,"last_at":1}}',
      '{"table":"observations","row":{"id":5,"type":"order","title":"t","narrative":"n","facts":"[","created_at":1}}',
      `{"table":"tombstones","row":{"kind":"session","hash":"x","created_at":"soon"}}`,
      `{"table":"messages","row":{"__proto__":{"id":1},"text":"${"x".repeat(1000)}"}}`,
    ];
    const leak = JSON.stringify({
      table: "observations",
      row: {
        id: 99_999,
        project_id: null,
        type: "decision",
        title: `the token is ${SECRET}`,
        narrative: "said <private>in private</private> once",
        facts: JSON.stringify([`use ${SECRET}`]),
        concepts: "[]",
        files: "[]",
        evidence: "[]",
        origin: "user",
        producer: "user",
        content_hash: "c".repeat(64),
        valid_from: 1,
        created_at: 1,
      },
    });
    const cut = join(file, "..", "cut.jsonl");
    writeFileSync(cut, [lines[0], project, ...bad, leak].join("\n"));
    appendFileSync(cut, '\n{"table":"sessions","row":{"id":');
    const world = createWorld();
    const result = await data(world, ["import", cut]);
    expect(result).toMatchObject({ refused: bad.length + 1, added: { projects: 1, observations: 1 }, cut_off: true });
    const stored = await rows<Record<string, string>>(world, "SELECT title, narrative, facts FROM observations");
    expect(JSON.stringify(stored)).not.toContain(SECRET);
    expect(stored[0]?.["narrative"]).not.toContain("in private");
    expect(await rows(world, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    for (const [text, words] of [
      ["", "is not a file that C-Mem can import"],
      ["hello\nworld\n", "is not a file that C-Mem can import"],
      ['{"c_mem_export":2}\n', "newer c-mem"],
    ] as const) {
      writeFileSync(cut, text);
      const { status, stderr } = await run(world, ["import", cut]);
      expect([status, stderr]).toEqual([1, expect.stringContaining(words)]);
    }
    expect((await run(world, ["import", "/nowhere"])).status).toBe(4);
  });
});

describe("importing another system's database", () => {
  const AT = Date.UTC(2025, 9, 1, 8);

  function foreign(world: World, sql: string): string {
    const path = join(world.home, "..", "foreign.db");
    const db = new DatabaseSync(path);
    db.exec(sql);
    db.close();
    return path;
  }

  const CLAUDE_MEM = `
    CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, claude_session_id TEXT UNIQUE NOT NULL, sdk_session_id TEXT UNIQUE NOT NULL,
      project TEXT NOT NULL, user_prompt TEXT, started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL, completed_at TEXT, completed_at_epoch INTEGER,
      status TEXT CHECK(status IN ('active', 'completed', 'failed')));
    CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, sdk_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT NOT NULL, type TEXT NOT NULL,
      created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
    CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, sdk_session_id TEXT UNIQUE NOT NULL, project TEXT NOT NULL, summary TEXT NOT NULL,
      created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
    INSERT INTO sdk_sessions VALUES (7, 'cm-1', 'sdk-1', 'shop', 'add a basket', 'x', ${AT}, 'x', ${AT + 60_000}, 'completed');
    INSERT INTO observations VALUES (1, 'sdk-1', 'shop', 'The basket keeps its items in a cookie', 'decision', 'x', ${AT + 1_000});
    INSERT INTO observations VALUES (2, 'sdk-1', 'shop', 'token ${SECRET} was used', 'odd', 'x', ${AT + 2_000});
    INSERT INTO session_summaries VALUES (1, 'sdk-1', 'shop', 'The basket works', 'x', ${AT + 3_000});`;

  const BUILD_SPEC = `
    CREATE TABLE sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT UNIQUE NOT NULL, project TEXT NOT NULL, prompt_counter INTEGER DEFAULT 0,
      status TEXT NOT NULL DEFAULT 'active', created_at INTEGER NOT NULL, completed_at INTEGER);
    CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, session_db_id INTEGER NOT NULL, prompt_number INTEGER NOT NULL, prompt_text TEXT NOT NULL, created_at INTEGER NOT NULL);
    CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, session_db_id INTEGER NOT NULL, queue_id INTEGER, project TEXT NOT NULL, prompt_number INTEGER,
      tool_name TEXT NOT NULL, type TEXT, title TEXT, narrative TEXT, facts TEXT, concepts TEXT, files_read TEXT, files_modified TEXT, created_at INTEGER NOT NULL);
    CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, session_db_id INTEGER NOT NULL, project TEXT NOT NULL, prompt_number INTEGER, request TEXT,
      investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, created_at INTEGER NOT NULL);
    INSERT INTO sessions VALUES (3, 'cm-2', 'shop', 2, 'completed', ${AT}, ${AT + 90_000});
    INSERT INTO user_prompts VALUES (1, 3, 1, 'why is checkout slow', ${AT}), (2, 3, 2, 'repair it', ${AT + 60_000});
    INSERT INTO observations VALUES (1, 3, NULL, 'shop', 2, 'Edit', 'bugfix', 'Checkout asked for prices one by one', 'They are asked for at once now',
      '["40 ms instead of 2 s"]', '["gotcha","made-up"]', '["src/price.ts"]', '["src/checkout.ts"]', ${AT + 70_000});
    INSERT INTO session_summaries VALUES (1, 3, 'shop', 2, 'repair it', 'looked', 'one by one is slow', 'asked at once', 'measure', ${AT + 80_000});`;

  const NEXUS = `
    CREATE TABLE sessions (id TEXT PRIMARY KEY, project_path TEXT NOT NULL, project_name TEXT, encoded_path TEXT, created_at DATETIME, last_message_at DATETIME,
      message_count INTEGER DEFAULT 0, tool_use_count INTEGER DEFAULT 0, claude_version TEXT, model TEXT, summary TEXT, git_branch TEXT, last_sync_at DATETIME, last_sync_line INTEGER DEFAULT 0);
    CREATE VIRTUAL TABLE messages USING fts5(session_id, role, content, thinking, timestamp, tokenize='porter');
    CREATE TABLE messages_meta (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, uuid TEXT UNIQUE, parent_uuid TEXT, role TEXT NOT NULL, timestamp DATETIME NOT NULL,
      model TEXT, request_id TEXT, input_tokens INTEGER, output_tokens INTEGER, cache_tokens INTEGER);
    CREATE TABLE tool_uses (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, message_uuid TEXT, tool_id TEXT, tool_name TEXT NOT NULL, input_json TEXT,
      output_text TEXT, error_text TEXT, is_error BOOLEAN DEFAULT FALSE, timestamp DATETIME NOT NULL);
    INSERT INTO sessions (id, project_path, project_name, created_at, git_branch, summary) VALUES ('nx-1', '/old/garden', 'garden', '2025-10-01T08:00:00Z', 'main', 'Watering');
    INSERT INTO messages (rowid, session_id, role, content, thinking, timestamp) VALUES
      (1, 'nx-1', 'user', 'water the plants', '', '2025-10-01T08:00:00Z'), (2, 'nx-1', 'assistant', 'The tap is open', 'which tap', '2025-10-01T08:01:00Z');
    INSERT INTO messages_meta (id, session_id, uuid, role, timestamp, model) VALUES (1, 'nx-1', 'u1', 'user', 'x', NULL), (2, 'nx-1', 'u2', 'assistant', 'x', 'opus');
    INSERT INTO tool_uses (session_id, tool_id, tool_name, input_json, output_text, error_text, is_error, timestamp) VALUES
      ('nx-1', 'toolu_1', 'Edit', '{"file_path":"/old/garden/tap.ts"}', 'done', NULL, 0, '2025-10-01T08:00:30Z'),
      ('nx-1', 'toolu_2', 'Bash', '{"command":"drip', NULL, 'no water', 1, '2025-10-01T08:00:40Z');`;

  it("reads claude-mem's first schema", async () => {
    const world = createWorld();
    const file = foreign(world, CLAUDE_MEM);
    expect(await data(world, ["import", file])).toMatchObject({
      source: "claude-mem",
      added: { sessions: 1, prompts: 1, observations: 2, summaries: 1 },
    });
    expect(await rows(world, "SELECT session_id, status, started_at, ended_at FROM sessions")).toEqual([
      { session_id: "cm-1", status: "completed", started_at: AT, ended_at: AT + 60_000 },
    ]);
    expect(
      await rows(
        world,
        "SELECT type, title, producer, valid_from FROM observations WHERE producer = 'import' ORDER BY valid_from",
      ),
    ).toEqual([
      { type: "decision", title: "The basket keeps its items in a cookie", producer: "import", valid_from: AT + 1_000 },
      { type: "discovery", title: expect.not.stringContaining(SECRET), producer: "import", valid_from: AT + 2_000 },
    ]);
    expect(await data(world, ["import", file])).toMatchObject({ added: {} });
    expect(await data(world, ["observations", "basket", "--all"])).toMatchObject({ results: [{ type: "decision" }] });
  });

  it("reads its later schema, and a rebuild keeps the data", async () => {
    const world = createWorld();
    expect(await data(world, ["import", foreign(world, BUILD_SPEC)])).toMatchObject({
      source: "claude-mem",
      added: { sessions: 1, prompts: 2, observations: 1, summaries: 1 },
    });
    await run(world, ["rebuild", "--all", "--quiet"]);
    expect(
      await rows(
        world,
        "SELECT prompt_number, type, title, narrative, facts, concepts, files, files_read, files_modified FROM observations WHERE producer = 'import' AND is_current = 1",
      ),
    ).toEqual([
      {
        prompt_number: 2,
        type: "bugfix",
        title: "Checkout asked for prices one by one",
        narrative: "They are asked for at once now",
        facts: '["40 ms instead of 2 s"]',
        concepts: '["gotcha"]',
        files: '["src/checkout.ts","src/price.ts"]',
        files_read: '["src/price.ts"]',
        files_modified: '["src/checkout.ts"]',
      },
    ]);
    expect(await data(world, ["search", "checkout", "--all"])).toMatchObject({ results: [{ session_id: "cm-2" }] });
  });

  it("reads memory-nexus's conversations", async () => {
    const world = createWorld();
    const file = foreign(world, NEXUS);
    expect(await data(world, ["import", file])).toMatchObject({
      source: "memory-nexus",
      added: { sessions: 1, prompts: 1, messages: 1, tool_uses: 2 },
    });
    expect(
      await rows(
        world,
        "SELECT p.name, p.root, s.git_branch, s.agent_title, s.status FROM sessions s JOIN projects p ON p.id = s.project_id",
      ),
    ).toEqual([
      { name: "garden", root: "/old/garden", git_branch: "main", agent_title: "Watering", status: "completed" },
    ]);
    expect(await rows(world, "SELECT tool_use_id, input, output, is_error FROM tool_uses ORDER BY id")).toEqual([
      { tool_use_id: "toolu_1", input: '{"file_path":"/old/garden/tap.ts"}', output: "done", is_error: 0 },
      { tool_use_id: "toolu_2", input: "{}", output: "no water", is_error: 1 },
    ]);
    expect(await data(world, ["import", file])).toMatchObject({ added: {} });
  });

  it("rejects unknown and damaged databases, and does not change C-Mem's database", async () => {
    const world = createWorld();
    await recordSession(world, "own");
    for (const [path, why] of [
      [world.project, "could not be read"],
      [join(world.project, "notes.txt"), "is not a file that C-Mem can import"],
    ] as const) {
      if (path !== world.project) writeFileSync(path, "a note\n");
      const refused = await run(world, ["import", path]);
      expect(refused.stderr).toMatch(new RegExp(`^error: .*${why}`));
    }
    const unknown = foreign(world, "CREATE TABLE recipes (id INTEGER PRIMARY KEY)");
    expect((await run(world, ["import", unknown])).stderr).toContain("is not a database that C-Mem can import");
    truncateSync(unknown, 4_000);
    const damaged = await run(world, ["import", unknown]);
    expect([damaged.status, damaged.stderr]).toEqual([1, expect.stringContaining("is damaged")]);
    expect((await rows(world, "SELECT 1 FROM prompts")).length).toBe(2);
    expect(existsSync(join(world.home, "backups"))).toBe(false);
  });
});
