// Agents other than Claude Code: replays recorded payloads to the real hooks, and installs C-Mem into the agents'
// files and removes it again.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { SETUPS } from "../../src/agents/setups.ts";
import { allBytes, createWorld, data, hook, ROOT, rows, run, type World } from "./harness.ts";
import { hasPty, startPty } from "./pty.ts";

const FIXTURES = join(ROOT, "test", "fixtures", "agent-hooks");

/** The age of the recordings. Their times are shifted by it, because hooks ignore times more than a day old. */
const AGE_MS = Date.now() - Date.parse("2026-11-15T16:30:00Z");

/** A recording with the paths and times of this world. */
function recorded(world: World, agent: string, name: string): string {
  const home = world.env["HOME"] ?? "";
  const text = readFileSync(join(FIXTURES, agent, name), "utf8");
  const dates = text.replaceAll(/\b2026-[\d-]+T[\d:.]+Z/g, (at) => new Date(Date.parse(at) + AGE_MS).toISOString());
  const times = dates.replaceAll(/(?<="timestamp": ?)\d{13}\b/g, (at) => String(Number(at) + AGE_MS));
  return times.replaceAll("/home/ada/app", world.project).replaceAll("/home/ada", home);
}

async function fire(
  world: World,
  agent: string,
  command: string,
  payload: string | object,
): Promise<Record<string, never>> {
  const input = typeof payload === "string" ? payload : JSON.stringify(payload);
  const { status, stdout, stderr } = await run(world, [command, "--agent", agent], { input });
  expect([status, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as Record<string, never>;
}

interface Recording {
  agent: string;
  commands: Record<string, string>;
  transcript: string;
  /** Path of the transcript below the user's home folder. */
  path: string;
  tools: number;
}

const RECORDINGS: Recording[] = [
  {
    agent: "codex",
    commands: {
      SessionStart: "context",
      UserPromptSubmit: "new",
      PreToolUse: "recall",
      PostToolUse: "save",
      Stop: "summary",
      SessionEnd: "cleanup",
    },
    transcript: "rollout.jsonl",
    path: ".codex/sessions/2026/11/15/rollout-2026-11-15T16-28-00-01a1e009-7b73-7891-9ee2-c2d9aa55ab6a.jsonl",
    tools: 3,
  },
  {
    agent: "gemini-cli",
    commands: {
      SessionStart: "context",
      BeforeAgent: "new",
      AfterTool: "save",
      AfterAgent: "summary",
      SessionEnd: "cleanup",
    },
    transcript: "session.jsonl",
    path: ".gemini/tmp/app/chats/session-2026-11-15T16-24-6e72136e.jsonl",
    tools: 4,
  },
  {
    agent: "copilot-cli",
    commands: {
      sessionStart: "context",
      userPromptSubmitted: "new",
      preToolUse: "recall",
      postToolUse: "save",
      agentStop: "summary",
      sessionEnd: "cleanup",
    },
    transcript: "events.jsonl",
    path: ".copilot/session-state/ac06754d-0c2e-40e0-ac68-607690766341/events.jsonl",
    tools: 4,
  },
];

async function replay(world: World, { agent, commands, transcript, path }: Recording): Promise<void> {
  const place = join(world.env["HOME"] ?? "", path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, recorded(world, agent, transcript));
  if (agent === "gemini-cli") writeFileSync(join(place, "../../.project_root"), world.project);
  for (const name of readdirSync(join(FIXTURES, agent)).filter((file) => file.endsWith(".json"))) {
    const command = commands[name.slice(3, -".json".length)];
    if (command === undefined) continue;
    const answer = await fire(world, agent, command, recorded(world, agent, name));
    expect(Object.keys(answer).filter((key) => ["continue", "decision", "permission"].includes(key))).toEqual([]);
  }
}

const COUNTS = `SELECT s.agent, s.status, count(DISTINCT p.id) AS prompts, count(DISTINCT t.id) AS tools,
  sum(DISTINCT t.exit_code) AS exits FROM sessions s LEFT JOIN prompts p ON p.session_db_id = s.id
  LEFT JOIN tool_uses t ON t.session_db_id = s.id GROUP BY s.id`;

describe("a session recorded by the client", () => {
  it.each(RECORDINGS)("by $agent gives one session from hooks and transcript", async (recording) => {
    const world = createWorld();
    await replay(world, recording);
    const [live] = await rows<{ prompts: number; tools: number }>(world, COUNTS);
    expect(live).toMatchObject({ agent: recording.agent, status: "completed", prompts: 1 });
    await run(world, ["sync", "--agent", recording.agent]);
    expect(await rows(world, COUNTS)).toEqual([
      { agent: recording.agent, status: "completed", prompts: 1, tools: recording.tools, exits: 2 },
    ]);
    const [{ text, response } = { text: "", response: "" }] = await rows<{ text: string; response: string }>(
      world,
      "SELECT text, response FROM prompts",
    );
    expect([text, response]).toEqual([expect.stringMatching(/^please/), "All done: app.txt changed."]);
    expect(existsSync(join(world.home, "logs", "hook.log"))).toBe(false);
  });

  it("is injected into the next agent's session, in that agent's format", async () => {
    const world = createWorld();
    const [codex] = RECORDINGS;
    if (codex !== undefined) await replay(world, codex);
    await rows(world, COUNTS);
    const at = { cwd: world.project, workspace_roots: [world.project], directory: world.project };
    const told = expect.stringContaining("please change app.txt");
    const gemini = { ...at, session_id: "g", hook_event_name: "SessionStart", source: "startup" };
    expect(await fire(world, "gemini-cli", "context", gemini)).toMatchObject({
      hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: told },
    });
    expect(await fire(world, "copilot-cli", "context", { ...at, sessionId: "c" })).toEqual({ additionalContext: told });
    expect(await fire(world, "opencode", "context", { ...at, sessionID: "o" })).toEqual({ text: told });
    const cursor = { ...at, conversation_id: "u", hook_event_name: "sessionStart", cursor_version: "2" };
    expect(await fire(world, "cursor", "context", cursor)).toEqual({ additional_context: told });
    // Cursor also runs the hooks in Claude Code's settings: context is not injected twice.
    const { stdout } = await run(world, ["context"], {
      input: JSON.stringify({ ...cursor, hook_event_name: "SessionStart" }),
    });
    expect(stdout).toBe("{}\n");
  });

  it("is not recorded if the prompt was private, for every agent", async () => {
    const world = createWorld();
    const at = { cwd: world.project, directory: world.project, workspace_roots: [world.project] };
    const secret = "<private>the zebra launch</private>";
    await fire(world, "codex", "new", { ...at, session_id: "x", hook_event_name: "UserPromptSubmit", prompt: secret });
    await fire(world, "gemini-cli", "new", { ...at, session_id: "g", hook_event_name: "BeforeAgent", prompt: secret });
    await fire(world, "copilot-cli", "new", { ...at, sessionId: "c", prompt: secret });
    await fire(world, "opencode", "new", { ...at, sessionID: "o", parts: [{ type: "text", text: secret }] });
    await fire(world, "opencode", "save", {
      ...at,
      sessionID: "o",
      tool: "bash",
      callID: "1",
      args: { command: "zebra" },
    });
    await fire(world, "cursor", "new", {
      ...at,
      conversation_id: "u",
      hook_event_name: "beforeSubmitPrompt",
      prompt: secret,
    });
    expect(allBytes(world.home)).not.toContain("zebra");
  });

  it("is ignored if the agent is unknown or its input is not JSON", async () => {
    const world = createWorld();
    expect(await fire(world, "unknown", "save", "{}")).toEqual({});
    expect(await fire(world, "codex", "save", "no JSON")).toEqual({});
  });
});

describe("context is injected into every agent", () => {
  const FILE = "src/parser.ts";
  const WRONG = "npx vitest run --watchless";
  const ERROR = "error: unknown option '--watchless' for vitest runner\n";
  const PROMPT = "Why do embedded newlines in a quoted CSV field break the parser rows?";
  let world: World;

  /** A bug in the parser and a command with a wrong option, both recorded from Claude Code. */
  beforeAll(async () => {
    world = createWorld();
    const path = join(world.project, FILE);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "export function parseQuotedField() {}\n");
    const base = { session_id: "old", prompt_id: "p" };
    const prompt = "Fix the quoted field handling in the CSV parser: embedded newlines break rows";
    await hook(world, "new", { ...base, hook_event_name: "UserPromptSubmit", prompt });
    const did = (id: string, tool_name: string, tool_input: object, response: object) =>
      hook(world, "save", {
        ...base,
        hook_event_name: "PostToolUse",
        tool_use_id: id,
        tool_name,
        tool_input,
        ...response,
      });
    await did(
      "t1",
      "Edit",
      { file_path: path, old_string: "a", new_string: "b" },
      { tool_response: { structuredPatch: [] } },
    );
    await did(
      "t2",
      "Bash",
      { command: WRONG },
      { hook_event_name: "PostToolUseFailure", error: `Exit code 2\n${ERROR}` },
    );
    await did("t3", "Bash", { command: "npx vitest run" }, { tool_response: { stdout: "ok" } });
    const answer =
      "Fixed: `parseQuotedField` kept no state across embedded newlines, so quoted rows broke in the CSV parser.";
    await hook(world, "summary", { ...base, hook_event_name: "Stop", last_assistant_message: answer });
    await run(world, ["rebuild", "--all"]).then(() => run(world, ["search", "parser"]));
  });

  type Moment = "prompt" | "file" | "command" | "error";
  /** The payload that each agent sends at each moment, and the hook it runs. */
  const payloads: Record<string, (moment: Moment, project: string) => [string, object] | undefined> = {
    codex(moment, project) {
      const base = { session_id: `x-${moment}`, cwd: project };
      const patch = `*** Begin Patch\n*** Update File: ${FILE}\n@@\n-a\n+b\n*** End Patch\n`;
      const pre = (tool_name: string, command: string): [string, object] => [
        "recall",
        { ...base, hook_event_name: "PreToolUse", tool_name, tool_input: { command }, tool_use_id: "c" },
      ];
      if (moment === "prompt") return ["new", { ...base, hook_event_name: "UserPromptSubmit", prompt: PROMPT }];
      if (moment === "file") return pre("apply_patch", patch);
      if (moment === "command") return pre("Bash", WRONG);
      const rollout = join(project, "..", "rollout.jsonl");
      const item = { type: "CommandExecution", id: "c", exit_code: 2 };
      writeFileSync(rollout, `${JSON.stringify({ type: "event_msg", payload: { type: "item_completed", item } })}\n`);
      const shell = { tool_name: "Bash", tool_input: { command: "npm test" }, tool_use_id: "c", tool_response: ERROR };
      return ["save", { ...base, ...shell, hook_event_name: "PostToolUse", transcript_path: rollout }];
    },
    "gemini-cli"(moment, project) {
      const base = { session_id: `g-${moment}`, cwd: project };
      const after = (tool_name: string, tool_input: object, llmContent: string): [string, object] => [
        "save",
        { ...base, hook_event_name: "AfterTool", tool_name, tool_input, tool_response: { llmContent } },
      ];
      if (moment === "prompt") return ["new", { ...base, hook_event_name: "BeforeAgent", prompt: PROMPT }];
      if (moment === "file") return after("read_file", { file_path: FILE }, "export function …");
      if (moment === "error")
        return after("run_shell_command", { command: "npm test" }, `Output: ${ERROR}Exit Code: 2`);
      return undefined;
    },
    "copilot-cli"(moment, project) {
      const base = { sessionId: `c-${moment}`, cwd: project };
      const result = { resultType: "success", textResultForLlm: `${ERROR}<shellId: 0 completed with exit code 2>` };
      if (moment === "prompt") return ["new", { ...base, prompt: PROMPT }];
      if (moment === "file") return ["recall", { ...base, toolName: "view", toolArgs: { path: join(project, FILE) } }];
      if (moment === "command") return ["recall", { ...base, toolName: "bash", toolArgs: { command: WRONG } }];
      return ["save", { ...base, toolName: "bash", toolArgs: { command: "npm test" }, toolResult: result }];
    },
    opencode(moment, project) {
      const base = { sessionID: `o-${moment}`, directory: project };
      if (moment === "prompt") return ["new", { ...base, messageID: "m", parts: [{ type: "text", text: PROMPT }] }];
      const tool = (name: string, args: object) => ({ ...base, tool: name, callID: "1", args });
      if (moment === "file") return ["recall", tool("read", { filePath: join(project, FILE) })];
      if (moment === "command") return ["recall", tool("bash", { command: WRONG })];
      return ["save", { ...tool("bash", { command: "npm test" }), output: ERROR, metadata: { exit: 2 } }];
    },
    cursor(moment, project) {
      const base = { conversation_id: `u-${moment}`, workspace_roots: [project], cursor_version: "2" };
      const failed = {
        tool_name: "Shell",
        tool_use_id: "1",
        tool_input: { command: "npm test" },
        error_message: ERROR,
      };
      if (moment === "prompt") return ["new", { ...base, hook_event_name: "beforeSubmitPrompt", prompt: PROMPT }];
      if (moment === "error") return ["save", { ...base, ...failed, hook_event_name: "postToolUseFailure" }];
      return undefined;
    },
  };
  const EXPECTED: Record<Moment, RegExp> = {
    prompt: /quoted ?field/i,
    file: /CSV parser/,
    command: /`npx vitest run` worked instead/,
    error: /`npx vitest run` worked instead/,
  };
  const moments = Object.entries(payloads).flatMap(([agent, payload]) =>
    (["prompt", "file", "command", "error"] as const).map((moment) => ({ agent, moment, payload })),
  );

  it.each(moments)("$agent: $moment", async ({ agent, moment, payload }) => {
    const sent = payload(moment, world.project);
    const told = SETUPS.find(({ id }) => id === agent)?.surfaces ?? [];
    expect(told.includes(moment)).toBe(sent !== undefined);
    if (sent === undefined) return;
    const [command, value] = sent;
    const answer = JSON.stringify(await fire(world, agent, command, value));
    expect(answer).toContain("<c-mem-context>");
    expect(answer).toMatch(EXPECTED[moment]);
    expect(JSON.stringify(await fire(world, agent, command, value))).not.toContain("<c-mem-context>");
    const shown = await rows<{ n: number }>(
      world,
      `SELECT count(*) AS n FROM injections i JOIN sessions s ON s.id = i.session_db_id
       WHERE s.agent = '${agent}' AND i.surface = '${moment}'`,
    );
    expect(shown).toEqual([{ n: 1 }]);
  });
});

