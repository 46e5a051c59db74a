// What is recorded of a session and what is left out: skipped tools, private text, secrets, long outputs.
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allBytes, createWorld, hook, rows, run } from "./harness.ts";

describe("recording a session", () => {
  it("leaves out tools on the skip list, which can be changed", async () => {
    const world = createWorld();
    const use = (name: string, id: string) => ({
      session_id: "s",
      hook_event_name: "PostToolUse",
      tool_name: name,
      tool_use_id: id,
      tool_input: {},
      tool_response: "",
    });
    for (const name of ["Skill", "SlashCommand", "ListMcpResourcesTool", "Bash"]) {
      await hook(world, "save", use(name, name));
    }
    expect(await rows(world, "SELECT name FROM tool_uses")).toEqual([{ name: "Bash" }]);
    writeFileSync(join(world.home, "config.json"), '{"skipTools": ["Bash"]}');
    await hook(world, "save", use("Bash", "b2"));
    await hook(world, "save", use("TodoWrite", "t2"));
    expect(await rows(world, "SELECT name FROM tool_uses ORDER BY id")).toEqual([
      { name: "Bash" },
      { name: "TodoWrite" },
    ]);
  });

  it("stops if a project or the user disables it", async () => {
    const world = createWorld();
    const prompt = { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "hidden" };
    writeFileSync(join(world.project, ".c-mem.json"), '{"enabled": false}');
    await hook(world, "new", prompt);
    writeFileSync(join(world.project, ".c-mem.json"), "{}");
    await hook(world, "new", prompt, { env: { C_MEM_EXCLUDE_PATHS: world.project } });
    await hook(world, "new", prompt, { env: { C_MEM_ENABLED: "0" } });
    expect(await rows(world, "SELECT * FROM sessions")).toEqual([]);
    expect(allBytes(world.home)).not.toContain("hidden");
  });

  it("marks where a long output was cut", async () => {
    const world = createWorld();
    const stdout = `HEAD${"x".repeat(200_000)}TAIL`;
    await hook(world, "save", {
      session_id: "s",
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_use_id: "t",
      tool_input: { command: "c" },
      tool_response: { stdout },
    });
    const [row] = await rows<{ output: string }>(world, "SELECT output FROM tool_uses");
    expect(row?.output).toMatch(/^HEAD[\s\S]*\[… [\d,]+ characters cut by c-mem …\][\s\S]*TAIL$/);
    expect(row?.output.length).toBeLessThan(33_000);
  });

  it("writes only files that other users cannot read", async () => {
    const world = createWorld();
    await hook(world, "context", { session_id: "s", hook_event_name: "SessionStart", source: "startup" });
    await hook(world, "new", { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "<private>x</private>" });
    await run(world, ["save"], { input: "{ cut off" });
    await hook(world, "new", { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "waits in the spool" });
    for (const name of readdirSync(world.home, { recursive: true, encoding: "utf8" })) {
      const stat = statSync(join(world.home, name));
      expect([name, stat.mode & 0o777]).toEqual([name, stat.isDirectory() ? 0o700 : 0o600]);
    }
  });

  it("writes no secret and no private text to the disk", async () => {
    const world = createWorld();
    const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    const turn = { session_id: "s", prompt_id: "p" };
    await hook(world, "new", {
      ...turn,
      hook_event_name: "UserPromptSubmit",
      prompt: `use ${secret} <private>BIRTHDAY</private> please <PRIVATE>SURPRISE`,
    });
    await hook(world, "save", {
      ...turn,
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_use_id: "t",
      tool_input: { command: `curl -H "Authorization: Bearer ${secret}"`, password: "hunter2hunter2" },
      tool_response: { stdout: `token=${secret}` },
    });
    await hook(world, "save", {
      ...turn,
      hook_event_name: "PostToolUse",
      tool_name: "Read",
      tool_use_id: "r",
      tool_input: { file_path: `/x/${secret}/a` },
      tool_response: { type: "text", file: { content: secret } },
    });
    await hook(world, "summary", {
      ...turn,
      hook_event_name: "Stop",
      last_assistant_message: `done with ${secret} <private>PARTY</private>`,
    });
    const check = () => {
      const bytes = allBytes(world.home);
      for (const word of [secret, secret.slice(4), "BIRTHDAY", "SURPRISE", "PARTY", "hunter2"])
        expect(bytes).not.toContain(word);
      expect(bytes).toContain("redacted:");
    };
    check();
    expect(await rows(world, "SELECT text FROM prompts")).toEqual([
      { text: expect.stringMatching(/^use \[redacted:[\w-]+\]\s+please/) },
    ]);
    check();
  });

  it("excludes a turn whose prompt is fully private", async () => {
    const world = createWorld();
    const turn = { session_id: "s", prompt_id: "private-1" };
    const use = (id: string, extra = {}) => ({
      ...turn,
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_use_id: id,
      tool_input: { command: "SECRETWORK" },
      tool_response: "SECRETWORK",
      ...extra,
    });
    await hook(world, "new", {
      ...turn,
      hook_event_name: "UserPromptSubmit",
      prompt: " <private>SECRETWORK</private> ",
    });
    await hook(world, "save", use("t1"));
    await hook(world, "save", use("t2", { agent_id: "a", agent_type: "x" }));
    await hook(world, "new", {
      session_id: "s",
      prompt_id: "machine",
      hook_event_name: "UserPromptSubmit",
      prompt: "<task-notification>SECRETWORK",
    });
    await hook(world, "summary", { ...turn, hook_event_name: "Stop", last_assistant_message: "SECRETWORK" });
    expect(await rows(world, "SELECT * FROM tool_uses")).toEqual([]);
    expect(allBytes(world.home)).not.toContain("SECRETWORK");
    // The next turn is recorded, but not tool uses of the private turn that end later.
    await hook(world, "new", {
      session_id: "s",
      prompt_id: "open",
      hook_event_name: "UserPromptSubmit",
      prompt: "and now openly",
    });
    await hook(world, "save", use("t3", { prompt_id: "open", tool_input: {}, tool_response: "fine" }));
    await hook(world, "save", use("t4"));
    expect(await rows(world, "SELECT tool_use_id FROM tool_uses")).toEqual([{ tool_use_id: "t3" }]);
    expect(await rows(world, "SELECT text FROM prompts")).toEqual([{ text: "and now openly" }]);
    expect(allBytes(world.home)).not.toContain("SECRETWORK");
  });

  it("excludes a private turn even if its last hook runs after the session's end", async () => {
    const world = createWorld();
    const turn = { session_id: "s", prompt_id: "p" };
    await hook(world, "new", { ...turn, hook_event_name: "UserPromptSubmit", prompt: "<private>HUSH</private>" });
    await hook(world, "cleanup", { session_id: "s", hook_event_name: "SessionEnd", reason: "other" });
    await hook(world, "save", {
      ...turn,
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_use_id: "t",
      tool_input: { command: "HUSH" },
      tool_response: "HUSH",
    });
    await rows(world, "SELECT 1");
    expect(allBytes(world.home)).not.toContain("HUSH");
  });

  it("filters fields of one word too", async () => {
    const world = createWorld();
    const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    await hook(world, "context", {
      session_id: "s",
      hook_event_name: "SessionStart",
      source: secret,
      model: `${secret} <private>HUSH</private>`,
    });
    await hook(world, "new", { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "x", agent_type: secret });
    await hook(world, "cleanup", { session_id: "s", hook_event_name: "SessionEnd", reason: secret.repeat(100) });
    expect(allBytes(world.home)).not.toContain(secret);
    await rows(world, "SELECT 1");
    expect(allBytes(world.home)).not.toMatch(/ghp_|HUSH/);
  });

  it("separates the files of two projects in one session", async () => {
    const world = createWorld();
    const other = join(world.project, "..", "other");
    mkdirSync(other);
    await hook(world, "new", { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "work in both" });
    const use = (cwd: string, id: string) =>
      hook(world, "save", {
        session_id: "s",
        cwd,
        hook_event_name: "PostToolUse",
        tool_name: "Write",
        tool_use_id: id,
        tool_input: { file_path: join(cwd, "a.ts") },
        tool_response: { type: "create", content: "x" },
      });
    await use(world.project, "t1");
    await use(other, "t2");
    expect(await rows(world, "SELECT path FROM file_touches ORDER BY id")).toEqual([
      { path: "a.ts" },
      { path: join(other, "a.ts") },
    ]);
  });

  it("excludes C-Mem's own output", async () => {
    const world = createWorld();
    await hook(world, "new", {
      session_id: "s",
      hook_event_name: "UserPromptSubmit",
      prompt: "look: <c-mem-context>OLD MEMORY</c-mem-context> <system-reminder>NOISE</system-reminder>",
    });
    expect(await rows(world, "SELECT text FROM prompts")).toEqual([{ text: expect.stringMatching(/^look:\s*$/) }]);
  });
});
