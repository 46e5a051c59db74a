import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findGeminiTranscripts } from "./discover.ts";
import { geminiReader } from "./transcript.ts";

const START = "2025-11-20T14:00:00.000Z";
const message = (id: string, type: string, content: unknown, extra = {}) => ({
  id,
  timestamp: START,
  type,
  content,
  ...extra,
});
const tool = (name: string, args: object, output: string, extra = {}) => ({
  id: `${name}-1`,
  name,
  args,
  status: "success",
  timestamp: START,
  result: [{ functionResponse: { id: `${name}-1`, name, response: { output } } }],
  ...extra,
});
const SESSION = "0f0f0f0f-1111-2222-3333-444444444444";
const chat = (messages: object[], extra = {}) => ({
  sessionId: SESSION,
  projectHash: createHash("sha256").update("/home/me/app").digest("hex"),
  startTime: START,
  lastUpdated: START,
  messages,
  ...extra,
});

function machine(files: Record<string, string>) {
  const home = mkdtempSync(join(tmpdir(), "c-mem-gemini-"));
  for (const [path, text] of Object.entries(files)) {
    const whole = join(home, ".gemini", path);
    mkdirSync(join(whole, ".."), { recursive: true });
    writeFileSync(whole, text);
  }
  const found = findGeminiTranscripts({ GEMINI_CLI_HOME: home });
  const notes = { unknown: {} };
  return { home, found, notes, events: found.flatMap((file) => geminiReader.read(file, notes)) };
}
const activities = (...messages: object[]) =>
  machine({ "tmp/app/chats/session-x.json": JSON.stringify(chat(messages)) }).events.map((event) => event.activity);

