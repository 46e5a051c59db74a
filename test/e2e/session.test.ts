// Records a session with the five hooks, and checks what is injected into the next one.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { contextOf, createWorld, data, hook, rows, type World } from "./harness.ts";

const GO_ON = { continue: true, suppressOutput: true };

async function workSession(world: World, id = "session-1"): Promise<void> {
  const file = join(world.project, "src", "add.js");
  const base = { session_id: id, transcript_path: "/t.jsonl" };
  const start = { ...base, hook_event_name: "SessionStart", source: "startup", model: "opus" };
  expect(contextOf(await hook(world, "context", start))).toBe("");
  const turn = { ...base, prompt_id: `${id}-p1` };
  expect(
    await hook(world, "new", { ...turn, hook_event_name: "UserPromptSubmit", prompt: "Why does add subtract?" }),
  ).toEqual(GO_ON);
  const tool = { ...turn, hook_event_name: "PostToolUse" };
  expect(
    await hook(world, "save", {
      ...turn,
      hook_event_name: "PostToolUseFailure",
      tool_name: "Bash",
      tool_use_id: `${id}-t1`,
      tool_input: { command: "cd x && npm test" },
      error: "Exit code 1\nAssertionError: 1 is not 3",
    }),
  ).toEqual(GO_ON);
  await hook(world, "save", {
    ...tool,
    tool_name: "Edit",
    tool_use_id: `${id}-t2`,
    tool_input: { file_path: file, old_string: "-", new_string: "+" },
    tool_response: { filePath: file, structuredPatch: [{ oldStart: 1, newStart: 1, lines: ["-a - b", "+a + b"] }] },
  });
  await hook(world, "save", {
    ...tool,
    tool_name: "Bash",
    tool_use_id: `${id}-t3`,
    tool_input: { command: "npm test" },
    tool_response: { stdout: "3 passed" },
  });
  await hook(world, "save", {
    ...tool,
    tool_name: "Read",
    tool_use_id: `${id}-t4`,
    agent_id: "a1",
    agent_type: "Explore",
    tool_input: { file_path: file },
    tool_response: { type: "text", file: { content: "x" } },
  });
  expect(
    await hook(world, "summary", {
      ...turn,
      hook_event_name: "SubagentStop",
      agent_id: "a1",
      agent_type: "Explore",
      last_assistant_message: "It is a sign error.",
    }),
  ).toEqual(GO_ON);
  expect(
    await hook(world, "summary", {
      ...turn,
      hook_event_name: "Stop",
      last_assistant_message: "add had a minus; it adds now.",
    }),
  ).toEqual(GO_ON);
  expect(await hook(world, "cleanup", { ...base, hook_event_name: "SessionEnd", reason: "prompt_input_exit" })).toEqual(
    GO_ON,
  );
}

