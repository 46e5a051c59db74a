import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../core/event.ts";
import type { TranscriptFile } from "../transcript.ts";
import { claudeCodeReader } from "./transcript.ts";

const file: TranscriptFile = {
  agent: "claude-code",
  path: "/p/s.jsonl",
  sessionId: "s",
  isSubagent: false,
  modifiedAt: 0,
  bytes: 0,
};
const at = "2026-01-02T03:04:05.000Z";
const line = (value: object) => ({ cwd: "/app", timestamp: at, version: "2.1.0", gitBranch: "dev", ...value });
const user = (content: unknown, extra = {}) =>
  line({ type: "user", uuid: "u", message: { role: "user", content }, ...extra });
const usage = { input_tokens: 3, output_tokens: 5, cache_read_input_tokens: 7, cache_creation_input_tokens: 9 };
const assistant = (id: string, block: object, extra = {}) =>
  line({ type: "assistant", message: { id, role: "assistant", model: "opus", content: [block], usage }, ...extra });
const text = (words: string) => ({ type: "text", text: words });
const call = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
const result = (id: string, content: unknown, extra = {}) =>
  user([{ type: "tool_result", tool_use_id: id, content }], extra);

function read(lines: readonly unknown[], notes = { unknown: {} }, known: string[] = []): AgentEvent[] {
  const state = { ...claudeCodeReader.start(file), privatePromptIds: [...known] };
  const events = lines.flatMap((value) => claudeCodeReader.read(state, value, notes));
  return [...events, ...claudeCodeReader.flush(state)];
}
const activities = (...lines: unknown[]) => read(lines).map((event) => event.activity);