describe("Cursor's rule", () => {
  it("is updated before a prompt and after a turn if enabled, and git ignores it", async () => {
    const world = createWorld();
    const git = (...args: string[]) => execFileSync("git", args, { cwd: world.project, encoding: "utf8" });
    git("init", "-q");
    const rule = join(world.project, ".cursor", "rules", "c-mem-context.mdc");
    const base = { conversation_id: "u", generation_id: "g1", workspace_roots: [world.project], cursor_version: "2" };
    const prompt = { ...base, hook_event_name: "beforeSubmitPrompt", prompt: "Teach the parser about tabs" };
    await fire(world, "cursor", "new", prompt);
    expect(existsSync(join(world.project, ".cursor"))).toBe(false);
    await run(world, ["install", "cursor", "--yes", "--no-sync"]);
    expect(readFileSync(rule, "utf8")).toContain("alwaysApply: true");
    expect(git("status", "--short")).toBe("");
    await fire(world, "cursor", "summary", {
      ...base,
      hook_event_name: "afterAgentResponse",
      text: "It knows tabs now.",
    });
    const next = {
      ...base,
      conversation_id: "v",
      hook_event_name: "beforeSubmitPrompt",
      prompt: "And about form feeds?",
    };
    await fire(world, "cursor", "new", next);
    expect(readFileSync(rule, "utf8")).toMatch(
      /<c-mem-context>[\s\S]*Teach the parser about tabs[\s\S]*<\/c-mem-context>/,
    );
    // The rule has the context, so the hook does not inject it.
    const start = { ...base, conversation_id: "w", hook_event_name: "sessionStart" };
    expect(await fire(world, "cursor", "context", start)).toEqual({});
    await run(world, ["uninstall", "cursor", "--yes"]);
    expect(existsSync(join(world.project, ".cursor"))).toBe(false);
    expect(readFileSync(join(world.project, ".git", "info", "exclude"), "utf8")).not.toContain("c-mem");
  });
});

