// Hook payloads give the same events as transcripts of the same sessions. Both were recorded from the real agents,
// except Cursor's, which are written from its documentation.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Activity, AgentEvent } from "../core/event.ts";
import { codexWire } from "./codex/event.ts";
import { codexReader } from "./codex/transcript.ts";
import { copilotWire } from "./copilot-cli/event.ts";
import { cursorWire } from "./cursor/event.ts";
import { geminiWire } from "./gemini-cli/event.ts";
import { geminiReader } from "./gemini-cli/transcript.ts";
import type { HookWire } from "./hook-wire.ts";
import { openCodeWire } from "./opencode/event.ts";
import { openCodeToolUse } from "./opencode/tool.ts";

const FIXTURES = join(import.meta.dirname, "../../test/fixtures/agent-hooks");
const payload = (agent: string, name: string): object =>
  JSON.parse(readFileSync(join(FIXTURES, agent, `${name}.json`), "utf8")) as object;
const transcript = (agent: string, name: string): string => readFileSync(join(FIXTURES, agent, name), "utf8");

interface Given {
  command: string;
  payload: unknown;
  readEnd?: (path: string) => string | undefined;
  at?: number;
}
const eventOf = (wire: HookWire, given: Given) =>
  wire.event({ cwd: () => "/cwd", readEnd: () => undefined, at: 1000, env: { HOME: "/home/ada" }, ...given });

const file = (agent: string, name: string) => ({
  agent,
  path: join(FIXTURES, agent, name),
  sessionId: "?",
  isSubagent: false,
  modifiedAt: 0,
  bytes: 0,
});

type Kind<K extends Activity["kind"]> = Extract<Activity, { kind: K }>;
const only = <K extends Activity["kind"]>(events: readonly (AgentEvent | undefined)[], kind: K): Kind<K>[] =>
  events.flatMap((event) => (event?.activity.kind === kind ? [event.activity as Kind<K>] : []));

describe("Codex CLI's hooks", () => {
  const lines = transcript("codex", "rollout.jsonl");
  const wrote = (() => {
    const state = codexReader.start(file("codex", "rollout.jsonl"));
    const events = lines.trim().split("\n");
    return events.flatMap((line) => codexReader.read(state, JSON.parse(line), { unknown: {} }));
  })();
  const COMMANDS = {
    SessionStart: "context",
    UserPromptSubmit: "new",
    PreToolUse: "recall",
    PostToolUse: "save",
    Stop: "summary",
    SessionEnd: "cleanup",
  };
  const events = readdirSync(join(FIXTURES, "codex"))
    .filter((name) => name.endsWith(".json"))
    .map((name) => {
      const command = COMMANDS[name.slice(3, -".json".length) as keyof typeof COMMANDS];
      const value = payload("codex", name.slice(0, -".json".length));
      return eventOf(codexWire, { command, payload: value, readEnd: () => lines });
    });

  it("give the same session, prompt and tool uses as the rollout", () => {
    expect(new Set(events.map((event) => event?.sessionId))).toEqual(new Set([wrote[0]?.sessionId]));
    expect(only(events, "prompt")).toEqual(only(wrote, "prompt"));
    const same = ({ toolUseId, promptId, name, input, output, isError, exitCode, files }: Kind<"tool-use">) => {
      // The patch alone does not have the line counts.
      const touched = files.map(({ path, kind }) => ({ path, kind }));
      return { toolUseId, promptId, name, input, output, isError, exitCode, touched };
    };
    expect(only(events, "tool-use").map(same)).toEqual(only(wrote, "tool-use").map(same));
    expect(only(events, "turn-end")).toMatchObject([{ response: "All done: app.txt changed." }]);
    expect(only(events, "session-end")).toHaveLength(1);
  });

  it("look up commands and patches before they run", () => {
    expect(only(events, "tool-start")).toMatchObject([
      { name: "Bash", input: { command: "cat app.txt" } },
      { name: "Bash", input: { command: "ls nope-dir" } },
      { name: "Edit", path: "/home/ada/app/app.txt" },
    ]);
  });

  it("leave a command without an exit code to the rollout", () => {
    expect(eventOf(codexWire, { command: "save", payload: payload("codex", "04-PostToolUse") })).toBeUndefined();
  });

  it("are answered only with fields that Codex accepts", () => {
    expect(codexWire.answer("save", undefined, {})).toEqual({});
    expect(codexWire.answer("summary", { kind: "turn-end" }, {})).toEqual({});
    expect(codexWire.answer("new", { kind: "prompt", text: "x" }, { text: "Told." })).toEqual({
      hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "Told." },
    });
  });
});

