// What hooks inject at each moment, and when they inject nothing. Runs real hooks on memory derived from real hooks.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { allBytes, contextOf, createWorld, data, hook, rows, run, type World } from "./harness.ts";

const GO_ON = { continue: true, suppressOutput: true };
const PARSER = "src/parser.ts";

let world: World;
let counter = 0;

const base = (session: string) => ({ session_id: session, prompt_id: `p-${session}` });
const submitPrompt = (session: string, prompt: string, extra: object = {}) =>
  hook(world, "new", { ...base(session), hook_event_name: "UserPromptSubmit", prompt, ...extra });
const startSession = (session: string, source = "startup", extra: object = {}) =>
  hook(world, "context", { ...base(session), hook_event_name: "SessionStart", source, ...extra });
const beforeTool = (session: string, tool: string, input: object, extra: object = {}) =>
  hook(world, "recall", {
    ...base(session),
    hook_event_name: "PreToolUse",
    tool_name: tool,
    tool_input: input,
    ...extra,
  });
const afterTool = (session: string, tool: string, input: object, response: object) =>
  hook(world, "save", {
    ...base(session),
    hook_event_name: "PostToolUse",
    tool_use_id: `t${counter++}`,
    tool_name: tool,
    tool_input: input,
    tool_response: response,
  });
const afterFailedCommand = (session: string, command: string, error: string) =>
  hook(world, "save", {
    ...base(session),
    hook_event_name: "PostToolUseFailure",
    tool_use_id: `t${counter++}`,
    tool_name: "Bash",
    tool_input: { command },
    error,
  });
const endTurn = (session: string, text: string) =>
  hook(world, "summary", { ...base(session), hook_event_name: "Stop", last_assistant_message: text });
const file = () => join(world.project, PARSER);

const ERROR = "Exit code 2\nerror: unknown option '--watchless' for vitest runner\n";

/** Records a fixed bug in the parser and a command with a wrong option. */
beforeAll(async () => {
  world = createWorld();
  execFileSync("git", ["init", "-q", "-b", "trunk"], { cwd: world.project });
  mkdirSync(join(world.project, "src"));
  writeFileSync(file(), "export function parseQuotedField() {}\n");
  await submitPrompt("old", "Fix the quoted field handling in the CSV parser: embedded newlines break rows");
  await afterTool(
    "old",
    "Edit",
    { file_path: file(), old_string: "a", new_string: "b" },
    { filePath: file(), structuredPatch: [] },
  );
  await afterFailedCommand("old", "npx vitest run --watchless", ERROR);
  await afterTool("old", "Bash", { command: "npx vitest run" }, { stdout: "ok" });
  await endTurn(
    "old",
    "Fixed: `parseQuotedField` kept no state across embedded newlines, so quoted rows broke in the CSV parser.",
  );
  await run(world, ["rebuild", "--all"]);
  // Indexes turns and commands, as the worker does.
  await run(world, ["search", "parser"]);
});

