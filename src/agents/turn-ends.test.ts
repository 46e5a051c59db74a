// Tests how each agent's transcript shows that a turn ended, was interrupted or may continue.
import { describe, expect, it } from "vitest";
import type { Activity } from "../core/event.ts";
import { claudeCodeReader } from "./claude-code/transcript.ts";
import { codexReader } from "./codex/transcript.ts";
import { copilotReader } from "./copilot-cli/transcript.ts";
import { geminiReader } from "./gemini-cli/transcript.ts";
import type { LineReader, TranscriptFile } from "./transcript.ts";

const file: TranscriptFile = {
  agent: "a",
  path: "/p/chats/s.jsonl",
  sessionId: "s",
  isSubagent: false,
  modifiedAt: 0,
  bytes: 0,
};
const timestamp = "2026-01-02T03:04:05.000Z";
type Outcome = "ended" | "interrupted" | "open";

function outcome(activities: readonly Activity[]): Outcome {
  const last = activities.findLast(({ kind }) => kind === "turn-end");
  if (last?.kind !== "turn-end") return "open";
  return last.isInterrupted === true ? "interrupted" : "ended";
}

function readLines<State>(reader: LineReader<State>, lines: readonly object[]): Activity[] {
  const state = reader.start(file);
  const notes = { unknown: {} };
  const events = [...lines.flatMap((line) => reader.read(state, line, notes)), ...reader.flush(state)];
  expect(notes.unknown).toEqual({});
  return events.map(({ activity }) => activity);
}

describe("a Claude Code transcript", () => {
  const line = (value: object) => ({ cwd: "/app", timestamp, ...value });
  const user = (content: unknown) => line({ type: "user", uuid: "u", message: { role: "user", content } });
  const says = (block: object, stop_reason: string | null) =>
    line({ type: "assistant", message: { id: "m", role: "assistant", content: [block], stop_reason } });
  const text = { type: "text", text: "Well." };
  const call = { type: "tool_use", id: "t1", name: "Bash", input: {} };
  const result = { type: "tool_result", tool_use_id: "t1", content: "ok" };
  const rejected = { type: "text", text: "[Request interrupted by user for tool use]" };

  const CASES: [lines: object[], expected: Outcome][] = [
    [[], "open"],
    [[says(text, "end_turn")], "ended"],
    [[says(text, null)], "ended"],
    [[says(text, "max_tokens")], "ended"],
    [[says(text, "tool_use")], "open"],
    [[says(text, null), says(call, null)], "open"],
    [[says(call, "tool_use"), user([result])], "open"],
    [[says({ type: "thinking", thinking: "Hm." }, null)], "open"],
    [[says(call, null), user([result]), line({ type: "system", subtype: "turn_duration", durationMs: 5 })], "ended"],
    [[says(text, null), says(call, null), user([result, rejected])], "interrupted"],
    [
      [says(call, null), user([result]), user([{ type: "text", text: "[Request interrupted by user]" }])],
      "interrupted",
    ],
    [[user("[Request interrupted by user]")], "interrupted"],
    [[says(text, null), user("<task-notification>done</task-notification>")], "open"],
    [[says(text, null), user("<local-command-stdout>Bye!</local-command-stdout>")], "ended"],
    [[user("[Request interrupted by user]"), user("Go on"), says(text, "end_turn")], "ended"],
  ];
  it.each(CASES.map((each, index) => [index + 1, ...each] as const))("case %i", (_index, lines, expected) => {
    expect(outcome(readLines(claudeCodeReader, [user("Fix it"), ...lines]))).toBe(expected);
  });

  it("names the interrupted turn, even with other lines after it", () => {
    const ends = readLines(claudeCodeReader, [
      user("One"),
      says(call, null),
      user("[Request interrupted by user]"),
      user("Two"),
      says(text, null),
    ]).filter(({ kind }) => kind === "turn-end");
    expect(ends).toMatchObject([{ isInterrupted: true }, { response: "Well." }]);
    expect(ends[1]).not.toHaveProperty("isInterrupted");
  });
});

