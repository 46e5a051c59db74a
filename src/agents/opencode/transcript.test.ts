import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { TranscriptFile } from "../transcript.ts";
import { findOpenCodeTranscripts } from "./discover.ts";
import { openCodeReader } from "./transcript.ts";

const T = 1_760_000_000_000;
const session = (id: string, extra = {}) => ({
  id,
  projectID: "prj",
  directory: "/app",
  title: "Fixing the build",
  version: "1.1.0",
  time: { created: T, updated: T },
  ...extra,
});
const user = (id: string, extra = {}) => ({ id, role: "user", time: { created: T + 1 }, agent: "build", ...extra });
const assistant = (id: string, extra = {}) => ({
  id,
  role: "assistant",
  parentID: "msg_1",
  modelID: "claude-opus",
  providerID: "anthropic",
  mode: "build",
  path: { cwd: "/app/web", root: "/app" },
  tokens: { input: 3, output: 4, reasoning: 0, cache: { read: 5, write: 6 } },
  time: { created: T + 2, completed: T + 9 },
  ...extra,
});
const text = (words: string, extra = {}) => ({ type: "text", text: words, ...extra });
const tool = (name: string, input: object, state: object = {}) => ({
  type: "tool",
  callID: "call_1",
  tool: name,
  state: {
    status: "completed",
    input,
    output: "ok",
    title: "",
    metadata: {},
    time: { start: T + 3, end: T + 8 },
    ...state,
  },
});

type Content = { info: { id: string }; parts: object[] };
interface Given {
  info: { id: string };
  messages: Content[];
}
const given = (info: { id: string }, ...messages: Content[]): Given => ({ info, messages });
const said = (info: { id: string }, ...parts: object[]): Content => ({ info, parts });

/** The same sessions once as files and once as rows. */
function asFiles(data: string, sessions: readonly Given[]): void {
  const write = (path: string, value: object) => {
    mkdirSync(join(data, "opencode", "storage", path, ".."), { recursive: true });
    writeFileSync(join(data, "opencode", "storage", `${path}.json`), JSON.stringify(value, undefined, 2));
  };
  for (const { info, messages } of sessions) {
    write(`session/prj/${info.id}`, info);
    for (const { info: message, parts } of messages) {
      write(`message/${info.id}/${message.id}`, message);
      for (const [index, part] of parts.entries())
        write(`part/${message.id}/prt_${index}`, { id: `prt_${index}`, ...part });
    }
  }
}

function asRows(data: string, sessions: readonly Given[], name = "opencode.db"): void {
  mkdirSync(join(data, "opencode"), { recursive: true });
  const db = new DatabaseSync(join(data, "opencode", name));
  db.exec(`
    CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, slug text, directory text, title text, version text, time_created integer, time_updated integer);
    CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
    CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer, data text);`);
  for (const { info, messages } of sessions) {
    const {
      id,
      parentID = null,
      directory,
      title,
      version,
      time,
    } = info as ReturnType<typeof session> & { parentID?: string };
    db.prepare("INSERT INTO session VALUES (?, 'prj', ?, '', ?, ?, ?, ?, ?)").run(
      id,
      parentID,
      directory,
      title,
      version,
      time.created,
      time.updated,
    );
    for (const [order, { info: message, parts }] of messages.entries()) {
      const { id: messageId, ...rest } = message;
      db.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)").run(messageId, id, T + order, T, JSON.stringify(rest));
      for (const [index, part] of parts.entries()) {
        db.prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)").run(
          `${messageId}_${index}`,
          messageId,
          id,
          T,
          T + 50,
          JSON.stringify(part),
        );
      }
    }
  }
  db.close();
}

const LAYOUTS = [
  ["files", asFiles],
  ["a database", asRows],
] as const;