describe("Gemini CLI's hooks", () => {
  const wrote = geminiReader.read(file("gemini-cli", "session.jsonl"), { unknown: {} });
  const reduced = (command: string, name: string) =>
    eventOf(geminiWire, { command, payload: payload("gemini-cli", name), at: Date.parse("2026-11-15T16:24:43Z") });

  it("give the same session and texts as the chat, without injected text", () => {
    const prompt = reduced("new", "02-BeforeAgent");
    expect(prompt?.sessionId).toBe(wrote[0]?.sessionId);
    const [written] = only(wrote, "prompt");
    expect(prompt?.activity).toEqual({ kind: "prompt", text: written?.text });
    expect(prompt?.at).toBe(Date.parse("2026-11-15T16:24:42.142Z"));
    expect(reduced("summary", "12-AfterAgent")?.activity).toEqual({
      kind: "turn-end",
      response: "All done: app.txt changed.",
    });
    expect(reduced("context", "01-SessionStart")?.activity).toEqual({ kind: "session-start", source: "startup" });
    expect(reduced("cleanup", "13-SessionEnd")?.activity).toEqual({ kind: "session-end", reason: "exit" });
  });

  it("look up files after they were read and failed commands, and leave tool uses to the chat", () => {
    expect(geminiWire.toolsFromTranscript).toBe(true);
    expect(reduced("save", "05-AfterTool")?.activity).toMatchObject({
      kind: "tool-start",
      name: "Read",
      path: "/home/ada/app/app.txt",
    });
    const [, failed] = only(wrote, "tool-use");
    const { toolUseId: _, promptId: __, ...use } = failed ?? ({} as Kind<"tool-use">);
    expect(reduced("save", "07-AfterTool")?.activity).toEqual(use);
  });

  it("ignore PreCompress, which runs before every request", () => {
    expect(reduced("summary", "03-PreCompress")).toBeUndefined();
  });
});

describe("Copilot CLI's hooks", () => {
  const reduced = (command: string, name: string) =>
    eventOf(copilotWire, { command, payload: payload("copilot-cli", name) });

  it("give prompts, turn ends and the path of the transcript", () => {
    expect(reduced("new", "02-userPromptSubmitted")).toMatchObject({
      agent: "copilot-cli",
      sessionId: "ac06754d-0c2e-40e0-ac68-607690766341",
      cwd: "/home/ada/app",
      transcriptPath: "/home/ada/.copilot/session-state/ac06754d-0c2e-40e0-ac68-607690766341/events.jsonl",
      activity: { kind: "prompt", text: "please look at app.txt and change it" },
    });
    expect(reduced("context", "01-sessionStart")?.activity).toEqual({ kind: "session-start", source: "startup" });
    expect(reduced("summary", "11-agentStop")?.activity).toEqual({ kind: "turn-end" });
    expect(reduced("cleanup", "12-sessionEnd")?.activity).toEqual({ kind: "session-end", reason: "complete" });
  });

  it("look up files before the tool runs, and failed commands after it", () => {
    expect(reduced("recall", "03-preToolUse")?.activity).toMatchObject({
      kind: "tool-start",
      name: "Read",
      path: "/home/ada/app/app.txt",
    });
    expect(reduced("save", "06-postToolUse")?.activity).toMatchObject({
      name: "Bash",
      output: "ls: cannot access 'nope-dir': No such file or directory",
      exitCode: 2,
      isError: true,
    });
    expect(reduced("save", "08-postToolUse")?.activity).toMatchObject({ name: "Edit", isError: false });
  });

  it("look up nothing for tools without a file or command", () => {
    const grep = { sessionId: "s", toolName: "grep", toolArgs: { pattern: "x" } };
    expect(eventOf(copilotWire, { command: "recall", payload: grep })).toBeUndefined();
  });

  it("may have arguments as text, and an error instead of a result", () => {
    const failure = { sessionId: "s", toolName: "edit", toolArgs: '{"path":"/a.txt"}', error: "No match" };
    expect(eventOf(copilotWire, { command: "save", payload: failure })?.activity).toMatchObject({
      name: "Edit",
      input: { file_path: "/a.txt" },
      output: "No match",
      isError: true,
      files: [],
    });
  });
});

describe("OpenCode's plugin", () => {
  const base = { sessionID: "ses_1", directory: "/home/ada/app" };

  it("gives the same tool use as OpenCode's own file", () => {
    const args = { filePath: "/home/ada/app/app.txt", oldString: "hello", newString: "hello world" };
    const metadata = { diff: "@@ -1,1 +1,1 @@\n-hello\n+hello world\n", filediff: { additions: 1, deletions: 1 } };
    const output = "Edit applied successfully.";
    const sent = { ...base, messageID: "msg_1", callID: "call_2", tool: "edit", args, output, metadata };
    const part = {
      type: "tool",
      tool: "edit",
      callID: "call_2",
      state: { status: "completed", input: args, output, metadata },
    };
    expect(eventOf(openCodeWire, { command: "save", payload: sent })).toEqual({
      agent: "opencode",
      sessionId: "ses_1",
      cwd: "/home/ada/app",
      transcriptPath: "/home/ada/.local/share/opencode/opencode.db#ses_1",
      at: 1000,
      activity: { ...openCodeToolUse(part, "/home/ada/app")?.use, promptId: "msg_1" },
    });
  });

  it("gives the typed text, and a subagent as part of the session that started it", () => {
    const parts = [
      { type: "text", text: "Fix it" },
      { type: "text", synthetic: true, text: "a file" },
    ];
    const prompt = { ...base, messageID: "msg_1", parts };
    expect(eventOf(openCodeWire, { command: "new", payload: prompt })?.activity).toEqual({
      kind: "prompt",
      promptId: "msg_1",
      text: "Fix it",
    });
    const child = { ...prompt, rootID: "ses_0", agent: "explore" };
    expect(eventOf(openCodeWire, { command: "new", payload: child })).toBeUndefined();
    expect(eventOf(openCodeWire, { command: "summary", payload: child })).toMatchObject({
      sessionId: "ses_0",
      agentId: "ses_1",
      agentType: "explore",
    });
  });
});