describe("a Codex rollout", () => {
  const line = (type: string, payload: object) => ({ timestamp, type, payload });
  const event = (type: string, extra = {}) => line("event_msg", { type, ...extra });
  const says = (phase?: string) =>
    line("response_item", {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "Well." }],
      phase,
    });
  const call = line("response_item", { type: "function_call", name: "shell", arguments: "{}", call_id: "c1" });

  const CASES: [lines: object[], expected: Outcome][] = [
    [[says("final_answer"), event("task_complete")], "ended"],
    [[says("final_answer")], "ended"],
    [[says()], "ended"],
    [[says("commentary")], "open"],
    [[says(), call], "open"],
    [[call, event("turn_aborted", { reason: "interrupted" })], "interrupted"],
    [[call, event("turn_aborted", { reason: "replaced" })], "open"],
  ];
  it.each(CASES.map((each, index) => [index + 1, ...each] as const))("case %i", (_index, lines, expected) => {
    const start = [
      line("session_meta", { id: "0199aaaa-0000-7000-8000-000000000000", cwd: "/app" }),
      event("user_message", { message: "Fix it" }),
    ];
    expect(outcome(readLines(codexReader, [...start, ...lines]))).toBe(expected);
  });
});

describe("a Copilot CLI session", () => {
  const line = (type: string, data: object) => ({ type, data, id: type, timestamp });
  const says = (...toolRequests: object[]) =>
    line("assistant.message", { messageId: "m", content: "Well.", toolRequests });
  const call = line("tool.execution_start", { toolCallId: "c1", toolName: "bash", arguments: {} });

  const CASES: [lines: object[], expected: Outcome][] = [
    [[says(), line("assistant.turn_end", {})], "ended"],
    [[says({ toolCallId: "c1" })], "open"],
    [[says({ toolCallId: "c1" }), call], "open"],
    [[says({ toolCallId: "c1" }), call, line("abort", { reason: "user_initiated" })], "interrupted"],
  ];
  it.each(CASES.map((each, index) => [index + 1, ...each] as const))("case %i", (_index, lines, expected) => {
    const start = [
      line("session.start", { sessionId: "s", context: { cwd: "/app" } }),
      line("user.message", { content: "Fix it" }),
    ];
    expect(outcome(readLines(copilotReader, [...start, ...lines]))).toBe(expected);
  });

  it("gives the end of the session if Copilot was closed", () => {
    const lines = [line("user.message", { content: "Fix it" }), line("session.shutdown", { shutdownType: "routine" })];
    expect(readLines(copilotReader, lines)).toContainEqual({ kind: "session-end", reason: "routine" });
  });
});

describe("a Gemini CLI chat", () => {
  const message = (type: string, content: string, extra = {}) => ({
    id: `${type}1`,
    timestamp,
    type,
    content,
    ...extra,
  });
  const tool = (status: string) => ({
    toolCalls: [{ id: "c1", name: "glob", args: {}, status, timestamp, result: [] }],
  });

  const CASES: [messages: object[], expected: Outcome][] = [
    [[message("gemini", "Well.")], "ended"],
    [[message("gemini", "I will.", tool("success"))], "open"],
    [[message("gemini", "I will.", tool("cancelled"))], "interrupted"],
    [[message("gemini", "I will.", tool("success")), message("info", "Request cancelled.")], "interrupted"],
  ];
  it.each(CASES.map((each, index) => [index + 1, ...each] as const))("case %i", (_index, messages, expected) => {
    const chat = { sessionId: "s", startTime: timestamp, messages: [message("user", "Fix it"), ...messages] };
    const events = geminiReader.read(file, { unknown: {} }, JSON.stringify(chat));
    expect(outcome(events.map(({ activity }) => activity))).toBe(expected);
  });
});
