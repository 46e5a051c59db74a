// Excluding data from recording: by process, project, folder or file.
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { allBytes, createWorld, data, hook, rows, run, type World } from "./harness.ts";
import { connect } from "./mcp-client.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";

const submitPrompt = (world: World, text = "Look around", extra: object = {}, env = {}): Promise<object> =>
  hook(world, "new", { session_id: SESSION, hook_event_name: "UserPromptSubmit", prompt: text, ...extra }, { env });

function useTool(world: World, id: string, name: string, input: object, output: string): Promise<object> {
  const tool = { tool_name: name, tool_use_id: id, tool_input: input, tool_response: { stdout: output } };
  return hook(world, "save", { session_id: SESSION, hook_event_name: "PostToolUse", ...tool });
}

const recordedRows = async (world: World): Promise<unknown[]> =>
  (await rows(world, "SELECT tool_use_id AS id FROM tool_uses ORDER BY id")).map((row) => row["id"]);

function writeIgnore(folder: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, ".c-memignore"), text);
}

function writeTranscript(world: World, cwd: string, tools: [id: string, path: string][]): void {
  const path = join(world.claudeDir, "projects", "-app", `${SESSION}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  const base = { sessionId: SESSION, cwd, version: "2.1.0" };
  const at = (index: number) => ({
    uuid: `u${index}`,
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(),
  });
  const lines = [
    { type: "user", promptId: "p0", message: { role: "user", content: "Read them" }, ...at(0) },
    ...tools.flatMap(([id, file_path], index) => [
      {
        type: "assistant",
        message: { id: `m${id}`, content: [{ type: "tool_use", id, name: "Read", input: { file_path } }] },
        ...at(2 * index + 1),
      },
      {
        type: "user",
        promptId: "p0",
        message: { content: [{ type: "tool_result", tool_use_id: id, content: `contents of ${id}` }] },
        ...at(2 * index + 2),
      },
    ]),
  ];
  writeFileSync(path, lines.map((line) => `${JSON.stringify({ ...base, ...line })}\n`).join(""));
}

describe("a .c-memignore", () => {
  it("excludes reads and edits of matching files, and commands that mention them", async () => {
    const world = createWorld();
    writeIgnore(world.project, "# not these\nsecrets/\n*.pem\n");
    await submitPrompt(world);
    await useTool(world, "t1", "Read", { file_path: join(world.project, "src/a.ts") }, "one");
    await useTool(world, "t2", "Read", { file_path: join(world.project, "secrets/b.txt") }, "hush-two");
    await useTool(world, "t3", "Bash", { command: "cat ./secrets/b.txt | head" }, "hush-three");
    await useTool(world, "t4", "Write", { file_path: join(world.project, "deep/c.pem"), content: "hush-four" }, "ok");
    await useTool(world, "t5", "Bash", { command: "ls src/" }, "five");
    expect(await recordedRows(world)).toEqual(["t1", "t5"]);
    expect(allBytes(world.home)).not.toContain("hush");
  });

  it("applies in its own folder, also below the session's folder", async () => {
    const world = createWorld();
    writeIgnore(join(world.project, "pkg"), "private");
    await submitPrompt(world);
    await useTool(world, "t1", "Read", { file_path: join(world.project, "pkg/private/x") }, "hush");
    await useTool(world, "t2", "Read", { file_path: join(world.project, "private/x") }, "fine");
    expect(await recordedRows(world)).toEqual(["t2"]);
  });

  it("and the settings resolve symbolic links", async () => {
    const world = createWorld();
    const elsewhere = join(dirname(world.project), "elsewhere");
    writeIgnore(join(elsewhere, "vault"), "*\n");
    mkdirSync(join(elsewhere, "client"));
    for (const folder of ["vault", "client"]) writeFileSync(join(elsewhere, folder, "x.txt"), "hush");
    writeFileSync(join(elsewhere, "open.txt"), "fine");
    mkdirSync(world.home, { recursive: true, mode: 0o700 });
    writeFileSync(join(world.home, "config.json"), JSON.stringify({ excludePaths: [join(elsewhere, "client")] }));
    // Links inside and outside the session's folder, to a folder and to a file.
    const away = join(dirname(world.project), "away");
    symlinkSync(elsewhere, away);
    symlinkSync(join(elsewhere, "vault"), join(world.project, "in"));
    symlinkSync(join(elsewhere, "client", "x.txt"), join(world.project, "notes.txt"));
    await submitPrompt(world);
    await useTool(world, "t1", "Read", { file_path: join(away, "vault", "x.txt") }, "hush-one");
    await useTool(world, "t2", "Read", { file_path: join(world.project, "in", "x.txt") }, "hush-two");
    await useTool(world, "t3", "Bash", { command: "cat notes.txt" }, "hush-three");
    await useTool(world, "t4", "Write", { file_path: "in/new/folder/x.txt", content: "hush-four" }, "ok");
    await useTool(world, "t5", "Read", { file_path: join(away, "open.txt") }, "fine");
    expect(await recordedRows(world)).toEqual(["t5"]);
    writeTranscript(world, world.project, [
      ["t6", join(away, "client", "x.txt")],
      ["t7", join(away, "open.txt")],
    ]);
    await run(world, ["sync", "--quiet"]);
    expect(await recordedRows(world)).toEqual(["t5", "t7"]);
    expect(allBytes(world.home)).not.toMatch(/hush-|contents of t6/);
  });

  it("with only * excludes the folder, and ignore files below it cannot include it again", async () => {
    const world = createWorld();
    writeIgnore(world.project, "*\n");
    const hostile = join(world.project, "vendor", "theirs");
    writeIgnore(hostile, "!*\n!**\n");
    writeFileSync(join(hostile, ".c-mem.json"), '{"enabled": true}');
    for (const cwd of [world.project, hostile]) {
      expect(await submitPrompt(world, "hush now", { cwd })).toEqual({ continue: true, suppressOutput: true });
      expect(
        await hook(world, "context", { session_id: SESSION, hook_event_name: "SessionStart", source: "startup", cwd }),
      ).toEqual({});
    }
    expect(existsSync(join(world.home, "spool")) ? readdirSync(join(world.home, "spool")) : []).toEqual([]);
    expect(await data(world, ["status"])).toMatchObject({
      recording: { here: false, because: `excluded by ${join(world.project, ".c-memignore")}` },
    });
    const { stdout } = await run(world, ["status"], { cwd: hostile });
    expect(stdout).toMatch(/recording +off in this folder: excluded by .*\.c-memignore/);
  });

  it("that is unreadable excludes everything", async () => {
    const world = createWorld();
    writeFileSync(join(world.project, ".c-memignore"), "x".repeat(2 * 1024 * 1024));
    await submitPrompt(world, "hush");
    expect(await rows(world, "SELECT * FROM sessions")).toEqual([]);
  });

  it("applies to sync and to older sessions", async () => {
    const world = createWorld();
    writeIgnore(world.project, "secrets");
    writeTranscript(world, world.project, [
      ["t1", join(world.project, "a.ts")],
      ["t2", join(world.project, "secrets", "b.ts")],
    ]);
    await run(world, ["sync", "--quiet"]);
    expect(await recordedRows(world)).toEqual(["t1"]);
    expect(allBytes(world.home)).not.toContain("contents of t2");
  });
});

describe("C_MEM_DISABLE", () => {
  const off = { C_MEM_DISABLE: "1" };

  it("disables hooks, sync, the worker and remember over MCP", async () => {
    const world = createWorld();
    await submitPrompt(world, "hush now", {}, off);
    await hook(
      world,
      "context",
      { session_id: SESSION, hook_event_name: "SessionStart", source: "startup" },
      { env: off },
    );
    expect(existsSync(world.home)).toBe(false);

    writeTranscript(world, world.project, [["t1", "a.ts"]]);
    expect((await run(world, ["sync", "--quiet"], { env: off })).status).toBe(0);
    expect(await rows(world, "SELECT * FROM sessions")).toEqual([]);

    const worker = await run(world, ["worker", "run"], { env: { ...off, C_MEM_WORKER: "1" } });
    expect(worker.stderr + worker.stdout).toContain("C_MEM_DISABLE is set");
    expect(await rows(world, "SELECT * FROM sessions")).toEqual([]);

    const { call } = await connect(world, { env: off });
    for (const project of [undefined, "all"]) {
      const answer = await call("remember", { text: "hush", ...(project && { project }) });
      expect(answer).toMatchObject({ isError: true, text: expect.stringContaining("switched off") });
    }
    expect(await data(world, ["status"], { env: off })).toMatchObject({
      recording: { here: false, because: "C_MEM_DISABLE is set" },
    });
  });

  it("does not read sessions, so that a later sync can", async () => {
    const world = createWorld();
    writeTranscript(world, world.project, [["t1", "a.ts"]]);
    await run(world, ["sync", "--quiet"], { env: off });
    await run(world, ["sync", "--quiet"]);
    expect(await recordedRows(world)).toEqual(["t1"]);
  });
});

describe("c-mem ignore", () => {
  it("adds a folder, lists it and removes it", async () => {
    const world = createWorld();
    expect(await data(world, ["ignore", "."])).toEqual({
      path: world.project,
      is_new: true,
      stored: { sessions: 0, tool_uses: 0 },
    });
    await submitPrompt(world, "hush");
    expect(await rows(world, "SELECT * FROM sessions")).toEqual([]);
    expect(await data(world, ["ignore", "--list"])).toEqual({
      results: [world.project],
      here: { recorded: false, because: `excludePaths has ${world.project}` },
    });
    expect(await data(world, ["ignore", world.project, "--remove"])).toEqual({ path: world.project, removed: true });
    await submitPrompt(world, "again");
    expect(await rows(world, "SELECT text FROM prompts")).toEqual([{ text: "again" }]);
    expect((await run(world, ["ignore", "/nowhere", "--remove"])).status).toBe(4);
  });

  it("excludes single files", async () => {
    const world = createWorld();
    await run(world, ["ignore", "notes/diary.md"]);
    await submitPrompt(world);
    await useTool(world, "t1", "Read", { file_path: join(world.project, "notes/diary.md") }, "hush");
    await useTool(world, "t2", "Read", { file_path: join(world.project, "notes/todo.md") }, "fine");
    expect(await recordedRows(world)).toEqual(["t2"]);
  });

  it("cannot be bypassed by . and .. in paths", async () => {
    const world = createWorld();
    const hidden = join(world.project, "..", "hidden");
    expect(await data(world, ["ignore", `${world.project}/../hidden/`])).toMatchObject({ path: hidden });
    await submitPrompt(world);
    await useTool(world, "t1", "Read", { file_path: `${world.project}/../hidden/key.txt` }, "hush");
    await useTool(world, "t2", "Read", { file_path: `${world.project}/../shown/todo.md` }, "fine");
    expect(await recordedRows(world)).toEqual(["t2"]);
    expect(await data(world, ["ignore", `${hidden}/`, "--remove"])).toEqual({ path: hidden, removed: true });
  });

  it("accepts the same list as config set, and warns about missing folders", async () => {
    const world = createWorld();
    const clients = join(world.env["HOME"] ?? "", "clients");
    mkdirSync(clients, { recursive: true });
    expect(await data(world, ["ignore", '["~/clients/**"]'])).toMatchObject({ path: "~/clients/**" });
    await submitPrompt(world, "hush hush", { cwd: clients });
    expect(allBytes(world.home)).not.toContain("hush");
    const several = await run(world, ["ignore", '["~/a", "~/b"]']);
    expect(several).toMatchObject({ status: 2, stderr: expect.stringContaining("config set excludePaths") });
    const { stderr } = await run(world, ["ignore", "~/clients,~/other"]);
    expect(stderr).toContain('"~/clients,~/other" matches nothing');
  });

  it("deletes stored data of the folder on request", async () => {
    const world = createWorld();
    await submitPrompt(world, "Rumpelstilzchen is my name");
    await useTool(world, "t1", "Read", { file_path: join(world.project, "a.ts") }, "gold of straw");
    await recordedRows(world);
    const told = await run(world, ["ignore", "--project"]);
    expect(told.stdout).toContain("Already stored: 1 session, 1 tool use. To delete that: c-mem ignore");
    expect(allBytes(world.home)).toContain("Rumpelstilzchen");
    const forgotten = await run(world, ["ignore", "--project", "--forget", "--yes"]);
    expect(forgotten).toMatchObject({ status: 0, stdout: expect.stringContaining("Forgotten.") });
    expect(allBytes(world.home)).not.toMatch(/Rumpelstilzchen|gold of straw/);
  });
});
