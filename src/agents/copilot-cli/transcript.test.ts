import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../core/event.ts";
import type { TranscriptFile } from "../transcript.ts";
import { copilotReader } from "./transcript.ts";

const file: TranscriptFile = {
  agent: "copilot-cli",
  path: "/c/s/events.jsonl",
  sessionId: "s",
  isSubagent: false,
  modifiedAt: 0,
  bytes: 0,
};
const at = "2026-06-25T01:00:00.000Z";
const later = "2026-06-25T01:00:02.500Z";
let count = 0;
const line = (type: string, data: object, extra = {}) => ({
  type,
  data,
  id: `e${(count += 1)}`,
  timestamp: at,
  parentId: null,
  ...extra,
});
const start = line("session.start", {
  sessionId: "s",
  copilotVersion: "1.0.64",
  selectedModel: "gpt-5",
  context: { cwd: "/app", branch: "main" },
});
const used = (toolName: string, args: unknown, complete: object, extra = {}) => [
  line("tool.execution_start", { toolCallId: "t1", toolName, arguments: args, ...extra }),
  line("tool.execution_complete", { toolCallId: "t1", success: true, ...complete }, { timestamp: later }),
];

function read(lines: readonly unknown[], notes = { unknown: {} }): AgentEvent[] {
  const state = copilotReader.start(file);
  const events = lines.flatMap((value) => copilotReader.read(state, value, notes));
  return [...events, ...copilotReader.flush(state)];
}
const activities = (...lines: unknown[]) => read([start, ...lines]).map((event) => event.activity);

describe("a Copilot CLI session", () => {
  it("gives prompts, messages and the end of each turn", () => {
    const events = read([
      start,
      line("user.message", { content: "Why?", transformedContent: "<current_datetime>…" }, { id: "u1" }),
      line("assistant.message", { messageId: "m1", content: "", reasoningText: "Hm.", outputTokens: 7, model: "opus" }),
      line("assistant.message", { messageId: "m2", content: "Because.", outputTokens: 3 }, { parentId: "e3" }),
      line("session.compaction_complete", { success: true, summaryContent: "All of it." }, { id: "k1" }),
    ]);
    const header = {
      agent: "copilot-cli",
      sessionId: "s",
      transcriptPath: "/c/s/events.jsonl",
      cwd: "/app",
      branch: "main",
      version: "1.0.64",
      at: Date.parse(at),
    };
    const about = { kind: "message", promptId: "u1", role: "assistant" };
    expect(events).toEqual(
      [
        { kind: "prompt", promptId: "u1", text: "Why?" },
        { ...about, uuid: "m1", text: "", thinking: "Hm.", model: "opus", tokens: { input: 0, output: 7 } },
        { ...about, uuid: "m2", parentUuid: "e3", text: "Because.", model: "gpt-5", tokens: { input: 0, output: 3 } },
        { kind: "compaction", uuid: "k1", summary: "All of it." },
        { kind: "turn-end", promptId: "u1", response: "Because." },
      ].map((activity) => ({ ...header, activity })),
    );
  });

  it("skips prompts that Copilot itself sends", () => {
    expect(
      activities(
        line("user.message", { content: "x", source: "skill-pdf" }),
        line("user.message", { content: "x", isAutopilotContinuation: true }),
        line("user.message", { content: "x" }, { agentId: "a1" }),
        line("user.message", { content: " " }),
        line("system.notification", { content: "<system_notification>" }),
      ),
    ).toEqual([]);
  });

  const diff = "\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n same\n-a\n+b\n+c";
  it.each([
    [
      "bash",
      { command: "ls", description: "List" },
      { result: { content: "a\nb\n<shellId: 3 completed with exit code 0>" } },
      { name: "Bash", output: "a\nb", exitCode: 0, isError: false, durationMs: 2500, files: [] },
    ],
    [
      "bash",
      { command: "false" },
      { result: { content: "<exited with exit code 1>" } },
      { name: "Bash", output: "", exitCode: 1, isError: true },
    ],
    [
      "view",
      { path: "/app/a.ts" },
      { result: { content: "1. x\n2. \n3. 1. y" } },
      { name: "Read", output: "x\n\n1. y", files: [{ path: "/app/a.ts", kind: "read" }] },
    ],
    [
      "edit",
      { path: "a.ts", old_str: "a", new_str: "b\nc" },
      { result: { content: "updated", detailedContent: diff } },
      { name: "Edit", files: [{ path: "/app/a.ts", kind: "edit", added: 2, removed: 1 }] },
    ],
    [
      "str_replace_editor",
      { command: "create", path: "/app/n.ts", file_text: "1\n2\n" },
      { result: { content: "ok" } },
      { name: "Write", files: [{ path: "/app/n.ts", kind: "create", added: 2, removed: 0 }] },
    ],
    [
      "view",
      { path: "/app/no.ts" },
      { success: false, error: { message: "Path does not exist" } },
      { name: "Read", output: "Path does not exist", isError: true, files: [] },
    ],
    ["ask_user", { question: "?" }, { result: { content: "yes" } }, { name: "ask_user", output: "yes", files: [] }],
  ])("reads %s %j", (tool, args, complete, expected) => {
    expect(activities(...used(tool, args, complete))).toMatchObject([
      { kind: "tool-use", toolUseId: "t1", ...expected },
    ]);
  });

  it("gives tools of MCP servers their full name", () => {
    const server = { mcpServerName: "github", mcpToolName: "get_issue" };
    expect(activities(...used("github-get_issue", {}, { result: { content: "" } }, server))).toMatchObject([
      { name: "mcp__github__get_issue" },
    ]);
  });

  it("does not count a subagent's messages as part of the turn that started it", () => {
    const agent = { agentId: "a1" };
    expect(
      read([
        start,
        line("user.message", { content: "go" }, { id: "u1" }),
        line("subagent.started", { toolCallId: "t0", agentName: "explore" }, agent),
        line("assistant.message", { messageId: "m1", content: "from below" }, agent),
      ]),
    ).toMatchObject([
      { activity: { kind: "prompt" } },
      { sessionId: "s", agentId: "a1", agentType: "explore", activity: { text: "from below", promptId: "u1" } },
    ]);
  });

  it("skips a wholly private turn", () => {
    expect(
      activities(
        line("user.message", { content: "<private>hush</private>" }),
        line("assistant.message", { messageId: "m1", content: "hush" }),
        ...used("bash", { command: "hush" }, { result: { content: "hush" } }),
      ),
    ).toEqual([]);
  });

  it("counts unknown types", () => {
    const notes = { unknown: {} };
    read([line("brand.new", {}), line("session.idle", {}), null, 7, [], {}], notes);
    expect(notes.unknown).toEqual({ "brand.new": 1, "(no type)": 4 });
  });
});
