// c-mem sync: interrupted runs, filters by agent and project, and unusual transcripts.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { allBytes, createWorld, data, hook, rows, run, type World } from "./harness.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";

function line(world: World, index: number, value: object): string {
  const at = new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();
  return `${JSON.stringify({ ...value, uuid: `u${index}`, sessionId: SESSION, cwd: world.project, timestamp: at, version: "2.1.0" })}\n`;
}

function prompt(world: World, index: number, text: string): string {
  return line(world, index, { type: "user", promptId: `p${index}`, message: { role: "user", content: text } });
}

function writeTranscript(world: World, text: string, name = `${SESSION}.jsonl`): void {
  const path = join(world.claudeDir, "projects", "-app", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

describe("c-mem sync", () => {
  it("skips transcripts that match excludePaths, and so do hooks", async () => {
    const world = createWorld();
    world.env["C_MEM_EXCLUDE_PATHS"] = '["**/subagents/**"]';
    writeTranscript(world, prompt(world, 1, "Ask the helpers"));
    const said = {
      type: "assistant",
      message: { role: "assistant", id: "m", content: [{ type: "text", text: "Hm." }] },
    };
    const own = { isSidechain: true, agentId: "h1" };
    writeTranscript(world, line(world, 2, { ...said, ...own }), `${SESSION}/subagents/agent-h1.jsonl`);
    expect(await data(world, ["sync"])).toMatchObject({ read: 1, excluded: 1, new_sessions: 1 });
    const use = { hook_event_name: "PostToolUse", tool_name: "Bash", tool_input: { command: "ls" }, tool_response: {} };
    const transcript = join(world.claudeDir, "projects", "-app", `${SESSION}.jsonl`);
    const at = { session_id: SESSION, transcript_path: transcript };
    await hook(world, "save", { ...at, ...use, tool_use_id: "t1", agent_id: "h2", agent_type: "Explore" });
    await hook(world, "save", { ...at, ...use, tool_use_id: "t2" });
    expect(await rows(world, "SELECT session_id FROM sessions")).toEqual([{ session_id: SESSION }]);
    expect(await rows(world, "SELECT tool_use_id FROM tool_uses")).toEqual([{ tool_use_id: "t2" }]);
    delete world.env["C_MEM_EXCLUDE_PATHS"];
    expect(await data(world, ["sync"])).toMatchObject({ read: 1, excluded: 0, new_messages: 1 });
  });

  it("records changes from Claude Code's file snapshots, and blame lists them", async () => {
    const world = createWorld();
    const snapshot = (files: object): string =>
      `${JSON.stringify({ type: "file-history-snapshot", messageId: "m", snapshot: { trackedFileBackups: files } })}\n`;
    const copy = (name: string | null) => ({
      backupFileName: name,
      version: 1,
      backupTime: "2026-01-01T00:01:30.000Z",
    });
    const edit = { file_path: join(world.project, "src/edited.ts"), old_string: "a", new_string: "b" };
    const call = { type: "tool_use", id: "t1", name: "Edit", input: edit };
    writeTranscript(
      world,
      [
        snapshot({}),
        prompt(world, 1, "Change the greeting"),
        snapshot({ "src/main.ts": copy("aa@v1"), "src/edited.ts": copy("bb@v1"), "src/new.ts": copy(null) }),
        line(world, 2, { type: "assistant", message: { id: "m1", content: [call] } }),
        line(world, 3, {
          type: "user",
          message: { content: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }] },
        }),
        prompt(world, 4, "<private>Read my diary</private>"),
        snapshot({ "src/main.ts": copy("aa@v2"), "diary.txt": copy("cc@v1") }),
        prompt(world, 6, "And the farewell"),
        snapshot({ "src/main.ts": copy("aa@v2"), "diary.txt": copy("cc@v2"), "src/late.ts": copy("dd@v1") }),
      ].join(""),
    );
    await run(world, ["sync", "--quiet"]);
    const blamed = async (path: string) =>
      ((await data(world, ["blame", path])) as unknown as { results: unknown[] } | undefined)?.results;
    const asked = { session_id: SESSION, turn: 1, prompt: "Change the greeting" };
    expect(await blamed("src/main.ts")).toMatchObject([{ ...asked, edits: 1, backup: { version: "aa@v1" } }]);
    expect(await blamed("src/new.ts")).toMatchObject([{ ...asked, creates: 1, backup: null }]);
    // The tool use of that change has more details, so it is listed instead.
    expect(await blamed("src/edited.ts")).toMatchObject([{ ...asked, edits: 1 }]);
    expect((await run(world, ["blame", "diary.txt"])).status).toBe(4);
    expect(allBytes(world.home)).not.toContain("diary.txt");
    expect((await run(world, ["blame", "src/main.ts"])).stdout).toContain("1 edit");
    await run(world, ["forget", "p1", "--yes"]);
    expect((await run(world, ["blame", "src/main.ts"])).status).toBe(4);
    await run(world, ["sync", "--force", "--quiet"]);
    expect((await run(world, ["blame", "src/main.ts"])).status).toBe(4);
  });

  it("--log appends results and errors to a file", async () => {
    const world = createWorld();
    const log = join(world.project, "sync.log");
    writeTranscript(world, `${prompt(world, 1, "Log this")}{ not json\n`);
    const first = await run(world, ["sync", "--log", "sync.log"]);
    expect(first).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Read 1 transcript/) });
    expect((await run(world, ["sync", "--quiet", "--log", log])).status).toBe(0);
    expect((await run(world, ["sync", "--session", "zzzz", "--log", log])).status).toBe(4);
    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
    expect(readFileSync(log, "utf8").split("\n")).toEqual([
      expect.stringMatching(new RegExp(`^${time} Read 1 transcript, 0 unchanged: 1 new session, 1 prompt, `)),
      expect.stringMatching(new RegExp(`^${time} malformed: .*${SESSION}.jsonl:2$`)),
      expect.stringMatching(new RegExp(`^${time} Read 0 transcripts, 1 unchanged: 0 new sessions, `)),
      expect.stringMatching(new RegExp(`^${time} error: .*"zzzz"`)),
      "",
    ]);
    expect(statSync(log).mode & 0o777).toBe(0o600);
  });

  it("--log - writes the log to stderr, and creates no file", async () => {
    const world = createWorld();
    writeTranscript(world, prompt(world, 1, "Log this"));
    const { status, stdout, stderr } = await run(world, ["sync", "--quiet", "--log", "-"]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    expect(stderr).toMatch(/^\d{4}-\S+Z Read 1 transcript, 0 unchanged: 1 new session, 1 prompt, /);
    expect(existsSync(join(world.project, "-"))).toBe(false);
  });

  it("--log reads no transcripts if the log file cannot be written", async () => {
    const world = createWorld();
    writeTranscript(world, prompt(world, 1, "Log this"));
    const result = await run(world, ["sync", "--log", "nowhere/sync.log"]);
    expect(result.status).toBe(1);
    expect(result.stderr).toMatch(/nowhere\/sync\.log: no such folder/);
    expect(result.stderr).not.toMatch(/^\s+at /m);
    expect(await rows(world, "SELECT session_id FROM sessions")).toEqual([]);
  });

  it("reads sessions from sessionFolders", async () => {
    const world = createWorld();
    writeTranscript(world, prompt(world, 1, "In the usual folder"));
    const [one, two] = [join(world.home, "..", "one"), join(world.home, "..", "two")];
    for (const [folder, id] of [
      [one, "aaaaaaaa-2222-4333-8444-555555555555"],
      [two, "bbbbbbbb-2222-4333-8444-555555555555"],
    ] as const) {
      mkdirSync(join(folder, "-app"), { recursive: true });
      writeFileSync(join(folder, "-app", `${id}.jsonl`), prompt(world, 1, "Elsewhere").replaceAll(SESSION, id));
    }
    const folders = { "claude-code": ["~/one", two].join(delimiter) };
    expect((await run(world, ["config", "set", "sessionFolders", JSON.stringify(folders)])).status).toBe(0);
    expect(await data(world, ["sync"])).toMatchObject({ read: 2, new_sessions: 2 });
    const env = { C_MEM_SESSION_FOLDERS: JSON.stringify({ "claude-code": join(world.claudeDir, "projects") }) };
    expect(await data(world, ["sync"], { env })).toMatchObject({ read: 1, new_sessions: 1 });
    for (const wrong of ['{"vim": "/a"}', '{"codex": "relative/path"}', '{"codex": ""}'])
      expect((await run(world, ["config", "set", "sessionFolders", wrong])).status).toBe(2);
  });

  it("resumes a large file after a kill", async () => {
    const world = createWorld();
    const filler = "word ".repeat(8_000);
    const prompts = 600;
    writeTranscript(
      world,
      Array.from({ length: prompts }, (_, index) => prompt(world, index, `${index} ${filler}`)).join(""),
    );
    const first = await run(world, ["sync", "--quiet"], {
      onStart: (child) => setTimeout(() => child.kill("SIGINT"), 400),
    });
    expect([0, 130, null]).toContain(first.status);
    if (first.status === 130) expect(first.stderr).toContain("Interrupted: the next");
    await run(world, ["sync", "--quiet"], { onStart: (child) => setTimeout(() => child.kill("SIGKILL"), 300) });
    expect((await run(world, ["sync", "--quiet"])).status).toBe(0);
    expect(await rows(world, "SELECT count(*) AS n, max(prompt_number) AS last FROM prompts")).toEqual([
      { n: prompts, last: prompts },
    ]);
  });

  it("makes new lines searchable", async () => {
    const world = createWorld();
    const many = Array.from({ length: 30 }, (_, index) => prompt(world, index, `Prompt heron${index}`));
    writeTranscript(world, many.join(""));
    await run(world, ["sync", "--quiet"]);
    expect(await rows(world, "SELECT count(*) AS n FROM stale_turns")).toEqual([{ n: 0 }]);
    expect((await data(world, ["search", "heron29"])).results).toHaveLength(1);
    writeTranscript(world, [...many, prompt(world, 40, "One kingfisher more")].join(""));
    await run(world, ["sync", "--quiet"]);
    // The next search indexes the rest.
    expect(await rows(world, "SELECT count(*) AS n FROM stale_turns")).not.toEqual([{ n: 0 }]);
    expect((await data(world, ["search", "kingfisher"])).results).toHaveLength(1);
  });

  it("records the part of a turn before a private prompt, as hooks do", async () => {
    const use = (index: number, word: string): string =>
      line(world, index, {
        type: "assistant",
        message: {
          id: `m${index}`,
          content: [{ type: "tool_use", id: `t${index}`, name: "Bash", input: { command: word } }],
        },
      }) +
      line(world, index + 1, {
        type: "user",
        promptId: "p0",
        message: { content: [{ type: "tool_result", tool_use_id: `t${index}`, content: word }] },
        toolUseResult: { stdout: word },
      });
    const world = createWorld();
    const hushed = "<private>hush</private>";
    const queued = JSON.stringify({
      type: "queue-operation",
      operation: "enqueue",
      timestamp: new Date(Date.UTC(2026, 0, 1, 0, 4)).toISOString(),
      content: hushed,
      sessionId: SESSION,
    });
    writeTranscript(
      world,
      `${prompt(world, 0, "Go")}${use(1, "fine")}${queued}\n${use(5, "hush")}${prompt(world, 8, "On")}`,
    );
    await run(world, ["sync", "--quiet"]);
    await run(world, ["sync", "--quiet", "--force"]);
    const lived = createWorld();
    const at = { session_id: SESSION, prompt_id: "p0" };
    const save = (id: string, word: string) =>
      hook(lived, "save", {
        ...at,
        hook_event_name: "PostToolUse",
        tool_name: "Bash",
        tool_use_id: id,
        tool_input: { command: word },
        tool_response: { stdout: word },
      });
    await hook(lived, "new", { ...at, hook_event_name: "UserPromptSubmit", prompt: "Go" });
    await save("t1", "fine");
    await hook(lived, "new", { ...at, hook_event_name: "UserPromptSubmit", prompt: hushed });
    await save("t5", "hush");
    await hook(lived, "new", { ...at, prompt_id: "p8", hook_event_name: "UserPromptSubmit", prompt: "On" });
    const kept = async (from: World): Promise<unknown> => [
      await rows(from, "SELECT prompt_number, prompt_id, text FROM prompts ORDER BY 1"),
      await rows(from, "SELECT tool_use_id, prompt_number, output FROM tool_uses ORDER BY 1"),
    ];
    expect(await kept(world)).toEqual(await kept(lived));
    expect(await kept(world)).toMatchObject([
      [{ text: "Go" }, { text: "On" }],
      [{ tool_use_id: "t1", output: "fine" }],
    ]);
    for (const each of [world, lived]) expect(allBytes(each.home)).not.toContain("hush");
  });

  it("records the agent's file snapshot, and blame shows its path", async () => {
    const world = createWorld();
    const file_path = join(world.project, "a.ts");
    const edit = { tool_name: "Edit", tool_use_id: "t1", tool_input: { file_path }, prompt_id: "p0" };
    await hook(world, "new", {
      session_id: SESSION,
      hook_event_name: "UserPromptSubmit",
      prompt: "Go",
      prompt_id: "p0",
    });
    await hook(world, "save", { session_id: SESSION, hook_event_name: "PostToolUse", ...edit, tool_response: {} });
    const blamed = async (): Promise<unknown> => (await data(world, ["blame", "a.ts"]))["results"];
    expect(await blamed()).toMatchObject([{ path: "a.ts", backup: null }]);
    writeTranscript(
      world,
      prompt(world, 0, "Go") +
        line(world, 1, {
          type: "assistant",
          message: { id: "m1", content: [{ type: "tool_use", id: "t1", name: "Edit", input: { file_path } }] },
        }) +
        `${JSON.stringify({ type: "file-history-delta", trackingPath: "a.ts", backup: { backupFileName: "aa@v1" } })}\n` +
        line(world, 2, {
          type: "user",
          promptId: "p0",
          message: { content: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }] },
        }),
    );
    expect((await run(world, ["sync"])).status).toBe(0);
    const path = join(world.claudeDir, "file-history", SESSION, "aa@v1");
    expect(await blamed()).toMatchObject([{ backup: { version: "aa@v1", path, exists: false } }]);
    expect((await run(world, ["blame", "a.ts"])).stdout).not.toContain("aa@v1");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "before");
    expect(await blamed()).toMatchObject([{ backup: { exists: true } }]);
    expect((await run(world, ["blame", "a.ts"])).stdout).toContain(`before: ${path}`);
  });

  it("reads OpenCode's sessions from its database", async () => {
    const world = createWorld();
    const folder = join(world.env["HOME"] ?? "", ".local", "share", "opencode");
    mkdirSync(folder, { recursive: true });
    const store = new DatabaseSync(join(folder, "opencode.db"));
    store.exec(`
      CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INT, time_updated INT);
      CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INT, time_updated INT, data TEXT);
      CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INT, time_updated INT, data TEXT);
    `);
    const at = Date.UTC(2026, 0, 1);
    const begin = (session: string, title: string, offset: number) =>
      store
        .prepare("INSERT INTO session VALUES (?, 'p', NULL, ?, ?, '1.0', ?, ?)")
        .run(session, world.project, title, at + offset, at + offset);
    const say = (id: string, role: string, text: string, offset: number, session = "ses_1") => {
      store
        .prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)")
        .run(`msg_${id}`, session, at + offset, at + offset, JSON.stringify({ role, time: { created: at + offset } }));
      store
        .prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)")
        .run(`prt_${id}`, `msg_${id}`, session, at + offset, at + offset, JSON.stringify({ type: "text", text }));
    };
    begin("ses_1", "Title", 0);
    say("1", "user", "Paint the shed", 1);
    say("2", "assistant", "It is green now.", 2);
    expect(await data(world, ["sync", "--agent", "opencode"])).toMatchObject({ read: 1, failed: [], new_prompts: 1 });
    expect(await data(world, ["search", "shed"])).toMatchObject({
      results: [{ session_id: "ses_1", agent: "opencode" }],
    });
    expect(await data(world, ["sync"])).toMatchObject({ read: 0, unchanged: 1 });
    // Fork the session, then forget the first one.
    begin("ses_0fedcba98765AbCd", "Title (fork #1)", 10);
    say("3", "user", "Paint the shed", 1, "ses_0fedcba98765AbCd");
    say("4", "assistant", "It is green now.", 2, "ses_0fedcba98765AbCd");
    say("5", "user", "Paint the fence", 11, "ses_0fedcba98765AbCd");
    expect(await data(world, ["sync"])).toMatchObject({ new_prompts: 1 });
    expect((await run(world, ["forget", "ses_1", "--yes"])).status).toBe(0);
    const { stdout } = await run(world, ["forget", "ses_0fedcba98765", "--dry-run"]);
    expect(stdout).toMatch(/^ {2}session {6}ses_0fedcba9\w* {2}\d{4}-/m);
    store.exec("DELETE FROM session WHERE id = 'ses_1'; DELETE FROM message WHERE session_id = 'ses_1'");
    say("6", "user", "Paint the gate", 12, "ses_0fedcba98765AbCd");
    expect(await data(world, ["sync"])).toMatchObject({ new_prompts: 1 });
    store.close();
    expect(await rows(world, "SELECT text FROM prompts")).toEqual([
      { text: "Paint the fence" },
      { text: "Paint the gate" },
    ]);
  });

  it("merges a prompt from hook and transcript with different ids", async () => {
    const world = createWorld();
    await hook(world, "new", { session_id: SESSION, hook_event_name: "UserPromptSubmit", prompt: "only once" });
    const now = new Date().toISOString();
    const value = {
      type: "user",
      uuid: "u",
      sessionId: SESSION,
      cwd: world.project,
      timestamp: now,
      message: { content: "only once" },
    };
    writeTranscript(world, `${JSON.stringify(value)}\n`);
    await run(world, ["sync"]);
    expect(await rows(world, "SELECT text, prompt_id IS NOT NULL AS has_id FROM prompts")).toEqual([
      { text: "only once", has_id: 1 },
    ]);
  });

  it("attaches a subagent's file in the older layout to its session", async () => {
    const world = createWorld();
    writeTranscript(world, prompt(world, 1, "delegate it"));
    const use = { type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } };
    const inside = { agentId: "abc", isSidechain: true };
    writeTranscript(
      world,
      line(world, 2, { ...inside, type: "user", message: { content: "look around" } }) +
        line(world, 3, { ...inside, type: "assistant", message: { id: "m", content: [use] } }) +
        line(world, 4, {
          ...inside,
          type: "user",
          message: { content: [{ type: "tool_result", tool_use_id: "t1", content: "a" }] },
        }),
      "agent-abc.jsonl",
    );
    await run(world, ["sync"]);
    const pairs = await rows(
      world,
      "SELECT c.session_id, p.session_id AS parent FROM sessions c LEFT JOIN sessions p ON p.id = c.parent_session_db_id ORDER BY c.id",
    );
    expect(pairs).toEqual([
      { session_id: SESSION, parent: null },
      { session_id: "agent-abc", parent: SESSION },
    ]);
  });

  it("skips excluded folders, and reads only the given project", async () => {
    const world = createWorld();
    writeTranscript(world, prompt(world, 1, "SECRETPROJECT"));
    await run(world, ["sync"], { env: { C_MEM_EXCLUDE_PATHS: world.project } });
    await run(world, ["sync", "--project", "other"]);
    expect(allBytes(world.home)).not.toContain("SECRETPROJECT");
    await run(world, ["sync", "--project", "project"]);
    expect(await rows(world, "SELECT text FROM prompts")).toEqual([{ text: "SECRETPROJECT" }]);
    // New lines belong to the session's project, even after the agent changed into an excluded folder.
    const secret = join(world.project, "secret");
    const inside = prompt(world, 2, "INSIDE").replace(`"cwd":"${world.project}"`, `"cwd":"${secret}"`);
    writeTranscript(world, prompt(world, 1, "SECRETPROJECT") + inside + prompt(world, 3, "outside again"));
    await run(world, ["sync", "--project", "other"]);
    await run(world, ["sync"], { env: { C_MEM_EXCLUDE_PATHS: secret } });
    expect(await rows(world, "SELECT text FROM prompts ORDER BY id")).toEqual([
      { text: "SECRETPROJECT" },
      { text: "outside again" },
    ]);
  });

  it("reports skipped input: excluded, too large, too long, not JSON", async () => {
    const world = createWorld();
    const other = join(world.project, "other");
    writeTranscript(world, `${prompt(world, 1, "Open")}{broken\n"${"x".repeat(33 * 1024 * 1024)}"\n`);
    writeTranscript(world, prompt(world, 2, "HUSH").replace(`"cwd":"${world.project}"`, `"cwd":"${other}"`), "b.jsonl");
    writeTranscript(world, prompt(world, 3, "Large") + " ".repeat(50 * 1024 * 1024), "c.jsonl");
    const env = { C_MEM_EXCLUDE_PATHS: other, C_MEM_MAX_TRANSCRIPT_MB: "40" };
    const plan = await data(world, ["sync", "--dry-run"], { env });
    expect(plan).toMatchObject({ files: 3, unchanged: 0, too_large: [expect.stringContaining("c.jsonl")] });
    expect((await run(world, ["sync", "--dry-run"], { env })).stdout).toContain("0 unchanged, 1 too large");
    const sync = await run(world, ["sync"], { env });
    expect(sync.stdout).toMatch(/^Read 1 transcript, 0 unchanged, 1 excluded: 1 new session, 1 prompt/);
    expect(sync.stderr).toContain(`malformed: ${join(world.claudeDir, "projects", "-app", `${SESSION}.jsonl`)}:2\n`);
    expect(sync.stderr).toMatch(/too long, over 32 MB: .*jsonl:3\n/);
    expect(sync.stderr).toContain("not read, over maxTranscriptMb: ");
    expect(await data(world, ["sync"], { env })).toMatchObject({ read: 0, unchanged: 1, excluded: 1 });
    const forced = await data(world, ["sync", "--force"], { env });
    expect(forced).toMatchObject({ read: 1, malformed: [{ line: 2 }], too_long: [{ line: 3 }] });
  });

  it("reads only the first line of an excluded file", async () => {
    const world = createWorld();
    // If the rest were read, the broken lines would be counted.
    writeTranscript(world, prompt(world, 1, "HUSH") + "{broken\n".repeat(3));
    const env = { C_MEM_EXCLUDE_PATHS: world.project };
    expect(await data(world, ["sync"], { env })).toMatchObject({ read: 0, excluded: 1, malformed: [] });
  });

  it("finds nothing for a project without sessions", async () => {
    const world = createWorld();
    writeTranscript(world, prompt(world, 1, "Open"));
    const result = await run(world, ["sync", "--project", "unknown"]);
    expect(result.status).toBe(4);
    expect(result.stderr).toContain("c-mem projects");
    expect((await run(world, ["sync", "--project", "project"])).status).toBe(0);
    expect((await run(world, ["sync", "--project", "project"])).status).toBe(0);
  });

  it("reports an unknown session", async () => {
    const world = createWorld();
    writeTranscript(world, prompt(world, 1, "Here"));
    const result = await run(world, ["sync", "--session", "zzz"]);
    expect(result.status).toBe(4);
    expect(result.stderr).toContain('"zzz"');
  });

  it.each([[["--agent", "unknown"]], [["--nonsense"]]])("%j is a usage error", async (args) => {
    expect((await run(createWorld(), ["sync", ...args])).status).toBe(2);
  });
});
