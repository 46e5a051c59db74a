import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeCodeWire } from "./event.ts";

const FIXTURES = join(import.meta.dirname, "../../../test/fixtures/hook-payloads");
const payload = (name: string) =>
  JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), "utf8")) as Record<string, unknown>;
const eventOf = (command: string, value: unknown, env = {}) =>
  claudeCodeWire.event({ command, payload: value, cwd: () => "/cwd", readEnd: () => undefined, at: 1000, env });
const activity = (command: string, name: string) => eventOf(command, payload(name))?.activity;

describe("a hook payload", () => {
  it("becomes an event with its session, folder and time", () => {
    expect(eventOf("save", payload("PostToolUse"))).toEqual({
      agent: "claude-code",
      sessionId: "b2f2d340-296b-4de3-9433-58bf03db1ae6",
      agentId: "a301d721ceb2fd7a4",
      agentType: "general-purpose",
      cwd: "/home/user/project",
      transcriptPath: expect.stringContaining(".jsonl"),
      at: 1000,
      activity: {
        kind: "tool-use",
        toolUseId: "toolu_fake_0008_0",
        promptId: "4567a56e-1956-4efe-9ef4-e5aa739a1e00",
        name: "Read",
        input: { file_path: "/home/user/project/README.md" },
        output: "# demo project\n",
        isError: false,
        durationMs: 3,
        files: [{ path: "/home/user/project/README.md", kind: "read" }],
      },
    });
  });

  it.each([
    ["tools/PostToolUse.Bash", { exitCode: 0, output: "1:export function add(a, b) {\nerr-line", files: [] }],
    ["tools/PostToolUseFailure.Bash", { isError: true, exitCode: 3, output: "Exit code 3", files: [] }],
    ["tools/PostToolUseFailure.Read", { isError: true, files: [] }],
    [
      "tools/PostToolUse.Edit",
      {
        output: "@@ -1 +1 @@\n export function add(a, b) {\n-  return a - b; // bug\n+  return a + b;\n }",
        files: [{ path: "/home/user/project/app.js", kind: "edit", added: 1, removed: 1 }],
      },
    ],
    [
      "tools/PostToolUse.Write.create",
      { output: "created", files: [{ path: "/home/user/project/notes.md", kind: "create", added: 2, removed: 0 }] },
    ],
    [
      "tools/PostToolUse.Write.update",
      { files: [{ path: "/home/user/project/README.md", kind: "edit", added: 1, removed: 1 }] },
    ],
    ["tools/PostToolUse.NotebookEdit", { files: [{ path: "/home/user/project/nb.ipynb", kind: "edit" }] }],
    ["tools/PostToolUse.Read.image", { output: "[image/png]" }],
    ["tools/PostToolUse.Grep.content", { output: "app.js:1:export function add(a, b) {" }],
    ["tools/PostToolUse.mcp__demo__search", { output: expect.stringContaining("2 memories match") }],
    ["tools/PostToolUse.mcp__demo__big", { output: expect.stringContaining("Error: result") }],
  ])("%s keeps its output, exit code and files", (name, expected) => {
    expect(activity("save", name)).toMatchObject(expected);
  });

  it("is read without whole files", () => {
    expect(JSON.stringify(activity("save", "tools/PostToolUse.NotebookEdit"))).not.toContain("nbformat");
    expect(JSON.stringify(activity("save", "tools/PostToolUse.Read.image"))).not.toContain("iVBOR");
  });

  it.each([
    ["new", "UserPromptSubmit", { kind: "prompt", text: "fix the bug in app.js [[script:tools]]" }],
    ["new", "variants/UserPromptSubmit.task-notification", { kind: "machine-prompt" }],
    ["summary", "Stop", { kind: "turn-end", response: "Fixed `add` and checked it. [last assistant text]" }],
    ["summary", "SubagentStop", { kind: "turn-end" }],
    ["summary", "PreCompact", { kind: "checkpoint" }],
    ["cleanup", "variants/SessionEnd.clear", { kind: "session-end", reason: "clear" }],
    ["context", "variants/SessionStart.compact", { kind: "session-start", source: "compact" }],
  ])("%s reads %s", (command, name, expected) => {
    expect(activity(command, name)).toMatchObject(expected);
  });

  it("of the subagent that runs compaction is ignored", () => {
    expect(eventOf("summary", payload("variants/SubagentStop.compaction"))).toBeUndefined();
  });

  it("without an event name is read as the first event of its command", () => {
    expect(eventOf("new", { session_id: "s", prompt: "hi" })).toMatchObject({
      cwd: "/cwd",
      activity: { kind: "prompt", text: "hi" },
    });
    expect(eventOf("save", { session_id: "s", tool_name: "X" })).toMatchObject({
      activity: { kind: "tool-use", name: "X", input: {} },
    });
  });

  it("without a session id uses the one in the environment, else is ignored", () => {
    expect(eventOf("new", { prompt: "hi" }, { CLAUDE_CODE_SESSION_ID: "env" })?.sessionId).toBe("env");
    expect(eventOf("new", { prompt: "hi" })).toBeUndefined();
  });

  it.each([
    null,
    1,
    "x",
    [],
    {},
    { session_id: 5 },
    { session_id: "" },
    { session_id: "s", prompt: 7 },
    { session_id: "s", tool_name: {} },
  ])("%j is ignored without an error", (value) => {
    for (const command of ["context", "new", "save", "recall", "summary", "cleanup"]) {
      expect(() => eventOf(command, value)).not.toThrow();
    }
    expect(eventOf("new", value)).toBeUndefined();
    expect(eventOf("save", value)).toBeUndefined();
  });

  it("of another command is ignored", () => {
    const foreign = readdirSync(FIXTURES).filter((file) => file.endsWith(".json") && !file.startsWith("PostToolUse"));
    expect(foreign.length).toBeGreaterThan(30);
    expect(foreign.map((file) => eventOf("save", payload(file.replace(".json", ""))))).toEqual(
      foreign.map(() => undefined),
    );
  });
});