describe("Cursor's hooks", () => {
  const base = {
    conversation_id: "c1",
    generation_id: "g1",
    workspace_roots: ["/home/ada/app"],
    cursor_version: "2.4",
  };
  const reduced = (command: string, name: string, extra: object) =>
    eventOf(cursorWire, { command, payload: { ...base, hook_event_name: name, ...extra } });

  it("give prompts, responses and tool uses", () => {
    expect(reduced("new", "beforeSubmitPrompt", { prompt: "Fix it" })).toMatchObject({
      agent: "cursor",
      sessionId: "c1",
      cwd: "/home/ada/app",
      activity: { kind: "prompt", promptId: "g1", text: "Fix it" },
    });
    expect(reduced("summary", "afterAgentResponse", { text: "Done." })?.activity).toEqual({
      kind: "response",
      promptId: "g1",
      text: "Done.",
    });
    expect(reduced("summary", "stop", { status: "completed" })?.activity).toEqual({ kind: "turn-end", promptId: "g1" });
    expect(reduced("summary", "stop", { status: "aborted" })?.activity).toEqual({
      kind: "turn-end",
      promptId: "g1",
      isInterrupted: true,
    });
    const shell = { tool_name: "Shell", tool_use_id: "t1", tool_input: { command: "npm test" }, duration: 12 };
    expect(reduced("save", "postToolUse", { ...shell, tool_output: '{"output":"ok","exitCode":0}' })?.activity).toEqual(
      {
        kind: "tool-use",
        promptId: "g1",
        toolUseId: "t1",
        name: "Bash",
        input: { command: "npm test" },
        output: "ok",
        isError: false,
        exitCode: 0,
        durationMs: 12,
        files: [],
      },
    );
    const failed = { ...shell, error_message: "Command failed with exit code 2" };
    expect(reduced("save", "postToolUseFailure", failed)?.activity).toMatchObject({ isError: true, exitCode: 2 });
    const write = { tool_name: "Write", tool_use_id: "t2", tool_input: { file_path: "a.txt", content: "a\nb\n" } };
    expect(reduced("save", "postToolUse", write)?.activity).toMatchObject({
      files: [{ path: "/home/ada/app/a.txt", kind: "edit", added: 2 }],
    });
  });

  it("give C-Mem's own tools a name that is not recorded", () => {
    const events = ["MCP:find_fix", "MCP:query"].map((tool) => reduced("save", "postToolUse", { tool_name: tool }));
    expect(only(events, "tool-use").map((use) => use.name)).toEqual(["c-mem__find_fix", "mcp__query"]);
  });

  it("are answered with context only, never with a permission", () => {
    expect(cursorWire.answer("new", { kind: "prompt", text: "x" }, { message: "For people." })).toEqual({});
    expect(cursorWire.answer("context", undefined, { text: "Told." })).toEqual({ additional_context: "Told." });
  });
});

describe("any wire", () => {
  it.each([
    ["codex", codexWire],
    ["gemini-cli", geminiWire],
    ["copilot-cli", copilotWire],
    ["opencode", openCodeWire],
    ["cursor", cursorWire],
  ])("of %s ignores foreign and odd payloads", (_, wire) => {
    for (const odd of [
      undefined,
      null,
      1,
      "x",
      [],
      {},
      { session_id: 1 },
      { hook_event_name: "Elsewhere", session_id: "s" },
    ]) {
      for (const command of ["context", "new", "recall", "save", "summary", "cleanup", "other"]) {
        expect(eventOf(wire, { command, payload: odd })).toBeUndefined();
      }
    }
  });
});

describe("the time in a payload", () => {
  const now = Date.parse("2026-02-03T04:05:06Z");
  const wires: [string, HookWire, object][] = [
    ["Codex", codexWire, { hook_event_name: "UserPromptSubmit", session_id: "s" }],
    ["Gemini", geminiWire, { hook_event_name: "BeforeAgent", session_id: "s" }],
    ["Copilot", copilotWire, { sessionId: "s" }],
  ];
  it.each(wires)("is used by %s only if it is plausible", (_name, wire, about) => {
    const at = (timestamp: unknown) =>
      eventOf(wire, { command: "new", payload: { ...about, prompt: "Go", timestamp }, at: now })?.at;
    expect(at(now - 60_000)).toBe(now - 60_000);
    expect(["1999-01-01T00:00:00Z", now + 3_600_000, "soon"].map(at)).toEqual([now, now, now]);
  });
});