function machine(store: (data: string, sessions: readonly Given[]) => void, ...sessions: Given[]) {
  const data = mkdtempSync(join(tmpdir(), "c-mem-opencode-"));
  store(data, sessions);
  const found = findOpenCodeTranscripts({ XDG_DATA_HOME: data });
  const notes = { unknown: {} };
  return { data, found, notes, events: found.flatMap((file) => openCodeReader.read(file, notes)) };
}
const activities = (...messages: Content[]) =>
  machine(asFiles, given(session("ses_1", { title: "New session - 2026-01-01T00:00:00Z" }), ...messages)).events.map(
    (event) => event.activity,
  );

describe("a turn of OpenCode", () => {
  const call = tool("bash", { command: "make" });
  it.each([
    [
      "has ended after a message that calls no tool",
      assistant("msg_2", { finish: "stop" }),
      [text("Done.")],
      [{ kind: "turn-end" }],
    ],
    [
      "has ended even if the message does not say why it stopped",
      assistant("msg_2"),
      [text("Done.")],
      [{ kind: "turn-end" }],
    ],
    [
      "continues after a tool call",
      assistant("msg_2", { finish: "tool-calls" }),
      [text("Looking."), call],
      [{ kind: "response" }],
    ],
    [
      "was interrupted if its last message was aborted",
      assistant("msg_2", { error: { name: "MessageAbortedError", data: {} } }),
      [call],
      [{ kind: "turn-end", isInterrupted: true }],
    ],
  ])("%s", (_name, message, parts, expected) => {
    const found = activities(said(user("msg_1"), text("Fix it")), said(message, ...parts));
    expect(found.filter(({ kind }) => kind === "turn-end" || kind === "response")).toMatchObject(expected);
  });
});