describe("a Claude Code transcript", () => {
  it("joins the blocks of a message, even with results in between", () => {
    const about = { kind: "message", promptId: "p1", role: "assistant", model: "opus" };
    const tokens = { input: 3, output: 5, cacheRead: 7, cacheWrite: 9 };
    expect(
      activities(
        user("Fix it", { promptId: "p1" }),
        assistant("m1", { type: "thinking", thinking: "Hm.", signature: "x" }),
        assistant("m1", text("Looking.")),
        assistant("m1", call("t1", "Bash", { command: "ls" })),
        result("t1", "a", { promptId: "p1", toolUseResult: { stdout: "a", stderr: "" } }),
        assistant("m1", call("t2", "Bash", { command: "ls b" })),
        result("t2", "b", { promptId: "p1", toolUseResult: { stdout: "b", stderr: "" } }),
        assistant("m2", text("Done.")),
      ),
    ).toEqual([
      { kind: "prompt", promptId: "p1", text: "Fix it" },
      expect.objectContaining({ kind: "tool-use", toolUseId: "t1", promptId: "p1", output: "a", exitCode: 0 }),
      expect.objectContaining({ kind: "tool-use", toolUseId: "t2", promptId: "p1", output: "b" }),
      { ...about, uuid: "m1", text: "Looking.", thinking: "Hm.", tokens },
      { ...about, uuid: "m2", text: "Done.", tokens },
      { kind: "turn-end", promptId: "p1", response: "Done." },
    ]);
  });

  it("names its plan and, for a fork, the original: at the first copied line and at the first new one", () => {
    const forkedFrom = { sessionId: "before", messageUuid: "m" };
    expect(
      activities(
        line({ type: "system", slug: "calm-blue-sea" }),
        user("Fix it", { promptId: "p1", slug: "calm-blue-sea", forkedFrom }),
        user("Go on", { promptId: "p2", slug: "calm-blue-sea" }),
      ),
    ).toEqual([
      { kind: "prompt", promptId: "p1", text: "Fix it" },
      { kind: "origin", plan: "calm-blue-sea", forkedFrom: "before" },
      { kind: "prompt", promptId: "p2", text: "Go on" },
      { kind: "origin", plan: "calm-blue-sea", forkedFrom: "before" },
    ]);
    const hush = claudeCodeReader.start(file);
    for (const value of [
      user("<private>hush</private>", { promptId: "p1", forkedFrom }),
      line({ type: "custom-title", customTitle: "hush", forkedFrom }),
    ])
      expect(claudeCodeReader.read(hush, value, { unknown: {} })).toEqual([]);
    expect(JSON.stringify(hush)).not.toContain("hush");
    const hidden = user("<private>Fix it</private>", { promptId: "p1", slug: "calm-blue-sea" });
    expect(activities(hidden, user("Go on", { promptId: "p2", slug: "calm-blue-sea" }))).toEqual([
      { kind: "prompt", promptId: "p2", text: "Go on" },
      { kind: "origin", plan: "calm-blue-sea" },
    ]);
  });

  it("gives a message the line before its first one as its parent", () => {
    expect(
      activities(
        assistant("m1", text("One."), { uuid: "a1", parentUuid: "u1" }),
        assistant("m1", text("Two."), { uuid: "a2", parentUuid: "a1" }),
        line({ type: "system", subtype: "away_summary", uuid: "w1", parentUuid: "a2", content: "You did it." }),
      ),
    ).toMatchObject([{ uuid: "w1", parentUuid: "a2" }, { uuid: "m1", parentUuid: "u1" }, { kind: "turn-end" }]);
  });

  it("gives the same events at each flush, and new ones after new lines", () => {
    const state = claudeCodeReader.start(file);
    const notes = { unknown: {} };
    claudeCodeReader.read(state, assistant("m1", text("One.")), notes);
    expect(claudeCodeReader.flush(state)).toEqual(claudeCodeReader.flush(state));
    claudeCodeReader.read(state, assistant("m1", text("Two.")), notes);
    expect(claudeCodeReader.flush(state)).toMatchObject([
      { activity: { kind: "message", uuid: "m1", text: "One.\n\nTwo." } },
      { activity: { kind: "turn-end", response: "Two." } },
    ]);
  });

  it("gives titles, summaries and recaps", () => {
    expect(
      activities(
        { type: "custom-title", customTitle: "Mine", sessionId: "s" },
        user("This session is being continued", { isCompactSummary: true, uuid: "c1" }),
        { type: "ai-title", aiTitle: "Theirs" },
        line({
          type: "system",
          subtype: "away_summary",
          uuid: "w1",
          content: "You did it. (disable recaps in /config)",
        }),
        assistant("m1", text("API Error: 500"), { isApiErrorMessage: true }),
      ),
    ).toMatchObject([
      { kind: "title", title: "Mine" },
      { kind: "compaction", uuid: "c1", summary: "This session is being continued" },
      { kind: "message", uuid: "w1", role: "system", text: "You did it." },
      { kind: "message", uuid: "m1", role: "system", text: "API Error: 500" },
      { kind: "turn-end" },
    ]);
  });

  it("of a subagent has plain results: line numbers are removed, and edits are counted from the call", () => {
    const sub = { agentId: "a1", isSidechain: true, promptId: "p1" };
    const events = read([
      user("task", sub),
      assistant("m1", call("t1", "Read", { file_path: "/app/R.md" }), sub),
      result("t1", "1\t# demo project\n2\t", sub),
      assistant("m2", call("t2", "Read", { file_path: "/app/R.md" }), sub),
      result("t2", "    99→x\n   100→1→y", sub),
      assistant("m3", call("t3", "Edit", { file_path: "/app/R.md", old_string: "a\nb", new_string: "a\nc\nd" }), sub),
      result("t3", "updated", sub),
    ]);
    expect(events.filter((event) => event.activity.kind === "tool-use")).toMatchObject([
      { agentId: "a1", activity: { promptId: "p1", output: "# demo project\n" } },
      { agentId: "a1", activity: { output: "x\n1→y" } },
      { activity: { files: [{ path: "/app/R.md", kind: "edit", added: 2, removed: 1 }] } },
    ]);
    expect(read([user("task", sub), assistant("m1", text("hush"), sub)], undefined, ["p1"])).toEqual([]);
  });

  it("skips a wholly private turn and keeps its id for the subagents' files", () => {
    const state = claudeCodeReader.start(file);
    const lines = [
      user("<private>hush</private>", { promptId: "p1" }),
      assistant("m1", text("hush")),
      assistant("m1", call("t1", "Bash", { command: "hush" })),
      result("t1", "hush", { promptId: "p1" }),
    ];
    expect(lines.flatMap((value) => claudeCodeReader.read(state, value, { unknown: {} }))).toEqual([]);
    expect(claudeCodeReader.flush(state)).toEqual([]);
    expect(state.privatePromptIds).toEqual(["p1"]);
  });

  it("joins a result with a call that comes after it", () => {
    expect(
      activities(
        user("go", { promptId: "p1" }),
        result("t1", "x", { promptId: "p1", toolUseResult: { stdout: "out" } }),
        assistant("m1", call("t1", "Bash", { command: "ls" })),
      ),
    ).toMatchObject([{ kind: "prompt" }, { name: "Bash", output: "out", promptId: "p1" }, { kind: "message" }]);
  });

  describe("with prompts typed while the agent works", () => {
    const typed = "2026-01-02T03:05:00.000Z";
    const queue = (operation: string, content?: string) => ({
      type: "queue-operation",
      operation,
      timestamp: typed,
      ...(content !== undefined && { content }),
    });
    const handedOver = (prompt: string, commandMode = "prompt") =>
      line({ type: "attachment", attachment: { type: "queued_command", prompt, commandMode, timestamp: typed } });
    const prompts = (...lines: unknown[]) =>
      read(lines).flatMap(({ at: when, activity }) =>
        activity.kind === "prompt"
          ? [{ id: activity.promptId, text: activity.text, isTyped: when > Date.parse(at) }]
          : [],
      );
    const first = { id: "p1", text: "Go", isTyped: false };

    it.each([
      [
        "handed over, as newer versions log",
        [queue("enqueue", "and this"), queue("remove", "and this"), handedOver("and this")],
      ],
      ["handed over, logged only by its attachment", [handedOver("and this")]],
      ["removed from the queue without its text", [queue("enqueue", "and this"), queue("remove")]],
      ["never handed over", [queue("enqueue", "and this")]],
    ])("emits one %s", (_, lines) => {
      expect(prompts(user("Go", { promptId: "p1" }), ...lines)).toEqual([
        first,
        { id: "p1", text: "and this", isTyped: true },
      ]);
    });

    it("gives a prompt that begins a turn the time at which it was typed", () => {
      expect(
        prompts(
          user("Go", { promptId: "p1" }),
          queue("enqueue", "and this"),
          queue("dequeue"),
          user("and this", { promptId: "p2" }),
        ),
      ).toEqual([first, { id: "p2", text: "and this", isTyped: true }]);
    });

    it("skips prompts that were taken back, notices, and commands to Claude Code itself", () => {
      expect(
        prompts(
          user("Go", { promptId: "p1" }),
          queue("enqueue", "hm"),
          queue("popAll", "hm"),
          queue("enqueue", "<task-notification>x"),
          queue("enqueue", '{"task_id":"b1","description":"x"}'),
          queue("enqueue", "/model"),
          handedOver("<task-notification>x", "task-notification"),
        ),
      ).toEqual([first]);
    });

    it("keeps events before a wholly private prompt, and cuts a message that continues after it", () => {
      const state = claudeCodeReader.start(file);
      const events = [
        user("Go", { promptId: "p1" }),
        assistant("m1", text("fine")),
        assistant("m1", call("t1", "Bash", { command: "fine" })),
        result("t1", "fine", { promptId: "p1" }),
        assistant("m2", text("fine, too")),
        queue("enqueue", "<private>hush</private>"),
        assistant("m2", text("hush")),
        assistant("m2", call("t2", "Bash", { command: "hush" })),
        result("t2", "hush", { promptId: "p1" }),
        user("Next", { promptId: "p2" }),
        result("t2", "hush", { promptId: "p1" }),
      ].flatMap((value) => claudeCodeReader.read(state, value, { unknown: {} }));
      const told = [...events, ...claudeCodeReader.flush(state)];
      expect(told.map(({ activity }) => activity)).toMatchObject([
        { kind: "prompt", text: "Go" },
        { kind: "tool-use", toolUseId: "t1" },
        { kind: "message", text: "fine" },
        { kind: "message", text: "fine, too" },
        { kind: "prompt", text: "Next" },
      ]);
      expect(JSON.stringify([told, state])).not.toContain("hush");
    });

    it.each([
      ["only the attachment is logged", [], [handedOver("<private>hush</private>")]],
      ["only the original session has the queue", ["p1"], []],
    ])("skips what follows a wholly private one where %s", (_, known, lines) => {
      const forkedFrom = { sessionId: "before", messageUuid: "m" };
      const state = { ...claudeCodeReader.start(file), privatePromptIds: [...known] };
      const events = [
        user("Go", { promptId: "p1", forkedFrom }),
        ...lines,
        assistant("m1", text("hush")),
        assistant("m1", call("t1", "Bash", { command: "hush" })),
        result("t1", "hush", { promptId: "p1" }),
        user("Next", { promptId: "p2", forkedFrom }),
        assistant("m2", text("fine")),
      ].flatMap((value) => claudeCodeReader.read(state, value, { unknown: {} }));
      const told = [...events, ...claudeCodeReader.flush(state)];
      expect(told.map(({ activity }) => activity).filter(({ kind }) => kind !== "origin")).toMatchObject([
        { kind: "prompt", text: "Go" },
        { kind: "prompt", text: "Next" },
        { kind: "message", text: "fine" },
        { kind: "turn-end", response: "fine" },
      ]);
      expect(JSON.stringify([told, state])).not.toContain("hush");
    });

    it("skips events after a wholly private prompt, and all with its turn's id", () => {
      const state = claudeCodeReader.start(file);
      const events = [
        user("Go", { promptId: "p1" }),
        queue("enqueue", "<private>hush</private>"),
        assistant("m1", text("hush")),
        handedOver("<private>hush</private>"),
      ].flatMap((value) => claudeCodeReader.read(state, value, { unknown: {} }));
      expect([...events, ...claudeCodeReader.flush(state)]).toMatchObject([{ activity: { text: "Go" } }]);
      expect(state.privatePromptIds).toEqual(["p1"]);
      expect(state.queue).toEqual([]);
    });
  });

  it("names the snapshot of a file from before the edit", () => {
    const snapshot = (files: object) => ({ type: "file-history-snapshot", snapshot: { trackedFileBackups: files } });
    const delta = (trackingPath: string, backupFileName: string | null) => ({
      type: "file-history-delta",
      trackingPath,
      backup: { backupFileName, version: 1 },
    });
    const edit = (id: string, path: string, tool = "Edit") => [
      assistant(id, call(id, tool, { file_path: path })),
      result(id, "ok", { promptId: "p1", toolUseResult: { structuredPatch: [{ lines: ["+a"] }] } }),
    ];
    const files = activities(
      user("Go", { promptId: "p1" }),
      snapshot({
        "a.ts": { backupFileName: "aa@v1" },
        "src/a.ts": { backupFileName: "bb@v1" },
        "/etc/x": { backupFileName: "cc@v3" },
      }),
      ...edit("t1", "/app/a.ts"),
      ...edit("t2", "/app/src/a.ts"),
      ...edit("t3", "/etc/x"),
      delta("src/a.ts", "bb@v2"),
      delta("src/new.ts", null),
      ...edit("t4", "/app/src/a.ts"),
      ...edit("t5", "/app/src/new.ts", "Write"),
      ...edit("t6", "/app/src/a.ts", "Read"),
      snapshot({ "a.ts": { backupFileName: "aa@v2" } }),
      ...edit("t7", "/app/a.ts"),
    ).flatMap((activity) => (activity.kind === "tool-use" ? activity.files : []));
    expect(files.map(({ backup }) => backup)).toEqual([
      "aa@v1",
      "bb@v1",
      "cc@v3",
      "bb@v2",
      undefined,
      undefined,
      "aa@v2",
    ]);
  });

  it("reads paths of file snapshots relative to the folder where the session started", () => {
    const snapshot = {
      type: "file-history-snapshot",
      snapshot: { trackedFileBackups: { "web/a.ts": { backupFileName: "aa@v1" } } },
    };
    const files = activities(
      user("Go", { promptId: "p1" }),
      { ...assistant("m1", text("Moved")), cwd: "/app/web" },
      snapshot,
    ).flatMap((activity) => (activity.kind === "file-snapshot" ? activity.files : []));
    expect(files).toEqual([{ path: "/app/web/a.ts", kind: "edit", backup: "aa@v1" }]);
  });

  it("counts unknown types", () => {
    const notes = { unknown: {} };
    read([{ type: "progress" }, { type: "brand-new" }, { type: "__proto__" }, null, { type: 5 }], notes);
    expect(notes.unknown).toEqual({ "brand-new": 1, "(others)": 1, "(no type)": 2 });
  });
});