describe("a session", () => {
  it("is recorded completely", async () => {
    const world = createWorld();
    await workSession(world);
    expect(
      await rows(
        world,
        "SELECT session_id, agent, title, status, prompt_count, model, end_reason, report FROM sessions ORDER BY id",
      ),
    ).toEqual([
      {
        session_id: "session-1",
        agent: "claude-code",
        title: "Why does add subtract?",
        status: "completed",
        prompt_count: 1,
        model: "opus",
        end_reason: "prompt_input_exit",
        report: null,
      },
      {
        session_id: "agent-a1",
        agent: "claude-code",
        title: null,
        status: "completed",
        prompt_count: 0,
        model: null,
        end_reason: "subagent",
        report: "It is a sign error.",
      },
    ]);
    expect(
      await rows(world, "SELECT prompt_number, text, response, ended_at IS NOT NULL AS ended FROM prompts"),
    ).toEqual([
      { prompt_number: 1, text: "Why does add subtract?", response: "add had a minus; it adds now.", ended: 1 },
    ]);
    expect(
      await rows(
        world,
        "SELECT tool_use_id, agent_id, prompt_number, name, is_error, exit_code FROM tool_uses ORDER BY id",
      ),
    ).toEqual([
      { tool_use_id: "session-1-t1", agent_id: null, prompt_number: 1, name: "Bash", is_error: 1, exit_code: 1 },
      { tool_use_id: "session-1-t2", agent_id: null, prompt_number: 1, name: "Edit", is_error: 0, exit_code: null },
      { tool_use_id: "session-1-t3", agent_id: null, prompt_number: 1, name: "Bash", is_error: 0, exit_code: 0 },
      { tool_use_id: "session-1-t4", agent_id: "a1", prompt_number: 1, name: "Read", is_error: 0, exit_code: null },
    ]);
    expect(await rows(world, "SELECT path, kind, added, removed FROM file_touches ORDER BY id")).toEqual([
      { path: "src/add.js", kind: "edit", added: 1, removed: 1 },
      { path: "src/add.js", kind: "read", added: null, removed: null },
    ]);
    expect(await rows(world, "SELECT kind, key, status FROM jobs ORDER BY id")).toEqual([
      { kind: "session", key: "session:session-1", status: "pending" },
    ]);
    for (const words of ["subtract", "minus", "AssertionError"]) {
      expect(await data(world, ["search", words])).toMatchObject({ results: [{ session_id: "session-1" }] });
    }
  });

  it("is injected into the next one", async () => {
    const world = createWorld();
    execFileSync("git", ["init", "-q", "-b", "trunk"], { cwd: world.project });
    await workSession(world);
    const answer = await hook(world, "context", {
      session_id: "session-2",
      hook_event_name: "SessionStart",
      source: "startup",
    });
    expect(answer).toEqual({
      systemMessage: expect.stringMatching(/^C-Mem: 1 session, [\d,]+ tokens\. Page: `c-mem open`$/),
      hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: expect.any(String) },
    });
    const text = contextOf(answer);
    for (const part of ["Why does add subtract?", "add had a minus; it adds now.", "src/add.js", "branch trunk"]) {
      expect(text).toContain(part);
    }
    expect(text).toMatch(/^<c-mem-context>\n[\s\S]*<\/c-mem-context>$/);
    const [injection] = await rows(world, "SELECT surface, item_ids, chars, tokens FROM injections");
    expect(injection).toMatchObject({ surface: "session-start", chars: text.length });
  });

  it("of another project is not injected", async () => {
    const world = createWorld();
    await workSession(world);
    const other = join(world.project, "..", "other");
    mkdirSync(other);
    expect(
      await hook(world, "context", { session_id: "x", hook_event_name: "SessionStart", source: "startup", cwd: other }),
    ).toEqual({});
  });

  it("that is resumed gets only other sessions; after compaction it gets its own past", async () => {
    const world = createWorld();
    await workSession(world, "one");
    const resume = { session_id: "one", hook_event_name: "SessionStart", source: "resume" };
    expect(await hook(world, "context", resume)).toEqual({});
    await workSession(createWorld(), "elsewhere");
    await hook(world, "new", { session_id: "two", hook_event_name: "UserPromptSubmit", prompt: "meanwhile" });
    expect(contextOf(await hook(world, "context", resume))).toContain("meanwhile");
    const compact = contextOf(await hook(world, "context", { ...resume, source: "compact" }));
    expect(compact).toContain("Why does add subtract?");
    expect(await rows(world, "SELECT status FROM sessions WHERE session_id = 'one'")).toEqual([
      { status: "completed" },
    ]);
  });

  it("that is cleared continues under a new id", async () => {
    const world = createWorld();
    await hook(world, "new", { session_id: "old", hook_event_name: "UserPromptSubmit", prompt: "first half" });
    await hook(world, "cleanup", { session_id: "old", hook_event_name: "SessionEnd", reason: "clear" });
    const answer = await hook(world, "context", {
      session_id: "new",
      hook_event_name: "SessionStart",
      source: "clear",
    });
    expect(contextOf(answer)).toContain("first half");
    await hook(world, "new", { session_id: "new", hook_event_name: "UserPromptSubmit", prompt: "second half" });
    expect(await rows(world, "SELECT session_id, status FROM sessions ORDER BY session_id")).toEqual([
      { session_id: "new", status: "active" },
      { session_id: "old", status: "completed" },
    ]);
  });

  it("stays one session for a prompt or a tool use reported twice", async () => {
    const world = createWorld();
    const prompt = { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "do it", prompt_id: "p" };
    const use = {
      session_id: "s",
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_use_id: "t",
      tool_input: { command: "ls" },
      tool_response: "a",
    };
    const nameless = { session_id: "n", hook_event_name: "UserPromptSubmit", prompt: "no id" };
    for (let round = 0; round < 2; round++) {
      await hook(world, "new", prompt);
      await hook(world, "save", use);
      await hook(world, "new", nameless);
      await rows(world, "SELECT 1");
    }
    expect(await rows(world, "SELECT count(*) AS n FROM prompts")).toEqual([{ n: 2 }]);
    expect(await rows(world, "SELECT count(*) AS n FROM tool_uses")).toEqual([{ n: 1 }]);
    // The same text in a later turn is a new prompt.
    await hook(world, "summary", { session_id: "n", hook_event_name: "Stop", last_assistant_message: "ok" });
    await hook(world, "new", nameless);
    expect(await rows(world, "SELECT prompt_number FROM prompts WHERE text = 'no id'")).toHaveLength(2);
  });

  it("has a tool use that arrives before its prompt in the right turn", async () => {
    const world = createWorld();
    await hook(world, "save", {
      session_id: "s",
      prompt_id: "p1",
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_use_id: "t",
      tool_input: {},
      tool_response: "",
    });
    await rows(world, "SELECT 1");
    await hook(world, "new", { session_id: "s", prompt_id: "p1", hook_event_name: "UserPromptSubmit", prompt: "late" });
    expect(await rows(world, "SELECT prompt_number FROM tool_uses")).toEqual([{ prompt_number: 1 }]);
  });

  it("does not count an automatic prompt as a turn", async () => {
    const world = createWorld();
    await hook(world, "new", { session_id: "s", prompt_id: "p1", hook_event_name: "UserPromptSubmit", prompt: "real" });
    await hook(world, "new", {
      session_id: "s",
      prompt_id: "p2",
      hook_event_name: "UserPromptSubmit",
      prompt: "<task-notification>\n<task-id>1</task-id>",
    });
    await hook(world, "save", {
      session_id: "s",
      prompt_id: "p2",
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_use_id: "t",
      tool_input: {},
      tool_response: "",
    });
    await hook(world, "summary", {
      session_id: "s",
      prompt_id: "p2",
      hook_event_name: "Stop",
      last_assistant_message: "the end",
    });
    expect(await rows(world, "SELECT prompt_number, text, response FROM prompts")).toEqual([
      { prompt_number: 1, text: "real", response: "the end" },
    ]);
    expect(await rows(world, "SELECT prompt_number FROM tool_uses")).toEqual([{ prompt_number: 1 }]);
  });
});

describe("status", () => {
  it("shows what is stored and when each hook last fired", async () => {
    const world = createWorld();
    await workSession(world);
    const status = await data(world, ["status"]);
    expect(status["counts"]).toMatchObject({ projects: 1, sessions: 1, subagents: 1, prompts: 1, tool_uses: 4 });
    expect(status["hooks"]).toEqual(
      ["context", "new", "recall", "save", "summary", "cleanup"].map((command) =>
        // A hook that only reads is counted if it injected context.
        expect.objectContaining({ command, last_fired: command === "recall" ? null : expect.stringMatching(/^2/) }),
      ),
    );
  });
});
