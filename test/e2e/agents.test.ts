// Agents other than Claude Code: what their clients sent to hooks, played to the real hook program, and C-Mem installed into
// their files and out again.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { allBytes, createWorld, data, ROOT, rows, run, type World } from "./harness.ts";

const FIXTURES = join(ROOT, "test", "fixtures", "agent-hooks");

/** A recording, as if it had been made in this world. */
function recorded(world: World, agent: string, name: string): string {
  const home = world.env["HOME"] ?? "";
  const text = readFileSync(join(FIXTURES, agent, name), "utf8");
  return text.replaceAll("/home/ada/app", world.project).replaceAll("/home/ada", home);
}

async function play(
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
  /** Where the client keeps it, under the user's folder. */
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

async function playAll(world: World, { agent, commands, transcript, path }: Recording): Promise<void> {
  const place = join(world.env["HOME"] ?? "", path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, recorded(world, agent, transcript));
  if (agent === "gemini-cli") writeFileSync(join(place, "../../.project_root"), world.project);
  for (const name of readdirSync(join(FIXTURES, agent)).filter((file) => file.endsWith(".json"))) {
    const command = commands[name.slice(3, -".json".length)];
    if (command === undefined) continue;
    const answer = await play(world, agent, command, recorded(world, agent, name));
    expect(Object.keys(answer).filter((key) => ["continue", "decision", "permission"].includes(key))).toEqual([]);
  }
}

const COUNTS = `SELECT s.agent, s.status, count(DISTINCT p.id) AS prompts, count(DISTINCT t.id) AS tools,
  sum(DISTINCT t.exit_code) AS exits FROM sessions s LEFT JOIN prompts p ON p.session_db_id = s.id
  LEFT JOIN tool_uses t ON t.session_db_id = s.id GROUP BY s.id`;

describe("a session recorded by the client", () => {
  it.each(RECORDINGS)("of $agent is one session through its hooks and its transcript", async (recording) => {
    const world = createWorld();
    await playAll(world, recording);
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

  it("is what the next agent is told of, each in its own words", async () => {
    const world = createWorld();
    const [codex] = RECORDINGS;
    if (codex !== undefined) await playAll(world, codex);
    await rows(world, COUNTS);
    const at = { cwd: world.project, workspace_roots: [world.project], directory: world.project };
    const told = expect.stringContaining("please change app.txt");
    const gemini = { ...at, session_id: "g", hook_event_name: "SessionStart", source: "startup" };
    expect(await play(world, "gemini-cli", "context", gemini)).toMatchObject({
      hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: told },
    });
    expect(await play(world, "copilot-cli", "context", { ...at, sessionId: "c" })).toEqual({ additionalContext: told });
    expect(await play(world, "opencode", "context", { ...at, sessionID: "o" })).toEqual({ text: told });
    const cursor = { ...at, conversation_id: "u", hook_event_name: "sessionStart", cursor_version: "2" };
    expect(await play(world, "cursor", "context", cursor)).toEqual({ additional_context: told });
    // Cursor runs what it finds in Claude Code's settings as well: that is not told twice.
    const { stdout } = await run(world, ["context"], {
      input: JSON.stringify({ ...cursor, hook_event_name: "SessionStart" }),
    });
    expect(stdout).toBe("{}\n");
  });

  it("is left alone where the prompt was private, whichever agent it was", async () => {
    const world = createWorld();
    const at = { cwd: world.project, directory: world.project, workspace_roots: [world.project] };
    const secret = "<private>the zebra launch</private>";
    await play(world, "codex", "new", { ...at, session_id: "x", hook_event_name: "UserPromptSubmit", prompt: secret });
    await play(world, "gemini-cli", "new", { ...at, session_id: "g", hook_event_name: "BeforeAgent", prompt: secret });
    await play(world, "copilot-cli", "new", { ...at, sessionId: "c", prompt: secret });
    await play(world, "opencode", "new", { ...at, sessionID: "o", parts: [{ type: "text", text: secret }] });
    await play(world, "opencode", "save", {
      ...at,
      sessionID: "o",
      tool: "bash",
      callID: "1",
      args: { command: "zebra" },
    });
    await play(world, "cursor", "new", {
      ...at,
      conversation_id: "u",
      hook_event_name: "beforeSubmitPrompt",
      prompt: secret,
    });
    expect(allBytes(world.home)).not.toContain("zebra");
  });

  it("costs nothing where the agent is not known, or what it sends is no JSON", async () => {
    const world = createWorld();
    expect(await play(world, "nobody", "save", "{}")).toEqual({});
    expect(await play(world, "codex", "save", "no JSON")).toEqual({});
  });
});

describe("Cursor's rule", () => {
  it("holds what is remembered before a prompt and after a turn, where it was asked for, and git does not see it", async () => {
    const world = createWorld();
    const git = (...args: string[]) => execFileSync("git", args, { cwd: world.project, encoding: "utf8" });
    git("init", "-q");
    const rule = join(world.project, ".cursor", "rules", "c-mem-context.mdc");
    const base = { conversation_id: "u", generation_id: "g1", workspace_roots: [world.project], cursor_version: "2" };
    const prompt = { ...base, hook_event_name: "beforeSubmitPrompt", prompt: "Teach the parser about tabs" };
    await play(world, "cursor", "new", prompt);
    expect(existsSync(join(world.project, ".cursor"))).toBe(false);
    await run(world, ["install", "cursor", "--yes", "--no-sync"]);
    expect(readFileSync(rule, "utf8")).toContain("alwaysApply: true");
    expect(git("status", "--short")).toBe("");
    await play(world, "cursor", "summary", {
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
    await play(world, "cursor", "new", next);
    expect(readFileSync(rule, "utf8")).toMatch(
      /<c-mem-context>[\s\S]*Teach the parser about tabs[\s\S]*<\/c-mem-context>/,
    );
    await run(world, ["uninstall", "cursor", "--yes"]);
    expect(existsSync(join(world.project, ".cursor"))).toBe(false);
    expect(readFileSync(join(world.project, ".git", "info", "exclude"), "utf8")).not.toContain("c-mem");
  });
});

/** A user with settings of their own in every agent. */
function settledWorld(): World {
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

/** Every file of the user's, C-Mem's own aside. */
function usersFiles(world: World): Record<string, string> {
  const home = world.env["HOME"] ?? "";
  const names = readdirSync(home, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => !entry.parentPath.includes(".c-mem") && entry.name !== ".c-mem")
    .map((entry) => [join(entry.parentPath, entry.name), entry.isFile()] as const);
  return Object.fromEntries(names.map(([path, isFile]) => [path, isFile ? readFileSync(path, "utf8") : "folder"]));
}

describe("c-mem install <agent>", () => {
  it("changes each agent's files once, is checked by doctor, and leaves every byte as it was", async () => {
    const world = settledWorld();
    const before = usersFiles(world);
    const dry = await run(world, ["install", ...AGENTS, "--dry-run"]);
    expect([dry.status, usersFiles(world)]).toEqual([0, before]);
    expect(await run(world, ["install", ...AGENTS, "--yes", "--no-sync"])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("Codex CLI asks once"),
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
  });

  it("takes out only its own where somebody has changed the files since", async () => {
    const world = settledWorld();
    const home = world.env["HOME"] ?? "";
    await run(world, ["install", "codex", "gemini-cli", "--yes", "--no-sync"]);
    const [toml, settings] = [join(home, ".codex/config.toml"), join(home, ".gemini/settings.json")];
    writeFileSync(toml, `${readFileSync(toml, "utf8")}\n[projects."/a"]\ntrust_level = "trusted"\n`);
    writeFileSync(settings, readFileSync(settings, "utf8").replace("GitHub", "Dracula"));
    // Once more, as after an upgrade: what was changed in between is still theirs.
    await run(world, ["install", "codex", "gemini-cli", "--yes", "--no-sync"]);
    await run(world, ["uninstall", "--yes"]);
    expect(readFileSync(toml, "utf8")).toBe('model = "gpt-5.5"\n\n[projects."/a"]\ntrust_level = "trusted"\n');
    expect(readFileSync(settings, "utf8")).toBe('{\n  // mine\n  "theme": "Dracula"\n}\n');
  });

  it("refuses what it does not understand before anything has changed", async () => {
    const world = settledWorld();
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

  it("without a name and a terminal is for Claude Code, and says what else it found", async () => {
    const world = settledWorld();
    const before = usersFiles(world);
    const result = await run(world, ["install", "--yes", "--no-sync"]);
    expect([result.status, result.stderr]).toEqual([0, expect.stringContaining("Codex CLI (c-mem install codex)")]);
    expect(usersFiles(world)).toEqual(before);
    expect((await run(createWorld(), ["install", "--dry-run"])).stderr).not.toContain("Also found");
  });

  it("is noticed by doctor when its hooks are gone", async () => {
    const world = settledWorld();
    await run(world, ["install", "codex", "--yes", "--no-sync"]);
    writeFileSync(join(world.env["HOME"] ?? "", ".codex/hooks.json"), "{}");
    expect(await run(world, ["doctor"])).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/FAIL {2}Codex CLI: .*hooks\.json[\s\S]*c-mem install codex/),
    });
  });
});
