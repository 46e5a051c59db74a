import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { copilotHistoryReader } from "./copilot-cli/history.ts";
import { geminiReader } from "./gemini-cli/transcript.ts";
import { openCodeReader } from "./opencode/transcript.ts";
import type { TranscriptFile } from "./transcript.ts";

const root = mkdtempSync(join(tmpdir(), "c-mem-documents-"));
const file = (path: string): TranscriptFile => ({
  agent: "x",
  path: join(root, path),
  sessionId: "s",
  isSubagent: false,
  modifiedAt: 1,
  bytes: 0,
});
function write(path: string, text: string): void {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
}

const odd = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom("__proto__", "x".repeat(10_000), 1e300, "user", "gemini", "tool", "success"),
);
const record = (shape: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(
    Object.fromEntries(
      Object.entries(shape).map(([key, value]) => [
        key,
        fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: odd }),
      ]),
    ),
    { requiredKeys: [] },
  );
const list = (item: fc.Arbitrary<unknown>) =>
  fc.array(fc.oneof({ weight: 5, arbitrary: item }, { weight: 1, arbitrary: odd }), { maxLength: 5 });
const text = fc.constantFrom("hi", "", "<private>x</private>", "<state_snapshot>x", "Output: x\nExit Code: 1");
const RUNS = { numRuns: 300 };

describe("reading odd documents never throws", () => {
  it("of Gemini CLI", () => {
    const call = record({
      id: fc.constant("t1"),
      name: fc.constantFrom("run_shell_command", "replace", "write_file", "read_file", "x"),
      args: record({
        file_path: fc.constant("a"),
        absolute_path: fc.constant("/a"),
        old_string: text,
        new_string: text,
      }),
      status: fc.constantFrom("success", "error"),
      result: list(record({ functionResponse: record({ response: record({ output: text, error: text }) }) })),
      resultDisplay: record({ fileDiff: text, diffStat: odd }),
    });
    const message = record({
      id: fc.constantFrom("a", "b"),
      type: fc.constantFrom("user", "gemini", "info"),
      timestamp: fc.constant("2026-01-01T00:00:00Z"),
      content: fc.oneof(text, list(record({ text }))),
      toolCalls: list(call),
      thoughts: list(record({ subject: text, description: text })),
      tokens: record({ input: fc.nat(), output: fc.nat(), cached: fc.nat() }),
    });
    const chat = record({
      sessionId: fc.constant("s"),
      projectHash: fc.constant("h"),
      messages: list(message),
      summary: text,
    });
    const lines = list(fc.oneof(message, record({ $set: chat }), record({ $rewindTo: text })));
    fc.assert(
      fc.property(chat, lines, (whole, parts) => {
        write("gemini/chats/session-1.json", JSON.stringify(whole));
        write("gemini/chats/session-2.jsonl", parts.map((part) => JSON.stringify(part)).join("\n"));
        expect(geminiReader.read(file("gemini/chats/session-1.json"), { unknown: {} })).toBeInstanceOf(Array);
        expect(geminiReader.read(file("gemini/chats/session-2.jsonl"), { unknown: {} })).toBeInstanceOf(Array);
      }),
      RUNS,
    );
  });

  it("of OpenCode", () => {
    const state = record({
      status: fc.constantFrom("completed", "error"),
      input: record({ command: text, filePath: text, oldString: text, newString: text, patchText: text }),
      output: text,
      metadata: record({ exit: fc.nat(), diff: text, filediff: odd, files: list(odd), exists: fc.boolean() }),
      time: record({ start: fc.nat(), end: fc.nat() }),
    });
    const part = record({
      type: fc.constantFrom("text", "tool", "reasoning"),
      text,
      tool: fc.constantFrom("bash", "edit", "read", "write", "apply_patch"),
      callID: text,
      state,
    });
    const message = record({
      role: fc.constantFrom("user", "assistant"),
      time: record({ created: fc.nat() }),
      tokens: odd,
      path: odd,
      summary: fc.boolean(),
    });
    const session = record({ id: text, directory: text, title: text, parentID: text, time: odd });
    fc.assert(
      fc.property(session, message, part, (info, said, piece) => {
        write("storage/session/p/ses_1.json", JSON.stringify(info));
        write("storage/message/ses_1/msg_1.json", JSON.stringify(said));
        write("storage/part/msg_1/prt_1.json", JSON.stringify(piece));
        expect(openCodeReader.read(file("storage/session/p/ses_1.json"), { unknown: {} })).toBeInstanceOf(Array);
      }),
      RUNS,
    );
  });

  it("of the first Copilot CLI", () => {
    const call = record({
      id: fc.constant("t"),
      function: record({ name: fc.constantFrom("bash", "view"), arguments: text }),
    });
    const message = record({
      role: fc.constantFrom("user", "assistant", "tool"),
      content: text,
      tool_call_id: fc.constant("t"),
      tool_calls: list(call),
    });
    fc.assert(
      fc.property(record({ sessionId: text, startTime: text, chatMessages: list(message) }), (session) => {
        write("history/s.json", JSON.stringify(session));
        expect(copilotHistoryReader.read(file("history/s.json"), { unknown: {} })).toBeInstanceOf(Array);
      }),
      RUNS,
    );
  });
});