describe.each(LAYOUTS)("an OpenCode session in %s", (_, store) => {
  it("gives prompts, messages, tool uses and the title", () => {
    const { found, events, notes } = machine(
      store,
      given(
        session("ses_1"),
        said(user("msg_1"), text("Fix the build"), text("file contents", { synthetic: true })),
        said(
          assistant("msg_2"),
          { type: "step-start" },
          { type: "reasoning", text: "Hm.", time: { start: T } },
          text("Looking."),
          tool("bash", { command: "make" }, { output: "boom", metadata: { exit: 2, output: "boom" } }),
          { type: "brand-new" },
        ),
      ),
    );
    expect(found).toMatchObject([{ agent: "opencode", sessionId: "ses_1", isSubagent: false }]);
    const header = { agent: "opencode", sessionId: "ses_1", transcriptPath: found[0]?.path, version: "1.1.0" };
    const promptId = "msg_1";
    expect(events).toEqual([
      { ...header, cwd: "/app", at: T + 1, activity: { kind: "prompt", promptId, text: "Fix the build" } },
      ...[
        {
          at: T + 2,
          activity: {
            kind: "message",
            uuid: "msg_2",
            parentUuid: "msg_1",
            promptId,
            role: "assistant",
            text: "Looking.",
            thinking: "Hm.",
            model: "claude-opus",
            tokens: { input: 3, output: 4, cacheRead: 5, cacheWrite: 6 },
          },
        },
        {
          at: T + 8,
          activity: {
            kind: "tool-use",
            toolUseId: "call_1",
            promptId,
            name: "Bash",
            input: { command: "make" },
            output: "boom",
            isError: true,
            exitCode: 2,
            durationMs: 5,
            files: [],
          },
        },
        { at: T + 2, activity: { kind: "title", title: "Fixing the build" } },
        { at: T + 2, activity: { kind: "response", promptId, text: "Looking." } },
      ].map((event) => ({ ...header, cwd: "/app/web", ...event })),
    ]);
    expect(notes.unknown).toEqual({ "brand-new": 1 });
  });

  it("that is a fork skips copied messages, as long as the original exists", () => {
    const history = [
      said(user("msg_1"), text("Fix the build")),
      said(assistant("msg_2"), text("Fixed."), tool("bash", { command: "make" })),
    ];
    const copy = history.map(({ info, parts }) => ({ info: { ...info, id: `${info.id}1` }, parts }));
    const time = { created: T + 100, updated: T + 100 };
    const forked = (original: Given[], ...messages: Content[]) =>
      machine(
        store,
        ...original,
        given(session("ses_2", { title: "Fixing the build (fork #1)", time }), ...copy, ...messages),
      )
        .events.filter(({ sessionId }) => sessionId === "ses_2")
        .map(({ activity }) => activity);
    const own = [
      said(user("msg_3", { time: { created: T + 200 } }), text("Now the tests")),
      said(assistant("msg_4", { time: { created: T + 201 } }), text("Tested.")),
    ];
    const original = [given(session("ses_1"), ...history)];
    expect(forked(original)).toEqual([]);
    expect(forked(original, ...own)).toMatchObject([
      { kind: "prompt", text: "Now the tests" },
      { kind: "message", text: "Tested.", promptId: "msg_3" },
      { kind: "title", title: "Fixing the build (fork #1)" },
      { kind: "origin", forkedFrom: "ses_1" },
      { kind: "turn-end", response: "Tested." },
    ]);
    const hush = said(user("msg_2b"), text("<private>hush</private>"));
    expect(forked(original, hush, ...own).map(({ kind }) => kind)).toEqual(["prompt", "message", "origin", "turn-end"]);
    expect(forked([], ...own).filter(({ kind }) => kind === "prompt")).toHaveLength(2);
    // Another session with the same title, and one in which a message was deleted since.
    const other = given(
      session("ses_0"),
      said(user("msg_0", { time: { created: T - 9 } }), text("Fix the other build")),
    );
    expect(forked([other], ...own).filter(({ kind }) => kind === "prompt")).toHaveLength(2);
    expect(forked([given(session("ses_1"), ...history.slice(0, 1))], ...own)).toMatchObject([
      { kind: "message", text: "Fixed." },
      { kind: "tool-use" },
      { kind: "turn-end", response: "Fixed." },
      { kind: "prompt", text: "Now the tests" },
      { kind: "message", text: "Tested." },
      { kind: "title" },
      { kind: "origin", forkedFrom: "ses_1" },
      { kind: "turn-end", response: "Tested." },
    ]);
  });

  it("of a subagent belongs to the session that a person sees", () => {
    const { found, events } = machine(
      store,
      given(session("ses_1")),
      given(session("ses_2", { parentID: "ses_1" })),
      given(
        session("ses_3", { parentID: "ses_2", title: "Child session - 2026-01-01T00:00:00Z" }),
        said(user("msg_1"), text("task")),
        said(assistant("msg_2", { agent: "explore" }), text("report")),
      ),
    );
    expect(found.map(({ sessionId, isSubagent }) => [sessionId, isSubagent])).toEqual([
      ["ses_1", false],
      ["ses_1", true],
      ["ses_1", true],
    ]);
    expect(events.filter((event) => event.agentId === "ses_3")).toMatchObject([
      { sessionId: "ses_1", agentType: "explore", activity: { kind: "message", text: "report" } },
      { sessionId: "ses_1", agentType: "explore", activity: { kind: "turn-end", response: "report" } },
    ]);
  });

  it("started by a private prompt is skipped", () => {
    const started = (id: string, child: string) =>
      said(assistant(id), tool("task", {}, { metadata: { sessionId: child } }));
    const { events } = machine(
      store,
      given(
        session("ses_1"),
        said(user("msg_1"), text("<private>hush</private>")),
        started("msg_2", "ses_2"),
        said(user("msg_3"), text("go on")),
        started("msg_4", "ses_4"),
      ),
      given(session("ses_2", { parentID: "ses_1" }), started("msg_5", "ses_3")),
      given(session("ses_3", { parentID: "ses_2" }), said(assistant("msg_6"), text("hush"))),
      given(session("ses_4", { parentID: "ses_1" }), said(assistant("msg_7"), text("open"))),
    );
    expect(new Set(events.map((event) => event.agentId))).toEqual(new Set([undefined, "ses_4"]));
    expect(JSON.stringify(events)).not.toContain("hush");
  });
});

