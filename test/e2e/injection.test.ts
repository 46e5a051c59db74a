// What hooks hand to an agent at each moment, and where they stay silent: real processes, memory derived from real hooks.
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
const ask = (session: string, prompt: string, extra: object = {}) =>
  hook(world, "new", { ...base(session), hook_event_name: "UserPromptSubmit", prompt, ...extra });
const start = (session: string, source = "startup", extra: object = {}) =>
  hook(world, "context", { ...base(session), hook_event_name: "SessionStart", source, ...extra });
const before = (session: string, tool: string, input: object, extra: object = {}) =>
  hook(world, "recall", {
    ...base(session),
    hook_event_name: "PreToolUse",
    tool_name: tool,
    tool_input: input,
    ...extra,
  });
const did = (session: string, tool: string, input: object, response: object) =>
  hook(world, "save", {
    ...base(session),
    hook_event_name: "PostToolUse",
    tool_use_id: `t${counter++}`,
    tool_name: tool,
    tool_input: input,
    tool_response: response,
  });
const failed = (session: string, command: string, error: string) =>
  hook(world, "save", {
    ...base(session),
    hook_event_name: "PostToolUseFailure",
    tool_use_id: `t${counter++}`,
    tool_name: "Bash",
    tool_input: { command },
    error,
  });
const stop = (session: string, text: string) =>
  hook(world, "summary", { ...base(session), hook_event_name: "Stop", last_assistant_message: text });
const file = () => join(world.project, PARSER);

const ERROR = "Exit code 2\nerror: unknown option '--watchless' for vitest runner\n";

/** Two pieces of work: a bug in the parser, and a command with a wrong option. */
beforeAll(async () => {
  world = createWorld();
  execFileSync("git", ["init", "-q", "-b", "trunk"], { cwd: world.project });
  mkdirSync(join(world.project, "src"));
  writeFileSync(file(), "export function parseQuotedField() {}\n");
  await ask("old", "Fix the quoted field handling in the CSV parser: embedded newlines break rows");
  await did(
    "old",
    "Edit",
    { file_path: file(), old_string: "a", new_string: "b" },
    { filePath: file(), structuredPatch: [] },
  );
  await failed("old", "npx vitest run --watchless", ERROR);
  await did("old", "Bash", { command: "npx vitest run" }, { stdout: "ok" });
  await stop(
    "old",
    "Fixed: `parseQuotedField` kept no state across embedded newlines, so quoted rows broke in the CSV parser.",
  );
  await run(world, ["rebuild", "--all"]);
});

describe("context is injected", () => {
  it("for a prompt that shares rare words, and only once", async () => {
    const answer = await ask("a", "Why do embedded newlines in a quoted CSV field break the parser rows?");
    expect(answer).toMatchObject({ ...GO_ON, hookSpecificOutput: { hookEventName: "UserPromptSubmit" } });
    const text = contextOf(answer);
    expect(text).toMatch(/^<c-mem-context>\n[\s\S]*quoted field[\s\S]*\n<\/c-mem-context>$/i);
    expect(text.length).toBeLessThanOrEqual(1_500);
    expect(await ask("a", "And embedded newlines in a quoted CSV field of the parser?")).toEqual(GO_ON);
  });

  it("again after compaction", async () => {
    const prompt = "Why do embedded newlines in a quoted CSV field break the parser rows?";
    await ask("b", prompt);
    expect(contextOf(await start("b", "compact"))).toMatch(/quoted field/i);
    // Told in full by then: not once more on a prompt.
    expect(await ask("b", prompt)).toEqual(GO_ON);
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
    expect(await ask("quiet", prompt)).toEqual(GO_ON);
  });

  it("not for a prompt in another project", async () => {
    const cwd = join(world.project, "..", "elsewhere");
    mkdirSync(cwd, { recursive: true });
    expect(await ask("x", "Why do embedded newlines in a quoted CSV field break the parser rows?", { cwd })).toEqual(
      GO_ON,
    );
  });

  it("not for a private prompt, nor in its turn", async () => {
    expect(await ask("p", "<private>embedded newlines in a quoted CSV field break the parser rows</private>")).toEqual(
      GO_ON,
    );
    expect(await before("p", "Edit", { file_path: file() })).toEqual(GO_ON);
  });

  it("once before a file with observations is changed", async () => {
    const answer = await before("c", "Edit", { file_path: file(), old_string: "a", new_string: "b" });
    expect(answer).toMatchObject({ hookSpecificOutput: { hookEventName: "PreToolUse" } });
    expect(contextOf(answer)).toMatch(/CSV parser/);
    expect(await before("c", "Edit", { file_path: file() })).toEqual(GO_ON);
    expect(await before("c", "Edit", { file_path: join(world.project, "src", "other.ts") })).toEqual(GO_ON);
  });

  it("not about the session's own work", async () => {
    expect(await before("old", "Edit", { file_path: file() })).toEqual(GO_ON);
  });

  it("before a command that failed earlier", async () => {
    expect(contextOf(await before("d", "Bash", { command: "npx vitest run --watchless" }))).toContain(
      "`npx vitest run` worked instead",
    );
    expect(await before("d", "Bash", { command: "npx vitest run" })).toEqual(GO_ON);
  });

  it("after an error that occurred earlier", async () => {
    const answer = await failed("e", "npm test", ERROR);
    expect(answer).toMatchObject({ hookSpecificOutput: { hookEventName: "PostToolUseFailure" } });
    expect(contextOf(answer)).toContain("`npx vitest run` worked instead");
    expect(await failed("e", "npm test", "Exit code 1\nError: something never seen before\n")).toEqual(GO_ON);
  });

  it("into a subagent, about its task", async () => {
    const task = {
      description: "CSV",
      prompt: "Find out why embedded newlines break quoted CSV field rows in the parser",
      subagent_type: "Explore",
    };
    expect(await before("f", "Agent", task)).toEqual(GO_ON);
    const started = (agent: string, type: string) =>
      hook(world, "recall", { ...base("f"), hook_event_name: "SubagentStart", agent_id: agent, agent_type: type });
    expect(await started("a0", "other")).toEqual(GO_ON);
    const answer = await started("a1", "Explore");
    expect(answer).toMatchObject({ hookSpecificOutput: { hookEventName: "SubagentStart" } });
    expect(contextOf(answer)).toMatch(/quoted field/i);
    expect(await started("a2", "Explore")).toEqual(GO_ON);
  });

  it("not while another process creates the store, without an error", async () => {
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
    expect(await before("g", "Write", { file_path: file(), content: "x" })).toEqual(GO_ON);
    writeFileSync(file(), "export function parseQuotedField() {}\n");
  });

  it("with a note if a name it mentions no longer exists", async () => {
    writeFileSync(file(), "export function somethingElse() {}\n");
    execFileSync("touch", ["-d", "2100-01-01", file()]);
    expect(contextOf(await before("h", "Edit", { file_path: file() }))).toMatch(/may no longer hold|has changed since/);
    writeFileSync(file(), "export function parseQuotedField() {}\n");
  });

  it("without an error if the database is damaged", async () => {
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

  it("writes only ids to the file of shown items", () => {
    expect(allBytes(join(world.home, "shown"))).not.toMatch(/parser|vitest|quoted/);
  });
});