describe("context is injected", () => {
  it("for a prompt that shares rare words, and only once", async () => {
    const answer = await submitPrompt("a", "Why do embedded newlines in a quoted CSV field break the parser rows?");
    expect(answer).toMatchObject({ ...GO_ON, hookSpecificOutput: { hookEventName: "UserPromptSubmit" } });
    const text = contextOf(answer);
    expect(text).toMatch(/^<c-mem-context>\n[\s\S]*quoted ?field[\s\S]*\n<\/c-mem-context>$/i);
    expect(text.length).toBeLessThanOrEqual(1_500);
    expect(await submitPrompt("a", "And embedded newlines in a quoted CSV field of the parser?")).toEqual(GO_ON);
  });

  it("again after compaction", async () => {
    const prompt = "Why do embedded newlines in a quoted CSV field break the parser rows?";
    await submitPrompt("b", prompt);
    // If the start context has the whole observation, a prompt does not get it again.
    const after = [contextOf(await startSession("b", "compact")), contextOf(await submitPrompt("b", prompt))];
    expect(after.filter((text) => /parseQuotedField kept no state/.test(text))).toHaveLength(1);
    const env = { C_MEM_SURFACES: "prompt" };
    const compact = { ...base("b"), hook_event_name: "SessionStart", source: "compact" };
    await hook(world, "context", compact, { env: { C_MEM_CONTEXT_FULL: "0" } });
    expect(
      contextOf(await hook(world, "new", { ...base("b"), hook_event_name: "UserPromptSubmit", prompt }, { env })),
    ).not.toBe("");
  });

  it.each([
    "yes",
    "go on please",
    "/compact keep the quoted CSV field parser newlines",
    "Add a dark mode to the settings page",
    "<task-notification>embedded newlines quoted CSV field parser</task-notification>",
  ])("not for %j", async (prompt) => {
    expect(await submitPrompt("quiet", prompt)).toEqual(GO_ON);
  });

  it("not for a prompt in another project", async () => {
    const cwd = join(world.project, "..", "elsewhere");
    mkdirSync(cwd, { recursive: true });
    expect(
      await submitPrompt("x", "Why do embedded newlines in a quoted CSV field break the parser rows?", { cwd }),
    ).toEqual(GO_ON);
  });

  it("not for a private prompt, nor in its turn", async () => {
    expect(
      await submitPrompt("p", "<private>embedded newlines in a quoted CSV field break the parser rows</private>"),
    ).toEqual(GO_ON);
    expect(await beforeTool("p", "Edit", { file_path: file() })).toEqual(GO_ON);
  });

  it("once before a file with observations is changed", async () => {
    const answer = await beforeTool("c", "Edit", { file_path: file(), old_string: "a", new_string: "b" });
    expect(answer).toMatchObject({ hookSpecificOutput: { hookEventName: "PreToolUse" } });
    expect(contextOf(answer)).toMatch(/CSV parser/);
    expect(await beforeTool("c", "Edit", { file_path: file() })).toEqual(GO_ON);
    expect(await beforeTool("c", "Edit", { file_path: join(world.project, "src", "other.ts") })).toEqual(GO_ON);
  });

  it("not if the session did the work itself", async () => {
    expect(await beforeTool("old", "Edit", { file_path: file() })).toEqual(GO_ON);
  });

  it("before a command that failed earlier", async () => {
    expect(contextOf(await beforeTool("d", "Bash", { command: "npx vitest run --watchless" }))).toContain(
      "`npx vitest run` worked instead",
    );
    expect(await beforeTool("d", "Bash", { command: "npx vitest run" })).toEqual(GO_ON);
  });

  it("after an error that occurred earlier", async () => {
    const answer = await afterFailedCommand("e", "npm test", ERROR);
    expect(answer).toMatchObject({ hookSpecificOutput: { hookEventName: "PostToolUseFailure" } });
    expect(contextOf(answer)).toContain("`npx vitest run` worked instead");
    expect(await afterFailedCommand("e", "npm test", "Exit code 1\nError: something never seen before\n")).toEqual(
      GO_ON,
    );
  });

  it("into a subagent, about its task", async () => {
    const task = {
      description: "CSV",
      prompt: "Find out why embedded newlines break quoted CSV field rows in the parser",
      subagent_type: "Explore",
    };
    expect(await beforeTool("f", "Agent", task)).toEqual(GO_ON);
    const started = (agent: string, type: string) =>
      hook(world, "recall", { ...base("f"), hook_event_name: "SubagentStart", agent_id: agent, agent_type: type });
    expect(await started("a0", "other")).toEqual(GO_ON);
    const answer = await started("a1", "Explore");
    expect(answer).toMatchObject({ hookSpecificOutput: { hookEventName: "SubagentStart" } });
    expect(contextOf(answer)).toMatch(/quoted ?field/i);
    expect(await started("a2", "Explore")).toEqual(GO_ON);
  });

  it("not while another process creates the store, and without an error", async () => {
    const fresh = createWorld();
    mkdirSync(fresh.home, { recursive: true });
    writeFileSync(join(fresh.home, "c-mem.db"), "");
    const prompt = {
      ...base("n"),
      hook_event_name: "UserPromptSubmit",
      prompt: "Why do embedded newlines break rows?",
    };
    expect(await hook(fresh, "new", prompt)).toEqual(GO_ON);
    expect(readdirSync(fresh.home)).not.toContain("logs");
  });

  it("not if disabled", async () => {
    const env = { C_MEM_SURFACES: "session-start" };
    const payload = {
      ...base("off"),
      hook_event_name: "PreToolUse",
      tool_name: "Edit",
      tool_input: { file_path: file() },
    };
    expect(await hook(world, "recall", payload, { env })).toEqual(GO_ON);
  });

  it("not in held-out sessions, which are counted", async () => {
    const env = { C_MEM_HOLDOUT: "90" };
    const sessions = Array.from({ length: 8 }, (_, index) => `held-${index}`);
    let silent = 0;
    for (const session_id of sessions) {
      const answer = await hook(
        world,
        "context",
        { session_id, hook_event_name: "SessionStart", source: "startup" },
        { env },
      );
      if (contextOf(answer) === "") silent += 1;
    }
    expect(silent).toBeGreaterThan(0);
    expect(await rows(world, "SELECT count(*) AS n FROM injections WHERE surface = 'holdout'")).toEqual([
      { n: silent },
    ]);
  });

  it("not about a deleted file", async () => {
    rmSync(file());
    expect(await beforeTool("g", "Write", { file_path: file(), content: "x" })).toEqual(GO_ON);
    writeFileSync(file(), "export function parseQuotedField() {}\n");
  });

  it("with a note if the file no longer has a name that the observation mentions", async () => {
    writeFileSync(file(), "export function somethingElse() {}\n");
    execFileSync("touch", ["-d", "2100-01-01", file()]);
    expect(contextOf(await beforeTool("h", "Edit", { file_path: file() }))).toMatch(
      /may no longer hold|has changed since/,
    );
    writeFileSync(file(), "export function parseQuotedField() {}\n");
  });

  it("not if the database is damaged, and without an error", async () => {
    const broken = createWorld();
    mkdirSync(broken.home, { recursive: true });
    writeFileSync(join(broken.home, "c-mem.db"), "not a database at all");
    const payload = {
      ...base("z"),
      hook_event_name: "UserPromptSubmit",
      prompt: "Why do embedded newlines break the parser?",
    };
    expect(await hook(broken, "new", payload)).toEqual(GO_ON);
    expect(readFileSync(join(broken.home, "logs", "hook.log"), "utf8")).toContain('"hook":"new"');
  });
});

describe("an injection", () => {
  it("is recorded by surface, and impact reports it", async () => {
    const { surfaces } = (await data(world, ["impact"])) as unknown as {
      surfaces: { surface: string; injections: number }[];
    };
    const names = surfaces.map(({ surface }) => surface);
    expect(names).toEqual(
      expect.arrayContaining(["session-start", "compaction", "prompt", "file", "command", "error", "subagent"]),
    );
    expect((await run(world, ["impact"])).stdout).toContain("prompt");
  });

  it("writes only item ids to shown/<session>.log", () => {
    expect(allBytes(join(world.home, "shown"))).not.toMatch(/parser|vitest|quoted/);
  });
});
