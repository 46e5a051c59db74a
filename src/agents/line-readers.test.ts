import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../core/event.ts";
import { claudeCodeReader } from "./claude-code/transcript.ts";
import { codexReader } from "./codex/transcript.ts";
import { copilotReader } from "./copilot-cli/transcript.ts";
import type { LineReader, TranscriptFile } from "./transcript.ts";

const TURN = "019f0000-1111-7000-8000-000000000001";
const at = { timestamp: "2026-01-02T03:04:05.000Z" };
const claude = (type: string, message: object, extra = {}) => ({ type, ...at, cwd: "/app", message, ...extra });
const codex = (type: string, payload: object) => ({ type, ...at, payload });
const copilot = (type: string, data: object, extra = {}) => ({ type, ...at, data, id: `e-${type}`, ...extra });
const claudeCall = (id: string, name: string, input: object) =>
  claude("assistant", {
    id: "m1",
    content: [{ type: "tool_use", id, name, input }],
    usage: { input_tokens: 1, output_tokens: 2 },
  });
const claudeResult = (id: string, toolUseResult?: object) =>
  claude("user", { content: [{ type: "tool_result", tool_use_id: id, content: "1\tx" }] }, { toolUseResult });

const CLAUDE = [
  { type: "custom-title", customTitle: "A title" },
  claude("user", { content: "Fix it" }, { promptId: "p1", uuid: "u1" }),
  claude("assistant", { id: "m1", content: [{ type: "thinking", thinking: "Hm." }] }),
  claude("assistant", { id: "m1", content: [{ type: "text", text: "Looking." }] }),
  claudeCall("t1", "Edit", { file_path: "/app/a.ts", old_string: "a", new_string: "b" }),
  claudeResult("t1", { structuredPatch: [{ oldStart: 1, newStart: 1, lines: ["-a", "+b"] }] }),
  claudeCall("t2", "Read", { file_path: "/app/a.ts" }),
  claudeResult("t2"),
  claudeResult("t4", { stdout: "early" }),
  claudeCall("t4", "Bash", { command: "ls" }),
  { type: "never-seen" },
  claude("user", { content: "summary" }, { isCompactSummary: true, uuid: "c1" }),
  claude("user", { content: "<private>hush</private>" }, { promptId: "p2" }),
  claude("assistant", { id: "m2", content: [{ type: "text", text: "hush" }] }),
  claude("user", { content: [{ type: "text", text: "Go on" }] }, { promptId: "p3" }),
  claude("assistant", { id: "m3", content: [{ type: "text", text: "Gone on." }] }),
];
const CODEX = [
  codex("session_meta", { id: "019f0000-0000-7000-8000-000000000001", cwd: "/app", git: { branch: "main" } }),
  codex("event_msg", { type: "task_started", turn_id: TURN }),
  codex("turn_context", { turn_id: TURN, cwd: "/app", model: "gpt" }),
  codex("event_msg", { type: "user_message", message: "Fix it" }),
  codex("response_item", { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] }),
  codex("response_item", { type: "message", role: "assistant", content: [{ type: "output_text", text: "Looking." }] }),
  codex("response_item", { type: "function_call", name: "exec_command", arguments: '{"cmd":"ls"}', call_id: "c1" }),
  codex("event_msg", { type: "exec_command_end", call_id: "c1", exit_code: 1, duration: { secs: 1, nanos: 0 } }),
  codex("response_item", { type: "function_call_output", call_id: "c1", output: "Exit code: 1\nOutput:\nx" }),
  codex("event_msg", { type: "token_count", info: { last_token_usage: { input_tokens: 9, output_tokens: 1 } } }),
  codex("response_item", {
    type: "custom_tool_call",
    name: "apply_patch",
    input: "*** Add File: a\n+1",
    call_id: "c2",
  }),
  codex("event_msg", {
    type: "patch_apply_end",
    call_id: "c2",
    success: true,
    changes: { a: { type: "add", content: "1" } },
  }),
  codex("response_item", { type: "custom_tool_call_output", call_id: "c2", output: '{"output":"ok","metadata":{}}' }),
  codex("compacted", { message: "All of it." }),
  codex("event_msg", { type: "user_message", message: "Go on" }),
  codex("response_item", { type: "message", role: "assistant", content: [{ type: "output_text", text: "Gone on." }] }),
  { id: "old", timestamp: "2025-09-01T00:00:00Z" },
  { type: "message", role: "user", content: [{ type: "input_text", text: "bare" }] },
];
const COPILOT = [
  copilot("session.start", { sessionId: "s", context: { cwd: "/app", branch: "main" } }),
  copilot("user.message", { content: "Fix it" }),
  copilot("subagent.started", { toolCallId: "t0", agentName: "explore" }, { agentId: "a1" }),
  copilot("assistant.message", { messageId: "m0", content: "below" }, { agentId: "a1" }),
  copilot("assistant.message", { messageId: "m1", content: "Looking.", reasoningText: "Hm.", outputTokens: 3 }),
  copilot("tool.execution_start", {
    toolCallId: "t1",
    toolName: "edit",
    arguments: { path: "a", old_str: "a", new_str: "b" },
  }),
  copilot("tool.execution_complete", {
    toolCallId: "t1",
    success: true,
    result: { content: "ok", detailedContent: "@@ -1 +1 @@\n-a\n+b" },
  }),
  copilot("session.compaction_complete", { summaryContent: "All of it." }),
  copilot("user.message", { content: "Go on" }, { id: "u2" }),
  copilot("assistant.message", { messageId: "m2", content: "Gone on." }),
];

