import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../core/event.ts";
import type { TranscriptFile } from "../transcript.ts";
import { codexReader } from "./transcript.ts";

const THREAD = "019f0000-0000-7000-8000-000000000001";
const TURN = "019f0000-1111-7000-8000-000000000001";
const file: TranscriptFile = {
  agent: "codex",
  path: "/c/rollout.jsonl",
  sessionId: THREAD,
  isSubagent: false,
  modifiedAt: 0,
  bytes: 0,
};

const at = "2026-06-26T12:00:00.000Z";
const line = (type: string, payload: object) => ({ timestamp: at, type, payload });
const item = (payload: object) => line("response_item", payload);
const note = (payload: object) => line("event_msg", payload);
const meta = (payload: object = {}) =>
  line("session_meta", { id: THREAD, cwd: "/app", cli_version: "0.142.2", git: { branch: "main" }, ...payload });
const prompt = (message: string) => note({ type: "user_message", message });
const says = (text: string, extra = {}) =>
  item({ type: "message", role: "assistant", content: [{ type: "output_text", text }], ...extra });
const call = (name: string, args: object, extra = {}) =>
  item({ type: "function_call", name, arguments: JSON.stringify(args), call_id: "c1", ...extra });
const output = (text: unknown) => item({ type: "function_call_output", call_id: "c1", output: text });

function read(lines: readonly unknown[], notes = { unknown: {} }): AgentEvent[] {
  const state = codexReader.start(file);
  const events = lines.flatMap((value) => codexReader.read(state, value, notes));
  return [...events, ...codexReader.flush(state)];
}
const activities = (...lines: unknown[]) => read([meta(), ...lines]).map((event) => event.activity);