describe("a Gemini CLI chat", () => {
  it("in one JSON file gives prompts, messages, tool uses and the title", () => {
    const { found, events } = machine({
      "tmp/app/.project_root": "/home/me/app\n",
      "tmp/app/chats/session-2025-11-20T14-00-0f0f0f0f.json": JSON.stringify(
        chat(
          [
            message("u0", "user", "<session_context>\nToday is"),
            message("u1", "user", [{ text: "Back up my photos" }, { inlineData: {} }]),
            message("g1", "gemini", "I will.", {
              model: "gemini-3-pro",
              thoughts: [{ subject: "Plan", description: "Use rsync", timestamp: START }],
              tokens: { input: 100, output: 10, cached: 60, thoughts: 5, tool: 0, total: 115 },
              toolCalls: [tool("read_file", { file_path: "a.txt" }, "hello")],
            }),
            message("i1", "info", "Update available"),
          ],
          { summary: "Backing up photos" },
        ),
        undefined,
        2,
      ),
    });
    expect(found).toMatchObject([{ agent: "gemini-cli", sessionId: SESSION, isSubagent: false }]);
    const header = { agent: "gemini-cli", sessionId: SESSION, transcriptPath: found[0]?.path, cwd: "/home/me/app" };
    expect(events).toEqual(
      [
        { kind: "prompt", promptId: "u1", text: "Back up my photos" },
        {
          kind: "message",
          uuid: "g1",
          promptId: "u1",
          role: "assistant",
          text: "I will.",
          thinking: "Plan: Use rsync",
          model: "gemini-3-pro",
          tokens: { input: 40, output: 15, cacheRead: 60 },
        },
        {
          kind: "tool-use",
          toolUseId: "read_file-1",
          promptId: "u1",
          name: "Read",
          input: { file_path: "a.txt" },
          output: "hello",
          isError: false,
          files: [{ path: "/home/me/app/a.txt", kind: "read" }],
        },
        { kind: "title", title: "Backing up photos" },
        { kind: "response", promptId: "u1", text: "I will." },
      ].map((activity) => ({ ...header, at: Date.parse(START), activity })),
    );
  });

  it("with one line per message gives the newest version of each", () => {
    const { messages: _, ...meta } = chat([]);
    const { events, notes } = machine({
      "tmp/app/chats/session-2026-04-01T10-00-0f0f0f0f.jsonl": [
        meta,
        message("u1", "user", "one"),
        message("g1", "gemini", "first"),
        message("g1", "gemini", "first, and more"),
        { $set: { lastUpdated: START } },
        { $set: { summary: "A title", messages: [message("u9", "user", "<state_snapshot>all</state_snapshot>")] } },
        { $rewindTo: "u1" },
        message("u2", "user", "@a.txt two", { displayContent: "two" }),
        { odd: true },
      ]
        .map((line) => JSON.stringify(line))
        .concat('{"cut": "of')
        .join("\n"),
    });
    expect(events.map((event) => event.activity)).toMatchObject([
      { kind: "prompt", promptId: "u1", text: "one" },
      { kind: "message", uuid: "g1", text: "first, and more" },
      { kind: "compaction", uuid: "u9", summary: "<state_snapshot>all</state_snapshot>" },
      { kind: "turn-end", promptId: "u1", response: "first, and more" },
      { kind: "prompt", promptId: "u2", text: "two" },
      { kind: "title", title: "A title" },
    ]);
    expect(notes.unknown).toEqual({ "(no type)": 1, "(no JSON)": 1 });
  });

  it.each([
    [
      tool("run_shell_command", { command: "ls" }, "Output: a\nb\nProcess Group PGID: 7"),
      { name: "Bash", input: { command: "ls" }, output: "a\nb", exitCode: 0, isError: false },
    ],
    [
      tool(
        "run_shell_command",
        { command: "x" },
        "Command: x\nDirectory: (root)\nOutput: no\nError: (none)\nExit Code: 2\nSignal: (none)",
      ),
      { name: "Bash", output: "no", exitCode: 2, isError: true },
    ],
    [
      tool(
        "write_file",
        { file_path: "/w/n.md", content: "1\n2\n" },
        "Successfully created and wrote to new file: /w/n.md.",
      ),
      { name: "Write", files: [{ path: "/w/n.md", kind: "create", added: 2, removed: 0 }] },
    ],
    [
      tool("replace", { file_path: "/w/a.js", old_string: "x", new_string: "y" }, "Modified", {
        resultDisplay: { fileDiff: "--- a.js\n+++ a.js\n@@ -1,2 +1,2 @@\n-x\n+y\n+z\n", fileName: "a.js" },
      }),
      { name: "Edit", files: [{ path: "/w/a.js", kind: "edit", added: 2, removed: 1 }] },
    ],
    [
      tool("replace", { file_path: "/w/a.js", old_string: "x", new_string: "y" }, "", { status: "cancelled" }),
      { name: "Edit", isError: true, files: [] },
    ],
    [tool("save_memory", { fact: "x" }, "ok"), { name: "save_memory", input: { fact: "x" }, files: [] }],
  ])("reads %j", (toolCall, expected) => {
    const [activity] = activities(message("g1", "gemini", "", { toolCalls: [toolCall] }));
    expect(activity).toMatchObject({ kind: "tool-use", ...expected });
  });

  it("waits for a tool that is still running", () => {
    const running = tool("run_shell_command", { command: "ls" }, "", { status: "executing" });
    expect(activities(message("g1", "gemini", "", { toolCalls: [running] }))).toEqual([]);
  });

  it("skips a wholly private turn", () => {
    expect(activities(message("u1", "user", "<private>x</private>"), message("g1", "gemini", "x"))).toEqual([]);
  });

  it("of a subagent is skipped only if a wholly private prompt started it", () => {
    const at = (minute: number) => `2025-11-20T14:0${minute}:00.000Z`;
    const sub = (id: string, minute: number) => {
      const { messages: _, ...meta } = chat([], { sessionId: id, kind: "subagent", startTime: at(minute) });
      return [meta, message("g1", "gemini", `by ${id}`, { timestamp: at(minute) })]
        .map((line) => JSON.stringify(line))
        .join("\n");
    };
    const { events } = machine({
      "tmp/app/chats/session-2025-11-20T14-00-0f0f0f0f.json": JSON.stringify(
        chat([
          message("u1", "user", "Look around", { timestamp: at(1) }),
          message("u2", "user", "<private>hush</private>", { timestamp: at(3) }),
          message("u3", "user", "And now", { timestamp: at(5) }),
        ]),
      ),
      [`tmp/app/chats/${SESSION}/before.jsonl`]: sub("before", 2),
      [`tmp/app/chats/${SESSION}/hidden.jsonl`]: sub("hidden", 4),
      [`tmp/app/chats/${SESSION}/after.jsonl`]: sub("after", 6),
    });
    const said = events.flatMap(({ activity }) => (activity.kind === "message" ? [activity.text] : []));
    expect(said.sort()).toEqual(["by after", "by before"]);
  });

  it("of an older version gets its folder from the hash, else from its own path", () => {
    const read = tool("read_file", { absolute_path: "/home/me/app/src/a.ts" }, "");
    const where = (messages: object[]) => machine({ "tmp/abc/chats/session-x.json": JSON.stringify(chat(messages)) });
    expect(where([message("g1", "gemini", "hi", { toolCalls: [read] })]).events[0]?.cwd).toBe("/home/me/app");
    const lost = where([message("g1", "gemini", "hi")]);
    expect(lost.events[0]?.cwd).toBe(join(lost.home, ".gemini", "tmp", "abc"));
    const known = machine({
      "projects.json": JSON.stringify({ projects: { "/home/me/app": "app" } }),
      "tmp/abc/chats/session-x.json": JSON.stringify(chat([message("g1", "gemini", "hi")])),
    });
    expect(known.events[0]?.cwd).toBe("/home/me/app");
  });

  it("of a subagent belongs to the session that its folder names", () => {
    const { messages: _, ...meta } = chat([], { sessionId: "sub-1", kind: "subagent" });
    const lines = [meta, message("u1", "user", "task"), message("g1", "gemini", "report")];
    const { events } = machine({
      [`tmp/app/chats/${SESSION}/sub-1.jsonl`]: lines.map((line) => JSON.stringify(line)).join("\n"),
    });
    expect(events).toMatchObject([
      { sessionId: SESSION, agentId: "sub-1", activity: { kind: "message", text: "report" } },
      { sessionId: SESSION, agentId: "sub-1", activity: { kind: "turn-end", response: "report" } },
    ]);
  });
});