// States are converted to JSON and back, as in the store.
type AnyReader = LineReader<unknown>;
const READERS: [string, AnyReader, object[]][] = [
  ["Claude Code", claudeCodeReader as AnyReader, CLAUDE],
  ["Codex", codexReader as AnyReader, CODEX],
  ["Copilot CLI", copilotReader as AnyReader, COPILOT],
];
const file: TranscriptFile = {
  agent: "x",
  path: "/t/f.jsonl",
  sessionId: "s",
  isSubagent: false,
  modifiedAt: 0,
  bytes: 0,
};

function readInTwo(reader: AnyReader, lines: readonly unknown[], split: number): AgentEvent[] {
  const notes = { unknown: {} };
  const first = reader.start(file);
  const before = lines.slice(0, split).flatMap((line) => reader.read(first, line, notes));
  const second = JSON.parse(JSON.stringify(first)) as unknown;
  const after = lines.slice(split).flatMap((line) => reader.read(second, line, notes));
  return [...before, ...after, ...reader.flush(second)];
}

describe.each(READERS)("the %s reader", (_, reader, lines) => {
  it("gives the same events in two runs as in one, at every line where the first may end", () => {
    const whole = readInTwo(reader, lines, lines.length);
    expect(new Set(whole.map((event) => event.activity.kind))).toEqual(
      new Set([
        "prompt",
        "message",
        "tool-use",
        "turn-end",
        "compaction",
        ...(reader === claudeCodeReader ? ["title"] : []),
        ...(reader === codexReader ? ["origin"] : []),
      ]),
    );
    for (let split = 0; split < lines.length; split += 1) expect(readInTwo(reader, lines, split)).toEqual(whole);
  });

  it("is not changed by a flush", () => {
    const state = reader.start(file);
    for (const line of lines) {
      reader.read(state, line, { unknown: {} });
      const before = JSON.stringify(state);
      expect(reader.flush(state)).toEqual(reader.flush(state));
      expect(JSON.stringify(state)).toBe(before);
    }
  });

  it("gives events that are plain JSON and do not change later", () => {
    const state = reader.start(file);
    const seen: [AgentEvent, string][] = [];
    for (const line of lines) {
      const events = [...reader.read(state, line, { unknown: {} }), ...reader.flush(state)];
      seen.push(...events.map((event): [AgentEvent, string] => [event, JSON.stringify(event)]));
    }
    for (const [event, text] of seen) expect(JSON.stringify(event)).toBe(text);
    expect(seen.map(([, text]) => JSON.parse(text) as unknown)).toEqual(seen.map(([event]) => event));
  });

  it("never throws on any line, and gives the same events in two runs as in one", () => {
    fc.assert(
      fc.property(fc.array(oddLine(lines), { maxLength: 20 }), fc.nat(20), (odd, split) => {
        expect(readInTwo(reader, odd, split)).toEqual(readInTwo(reader, odd, odd.length));
      }),
      { numRuns: 1000 },
    );
  });
});

/** Any JSON, or a real line with any JSON somewhere in it. */
function oddLine(lines: readonly object[]): fc.Arbitrary<unknown> {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom("__proto__", "x".repeat(10_000), 1e300, -1, "", "t1", "c1", "<private>"),
  );
  const mutated = fc
    .tuple(fc.constantFrom(...lines), fc.nat(), value, fc.boolean())
    .map(([line, index, odd, isGone]) => replaceAt(structuredClone(line), index, odd, isGone));
  return fc.oneof(
    { weight: 1, arbitrary: fc.jsonValue() },
    { weight: 4, arbitrary: mutated },
    { weight: 4, arbitrary: fc.constantFrom(...lines) },
  );
}

function replaceAt(line: object, index: number, odd: unknown, isGone: boolean): object {
  const fields: [Record<string, unknown>, string][] = [];
  const visit = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    for (const key of Object.keys(value)) {
      fields.push([value as Record<string, unknown>, key]);
      visit((value as Record<string, unknown>)[key]);
    }
  };
  visit(line);
  const [holder, key] = fields[index % fields.length] ?? [{}, ""];
  if (isGone) delete holder[key];
  else holder[key] = odd;
  return line;
}