describe("a rollout", () => {
  it("gives prompts, messages with their tokens, and the end of each turn", () => {
    const events = read([
      meta(),
      note({ type: "task_started", turn_id: TURN }),
      line("turn_context", { turn_id: TURN, cwd: "/app/web", model: "gpt-5.3-codex" }),
      prompt("Fix it"),
      item({ type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "x" }),
      says("Looking.", { id: "msg_1" }),
      note({
        type: "token_count",
        info: {
          total_token_usage: { total_tokens: 120 },
          last_token_usage: { input_tokens: 100, cached_input_tokens: 40, output_tokens: 20 },
        },
      }),
      prompt("And hurry"),
      says("Done."),
      note({ type: "thread_name_updated", thread_name: "Fixing it" }),
    ]);
    const header = {
      agent: "codex",
      sessionId: THREAD,
      transcriptPath: "/c/rollout.jsonl",
      cwd: "/app/web",
      version: "0.142.2",
      branch: "main",
      at: Date.parse(at),
    };
    const about = { role: "assistant", model: "gpt-5.3-codex" };
    const tokens = { input: 60, output: 20, cacheRead: 40 };
    expect(events).toEqual(
      [
        { kind: "prompt", promptId: TURN, text: "Fix it" },
        { kind: "message", uuid: "msg_1", promptId: TURN, text: "Looking.", thinking: "Hm.", tokens, ...about },
        { kind: "turn-end", promptId: TURN, response: "Looking." },
        { kind: "prompt", promptId: `${TURN}:8`, text: "And hurry" },
        { kind: "title", title: "Fixing it" },
        { kind: "message", uuid: `${THREAD}:9`, promptId: `${TURN}:8`, text: "Done.", ...about },
        { kind: "turn-end", promptId: `${TURN}:8`, response: "Done." },
      ].map((activity) => ({ ...header, activity })),
    );
  });

  it.each([
    ["unified exec", "exec_command", { cmd: "npm test", workdir: "/app" }, "npm test"],
    ["a list for a shell", "shell", { command: ["bash", "-lc", "npm test"] }, "npm test"],
    ["a list", "shell", { command: ["git", "commit", "-m", "it's"] }, `git commit -m 'it'\\''s'`],
    ["a string", "shell_command", { command: "ls" }, "ls"],
  ])("shows %s as Bash", (_, name, args, command) => {
    expect(activities(call(name, args), output("ok"))).toMatchObject([
      { kind: "tool-use", toolUseId: "c1", name: "Bash", input: { command }, output: "ok", isError: false },
    ]);
  });

  it.each([
    [
      "Chunk ID: 1a\nWall time: 0.1597 seconds\nProcess exited with code 0\nOriginal token count: 1\nOutput:\nhi\n",
      { output: "hi\n", exitCode: 0, durationMs: 160, isError: false },
    ],
    ["Exit code: 2\nWall time: 1 seconds\nOutput:\nboom", { output: "boom", exitCode: 2, isError: true }],
    [
      'Command: /bin/zsh -lc "x"\nChunk ID: 5e\nWall time: 0.0 seconds\nProcess running with session ID 7\nOutput:\n',
      { output: "", isError: false },
    ],
    [
      JSON.stringify({ output: "boom\n", metadata: { exit_code: 1, duration_seconds: 0.25 } }),
      { output: "boom\n", exitCode: 1, durationMs: 250, isError: true },
    ],
    [
      { content: "no", success: false },
      { output: "no", isError: true },
    ],
    [[{ type: "input_image", image_url: "data:…" }], { output: "[input_image]", isError: false }],
    ["aborted by user after 2s", { isError: true }],
    ['{"json":"of the command"}', { output: '{"json":"of the command"}', isError: false }],
  ])("reads the result %j", (raw, expected) => {
    expect(activities(call("exec_command", { cmd: "x" }), output(raw))).toMatchObject([expected]);
  });

  it("counts the lines in a patch", () => {
    const patch = [
      "*** Begin Patch",
      "*** Update File: src/a.ts",
      "@@",
      " same",
      "-old",
      "+new",
      "+newer",
      "*** Add File: /abs/b.ts",
      "+one",
      "*** Delete File: c.ts",
      "*** End Patch",
    ].join("\n");
    const edit = item({ type: "custom_tool_call", name: "apply_patch", input: patch, call_id: "c1" });
    const done = item({ type: "custom_tool_call_output", call_id: "c1", output: "Exit code: 0\nOutput:\nSuccess." });
    expect(activities(edit, done)).toMatchObject([
      {
        name: "Edit",
        output: "Success.",
        files: [
          { path: "/app/src/a.ts", kind: "edit", added: 2, removed: 1 },
          { path: "/abs/b.ts", kind: "create", added: 1, removed: 0 },
          { path: "/app/c.ts", kind: "edit" },
        ],
      },
    ]);
    const failed = item({
      type: "custom_tool_call_output",
      call_id: "c1",
      output: "apply_patch verification failed: x",
    });
    expect(activities(edit, failed)).toMatchObject([{ name: "Edit", isError: true, files: [] }]);
    expect(activities(call("shell", { command: ["apply_patch", patch] }), output("ok"))).toMatchObject([
      { name: "Edit", files: [{ path: "/app/src/a.ts" }, { path: "/abs/b.ts" }, { path: "/app/c.ts" }] },
    ]);
  });

  it("prefers the changes that Codex logged after a patch", () => {
    const changes = { "/app/a.ts": { type: "add", content: "1\n2\n" } };
    expect(
      activities(
        item({ type: "custom_tool_call", name: "apply_patch", input: "*** Add File: a.ts", call_id: "c1" }),
        note({ type: "patch_apply_end", call_id: "c1", success: true, changes }),
        item({ type: "custom_tool_call_output", call_id: "c1", output: "{}" }),
      ),
    ).toMatchObject([
      { name: "Write", input: { file_path: "/app/a.ts" }, files: [{ path: "/app/a.ts", kind: "create", added: 2 }] },
    ]);
  });

  it("gives tools of MCP servers their full name, and reads their failures", () => {
    const args = { q: 1 };
    expect(
      activities(
        call("_create_issue", args, { namespace: "mcp__codex_apps__github" }),
        note({ type: "mcp_tool_call_end", call_id: "c1", duration: { secs: 1, nanos: 5e8 }, result: { Err: "no" } }),
        output("no"),
      ),
    ).toMatchObject([{ name: "mcp__codex_apps__github__create_issue", input: args, isError: true, durationMs: 1500 }]);
    expect(activities(item({ type: "web_search_call", action: { type: "search", query: "q" } }))).toMatchObject([
      { name: "WebSearch", input: { query: "q" }, toolUseId: `${THREAD}:2` },
    ]);
  });

  it.each([
    "<environment_context>\n  <cwd>/x</cwd>",
    "<user_instructions>do</user_instructions>",
    "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>",
    "<turn_aborted>\nThe user interrupted",
    "<skill>\n<name>x</name>",
    "<image></image>\n[Image #1]",
    "  ",
  ])("does not take %j for a prompt", (text) => {
    expect(activities(prompt(text))).toEqual([]);
  });

  it("removes the text that an editor adds before the prompt", () => {
    expect(
      activities(
        prompt("# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\nfix a.ts\n"),
      ),
    ).toMatchObject([{ kind: "prompt", text: "fix a.ts" }]);
    expect(activities(note({ type: "user_message", message: "x", kind: "environment_context" }))).toEqual([]);
  });

  it("skips a wholly private turn, and titles and summaries after it", () => {
    expect(
      activities(
        prompt("<private>hush</private>"),
        call("shell", { command: ["hush"] }),
        output("hush"),
        says("hush"),
        line("compacted", { message: "hush" }),
        prompt("go on"),
        says("gone on"),
        line("compacted", { message: "hush" }),
      ),
    ).toMatchObject([{ kind: "prompt" }, { kind: "message", text: "gone on" }, { kind: "turn-end" }]);
  });

  it("of a subagent belongs to the session that started it, without prompts", () => {
    const parent = "019e0000-0000-7000-8000-000000000009";
    const source = { subagent: { thread_spawn: { parent_thread_id: parent, depth: 1, agent_role: "explorer" } } };
    expect(read([meta({ source }), prompt("Explore"), says("Found it.")])).toMatchObject([
      { sessionId: parent, agentId: THREAD, agentType: "explorer", activity: { kind: "message" } },
      { sessionId: parent, agentId: THREAD, activity: { kind: "turn-end", response: "Found it." } },
    ]);
  });

  it("of a subagent started by a private prompt is skipped", () => {
    const parent = codexReader.start(file);
    const child = "019f0000-0000-7000-8000-00000000000c";
    const started = note({ type: "sub_agent_activity", kind: "started", agent_thread_id: child });
    for (const value of [meta(), prompt("<private>hush</private>"), started]) {
      expect(codexReader.read(parent, value, { unknown: {} })).toEqual([]);
    }
    expect(parent.privateThreadIds).toEqual([child]);
    const state = { ...codexReader.start(file), privateThreadIds: parent.privateThreadIds };
    const source = { subagent: { thread_spawn: { parent_thread_id: THREAD } } };
    const lines = [meta({ id: child, source }), says("hush"), call("shell", { command: ["hush"] }), output("hush")];
    expect(lines.flatMap((value) => codexReader.read(state, value, { unknown: {} }))).toEqual([]);
    expect(codexReader.flush(state)).toEqual([]);
  });

  it("of a fork skips the copied history and names the original", () => {
    const before = "019e0000-0000-7000-8000-000000000002";
    expect(
      activities(
        line("session_meta", { id: "019e0000-0000-7000-8000-000000000001", cwd: "/old" }),
        line("turn_context", { turn_id: before, cwd: "/app" }),
        prompt("old"),
        says("old answer"),
        line("turn_context", { turn_id: TURN, cwd: "/app" }),
        prompt("new"),
      ),
    ).toEqual([
      { kind: "origin", forkedFrom: "019e0000-0000-7000-8000-000000000001" },
      { kind: "prompt", promptId: TURN, text: "new" },
    ]);
  });

  it("of the first versions is read without envelopes", () => {
    const notes = { unknown: {} };
    const bare = [
      { id: "old-session", timestamp: at, instructions: null, git: { branch: "dev" } },
      { record_type: "state" },
      {
        type: "message",
        role: "user",
        content: [{ type: "input_text", text: "<environment_context>\n<cwd>/old/app</cwd>\n</environment_context>" }],
      },
      { type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] },
      { type: "local_shell_call", call_id: "c1", action: { type: "exec", command: ["ls"] } },
      { type: "function_call_output", call_id: "c1", output: "a" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "hi" }] },
      { type: "never-seen" },
    ];
    expect(read(bare, notes)).toMatchObject([
      { sessionId: "old-session", cwd: "/old/app", branch: "dev", activity: { kind: "prompt", text: "hello" } },
      { activity: { name: "Bash", input: { command: "ls" }, output: "a" } },
      { activity: { kind: "message", text: "hi" } },
      { activity: { kind: "turn-end" } },
    ]);
    expect(notes.unknown).toEqual({ "never-seen": 1 });
  });
});