describe("an OpenCode session", () => {
  it.each([
    [
      tool(
        "edit",
        { filePath: "a.ts", oldString: "a", newString: "b" },
        { metadata: { diff: "@@ -1 +1 @@\n-a\n+b", filediff: { additions: 1, deletions: 1 } } },
      ),
      {
        name: "Edit",
        output: "@@ -1 +1 @@\n-a\n+b",
        files: [{ path: "/app/web/a.ts", kind: "edit", added: 1, removed: 1 }],
      },
    ],
    [
      tool("write", { filePath: "/app/n.ts", content: "1\n2\n" }, { metadata: { exists: false } }),
      { name: "Write", files: [{ path: "/app/n.ts", kind: "create", added: 2, removed: 0 }] },
    ],
    [
      tool("apply_patch", { patchText: "*** Begin Patch\n*** Add File: x.ts\n+1\n*** End Patch" }),
      { name: "Edit", files: [{ path: "/app/web/x.ts", kind: "create", added: 1, removed: 0 }] },
    ],
    [
      tool(
        "read",
        { filePath: "/app/a.ts" },
        { output: "<file>\n00001| one\n00002| \n00003| 4| x\n\n(End of file - total 3 lines)\n</file>" },
      ),
      { name: "Read", output: "one\n\n4| x", files: [{ path: "/app/a.ts", kind: "read" }] },
    ],
    [
      tool("grep", { pattern: "x" }, { status: "error", error: "no such folder", output: undefined }),
      { name: "grep", output: "no such folder", isError: true },
    ],
  ])("reads %j", (part, expected) => {
    expect(activities(said(assistant("msg_1", { tokens: null }), part))).toMatchObject([
      { kind: "tool-use", ...expected },
    ]);
  });

  it("waits for a tool that is still running", () => {
    const part = tool("bash", { command: "x" }, { status: "running" });
    expect(activities(said(assistant("msg_1", { tokens: null }), part))).toEqual([]);
  });

  it("does not read a compaction as a prompt", () => {
    expect(
      activities(
        said(user("msg_1"), { type: "compaction", auto: true }, text("What did we do so far?")),
        said(assistant("msg_2", { summary: true }), text("We did it all.")),
      ),
    ).toEqual([{ kind: "compaction", uuid: "msg_2", summary: "We did it all." }]);
  });

  it("skips a wholly private turn and the title made of it", () => {
    const { events } = machine(
      asFiles,
      given(
        session("ses_1"),
        said(user("msg_1"), text("<private>hush</private>")),
        said(assistant("msg_2"), text("hush"), tool("bash", { command: "hush" })),
      ),
    );
    expect(events).toEqual([]);
  });

  it("that OpenCode moved into the database is read once", () => {
    const data = mkdtempSync(join(tmpdir(), "c-mem-opencode-"));
    asFiles(data, [given(session("ses_1")), given(session("ses_2"))]);
    asRows(data, [given(session("ses_1"))]);
    const paths = (env: Record<string, string>): string[] =>
      findOpenCodeTranscripts(env)
        .map((file: TranscriptFile) => file.path.slice(data.length + 1))
        .sort();
    expect(paths({ XDG_DATA_HOME: data })).toEqual([
      "opencode/opencode.db#ses_1",
      "opencode/storage/session/prj/ses_2.json",
    ]);
    expect(paths({ XDG_DATA_HOME: data, OPENCODE_DB: "other.db" })).toHaveLength(2);
    expect(findOpenCodeTranscripts({ XDG_DATA_HOME: join(data, "nowhere") })).toEqual([]);
  });

  it("that is missing or broken gives no events and is counted", () => {
    const notes = { unknown: {} };
    const data = mkdtempSync(join(tmpdir(), "c-mem-opencode-"));
    writeFileSync(join(data, "broken.db"), "no database");
    const base = { agent: "opencode", sessionId: "s", isSubagent: false, modifiedAt: 0, bytes: 0 };
    for (const path of ["/nowhere/ses_1.json", "/nowhere/opencode.db#ses_1", join(data, "broken.db#ses_1"), ""]) {
      expect(openCodeReader.read({ ...base, path }, notes)).toEqual([]);
    }
    expect(notes.unknown).toEqual({ "(no session)": 4 });
  });
});