/** A world in which every agent already has settings. */
function worldWithAgentSettings(): World {
  const world = createWorld();
  world.env["PATH"] = join(process.execPath, "..");
  const own: Record<string, string> = {
    ".codex/config.toml": 'model = "gpt-5.5"\n',
    ".codex/hooks.json": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}',
    ".gemini/settings.json": '{\n  // mine\n  "theme": "GitHub"\n}\n',
    ".copilot/mcp-config.json": '{\t"mcpServers": {}}',
    ".config/opencode/opencode.jsonc": '{ "model": "x/y", /* mine */ }\n',
    ".cursor/hooks.json": '{"version": 1, "hooks": {}}\n',
  };
  for (const [name, text] of Object.entries(own)) {
    const path = join(world.env["HOME"] ?? "", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return world;
}

const AGENTS = ["codex", "gemini-cli", "copilot-cli", "opencode", "cursor"];

/** All files in the user's home folder except C-Mem's. */
function usersFiles(world: World): Record<string, string> {
  const home = world.env["HOME"] ?? "";
  const names = readdirSync(home, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => !entry.parentPath.includes(".c-mem") && entry.name !== ".c-mem")
    .map((entry) => [join(entry.parentPath, entry.name), entry.isFile()] as const);
  return Object.fromEntries(names.map(([path, isFile]) => [path, isFile ? readFileSync(path, "utf8") : "folder"]));
}

describe("c-mem install <agent>", () => {
  it("changes each agent's files once, passes doctor, and uninstall restores every byte", async () => {
    const world = worldWithAgentSettings();
    const before = usersFiles(world);
    const dry = await run(world, ["install", ...AGENTS, "--dry-run"]);
    expect([dry.status, usersFiles(world)]).toEqual([0, before]);
    expect(await run(world, ["install", ...AGENTS, "--yes", "--no-sync"])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("Codex CLI runs the new hooks"),
    });
    const installed = usersFiles(world);
    expect(await run(world, ["install", ...AGENTS, "--yes", "--no-sync"])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("already installed"),
    });
    expect(usersFiles(world)).toEqual(installed);
    expect(existsSync(world.claudeDir)).toBe(false);
    const doctor = (await run(world, ["doctor"])).stdout;
    for (const label of ["Codex CLI", "Gemini CLI", "Copilot CLI", "OpenCode", "Cursor"]) {
      expect(doctor).toContain(`ok    ${label}`);
    }
    const { agents } = await data(world, ["status"]);
    expect(agents).toMatchObject(AGENTS.map((id) => ({ id, installed: true })));
    expect((await run(world, ["uninstall", ...AGENTS, "--yes"])).status).toBe(0);
    expect(usersFiles(world)).toEqual(before);
    expect(existsSync(join(world.home, "install.json"))).toBe(false);
    expect(readdirSync(join(world.home, "backups"))).toEqual([]);
  });

  it("uninstall removes only its own entries from files changed since", async () => {
    const world = worldWithAgentSettings();
    const home = world.env["HOME"] ?? "";
    await run(world, ["install", "codex", "gemini-cli", "--yes", "--no-sync"]);
    const [toml, settings] = [join(home, ".codex/config.toml"), join(home, ".gemini/settings.json")];
    writeFileSync(toml, `${readFileSync(toml, "utf8")}\n[projects."/a"]\ntrust_level = "trusted"\n`);
    writeFileSync(settings, readFileSync(settings, "utf8").replace("GitHub", "Dracula"));
    // Install again, as after an upgrade: the user's changes stay.
    await run(world, ["install", "codex", "gemini-cli", "--yes", "--no-sync"]);
    await run(world, ["uninstall", "--yes"]);
    expect(readFileSync(toml, "utf8")).toBe('model = "gpt-5.5"\n\n[projects."/a"]\ntrust_level = "trusted"\n');
    expect(readFileSync(settings, "utf8")).toBe('{\n  // mine\n  "theme": "Dracula"\n}\n');
  });

  it("rejects unknown file contents before it changes anything", async () => {
    const world = worldWithAgentSettings();
    const home = world.env["HOME"] ?? "";
    writeFileSync(join(home, ".gemini/settings.json"), '{"hooks": "none"}');
    const before = usersFiles(world);
    const result = await run(world, ["install", "codex", "gemini-cli", "--yes"]);
    expect([result.status, result.stderr]).toEqual([1, expect.stringContaining("nothing was changed")]);
    expect([usersFiles(world), existsSync(world.home)]).toEqual([before, false]);
    expect(await run(world, ["install", "vim", "--yes"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("claude-code, codex, gemini-cli, copilot-cli, opencode, cursor"),
    });
  });

  it("uninstall works despite broken files of agents it was not installed in", async () => {
    const world = worldWithAgentSettings();
    const broken = join(world.env["HOME"] ?? "", ".gemini/settings.json");
    await run(world, ["install", "codex", "--yes", "--no-sync"]);
    writeFileSync(broken, "{ broken");
    expect(await run(world, ["uninstall", "--yes"])).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/restore .*config\.toml$/m),
    });
    expect(await run(world, ["uninstall", "--yes"])).toMatchObject({
      status: 0,
      stderr: "C-Mem is not installed in any agent.\n",
    });
    expect(readFileSync(broken, "utf8")).toBe("{ broken");
  });

  it("without an agent and a terminal sets up Claude Code, and lists other agents it found", async () => {
    const world = worldWithAgentSettings();
    const before = usersFiles(world);
    const result = await run(world, ["install", "--yes", "--no-sync"]);
    expect([result.status, result.stderr]).toEqual([0, expect.stringContaining("Codex CLI (c-mem install codex)")]);
    expect(usersFiles(world)).toEqual(before);
    expect((await run(createWorld(), ["install", "--dry-run"])).stderr).not.toContain("Also found");
    const two = await run(world, ["install", "codex", "cursor", "--yes", "--no-sync"]);
    expect(two.stderr).toContain("The next session in Codex CLI or Cursor is recorded.");
    const again = (await run(world, ["install", "--dry-run"])).stderr;
    expect(again).toContain("Also found: Gemini CLI (c-mem install gemini-cli)");
    expect(again).not.toContain("c-mem install codex");
  });

  it.skipIf(!hasPty())("without an agent asks on a terminal which agents to set up", async () => {
    const world = worldWithAgentSettings();
    const home = world.env["HOME"] ?? "";
    const before = usersFiles(world);
    const terminal = {
      args: "install --no-sync --no-statusline --provider none",
      size: "rows 40 cols 120",
      env: { PATH: `${world.env["PATH"]}:/usr/bin:/bin` },
    };
    const left = startPty(world, terminal);
    await left.waitFor(/Claude Code[\s\S]*Codex CLI[\s\S]*Cursor/);
    left.type("\u0003");
    expect([await left.exit, usersFiles(world)]).toEqual([130, before]);
    const pty = startPty(world, terminal);
    await pty.waitFor(/Which agents[\s\S]*Cursor/);
    // All agents are selected at first: deselect Claude Code, Codex CLI and Gemini CLI.
    for (const key of [" ", "\u001b[B", " ", "\u001b[B", " ", "\r"]) pty.type(key);
    await pty.waitFor(/Apply these changes\?/);
    pty.type("y");
    expect(await pty.exit).toBe(0);
    expect(existsSync(join(home, ".copilot", "hooks", "c-mem.json"))).toBe(true);
    expect(existsSync(world.claudeDir)).toBe(false);
    expect(readFileSync(join(home, ".codex", "config.toml"), "utf8")).not.toContain("c-mem");
  });

  it("fails doctor when its hooks are missing", async () => {
    const world = worldWithAgentSettings();
    await run(world, ["install", "codex", "--yes", "--no-sync"]);
    writeFileSync(join(world.env["HOME"] ?? "", ".codex/hooks.json"), "{}");
    expect(await run(world, ["doctor"])).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/FAIL {2}Codex CLI: .*hooks\.json[\s\S]*c-mem install codex/),
    });
  });
});
