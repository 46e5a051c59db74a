// c-mem install and uninstall in Claude Code's settings, without the client.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allBytes, createWorld, hook, rows, run, type World } from "./harness.ts";
import { connect } from "./mcp-client.ts";

const USERS_OWN = `{
  // mine
  "model": "opus",
  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }] }
}
`;

/** A world whose PATH has node but not claude. */
function bareWorld(): World {
  const world = createWorld();
  world.env["PATH"] = join(process.execPath, "..");
  return world;
}

function installWorld(settings?: string): World & { settings: string } {
  const world = bareWorld();
  mkdirSync(world.claudeDir, { recursive: true });
  const path = join(world.claudeDir, "settings.json");
  if (settings !== undefined) writeFileSync(path, settings, { mode: 0o644 });
  return { ...world, settings: path };
}

describe("c-mem install", () => {
  it("adds working hooks to settings.json and keeps other entries", async () => {
    const world = installWorld(USERS_OWN);
    const result = await run(world, ["install", "--yes"]);
    expect([result.status, result.stderr]).toEqual([0, expect.stringContaining("add c-mem's hooks")]);
    // Progress goes to stderr; stdout has only JSON.
    expect([result.stdout, result.stderr]).toEqual(["", expect.stringMatching(/Read 0 transcripts[\s\S]*Done\./)]);
    const text = readFileSync(world.settings, "utf8");
    expect(text).toContain("// mine");
    expect(text).toContain("say done");
    expect(statSync(world.settings).mode & 0o777).toBe(0o644);
    const settings = JSON.parse(text.replace("// mine", "")) as {
      hooks: Record<string, { hooks: { command: string; args: string[] }[] }[]>;
    };
    const { command, args } = settings.hooks["UserPromptSubmit"]?.[0]?.hooks[0] ?? { command: "", args: [] };
    expect(existsSync(command)).toBe(true);
    expect(args).toEqual([join(world.home, "plugin", "c-mem", "dist", "hook.cjs"), "new"]);
  });

  it("passes doctor, which reports settings that would stop the hooks", async () => {
    const plain = installWorld("{}");
    await run(plain, ["install", "--yes"]);
    expect(await run(plain, ["doctor"])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("ok    hook runs"),
    });
    // The client ignores a settings file with comments.
    const commented = installWorld(USERS_OWN);
    expect((await run(commented, ["install", "--yes"])).stderr).toContain("ignores");
    expect(await run(commented, ["doctor"])).toMatchObject({
      status: 1,
      stdout: expect.stringContaining("ignores all of"),
    });
    const off = installWorld('{"disableAllHooks": true}');
    await run(off, ["install", "--yes"]);
    expect(await run(off, ["doctor"])).toMatchObject({ status: 1, stdout: expect.stringContaining("disableAllHooks") });
  });

  it("registers working memory tools among the user's MCP servers, and announces it", async () => {
    const world = installWorld("{}");
    const state = join(world.claudeDir, ".claude.json");
    const dry = await run(world, ["install", "--dry-run"]);
    expect(dry.stderr).toContain(`register the memory tools (the MCP server c-mem) in ${state}`);
    await run(world, ["install", "--yes"]);
    const { mcpServers } = JSON.parse(readFileSync(state, "utf8")) as {
      mcpServers: Record<string, { command: string; args: string[]; env: Record<string, string> }>;
    };
    const { command, args, env } = mcpServers["c-mem"] ?? { command: "", args: [], env: {} };
    expect(args).toEqual([join(world.home, "plugin", "c-mem", "dist", "mcp.cjs")]);
    const { call } = await connect(world, { command, args, env });
    expect((await call("remember", { text: "It works from where it was installed." })).text).toContain("o1");
    expect((await run(world, ["doctor"])).stdout).toContain("ok    memory tools");
    rmSync(state);
    expect((await run(world, ["doctor"])).stdout).toMatch(/warn {2}memory tools[\s\S]*c-mem install/);
    rmSync(args[0] ?? "");
    await run(world, ["install", "--yes"]);
    expect((await run(world, ["doctor"])).status).toBe(0);
  });

  it("does not change a user's MCP server of the same name, or an unknown state file", async () => {
    const own = '{"mcpServers": {"c-mem": {"command": "c-mem", "args": ["mcp"]}}}';
    const world = installWorld("{}");
    const state = join(world.claudeDir, ".claude.json");
    writeFileSync(state, own);
    await run(world, ["install", "--yes"]);
    await run(world, ["uninstall", "--yes"]);
    expect(readFileSync(state, "utf8")).toBe(own);
    for (const broken of ['{"mcpServers": []}', '{"mcpServers": ']) {
      writeFileSync(state, broken);
      expect((await run(world, ["install", "--yes"])).status).toBe(1);
      expect([readFileSync(state, "utf8"), readFileSync(world.settings, "utf8")]).toEqual([broken, "{}"]);
    }
  });

  it("is idempotent, and a dry run changes nothing", async () => {
    const world = installWorld(USERS_OWN);
    const dry = await run(world, ["install", "--dry-run"]);
    expect([dry.status, dry.stderr]).toEqual([0, expect.stringContaining("This would:")]);
    expect(readFileSync(world.settings, "utf8")).toBe(USERS_OWN);
    expect(existsSync(world.home)).toBe(false);
    await run(world, ["install", "--yes"]);
    const [settings, home] = [readFileSync(world.settings, "utf8"), allBytes(world.home)];
    const again = await run(world, ["install", "--yes"]);
    expect([again.status, again.stderr]).toEqual([0, expect.stringContaining("already installed")]);
    expect([readFileSync(world.settings, "utf8"), allBytes(world.home)]).toEqual([settings, home]);
  });

  it("asks first, and changes nothing without a terminal or --yes", async () => {
    const world = installWorld(USERS_OWN);
    const result = await run(world, ["install"]);
    expect([result.status, result.stderr]).toEqual([2, expect.stringContaining("--yes")]);
    expect(readFileSync(world.settings, "utf8")).toBe(USERS_OWN);
    const json = await run(world, ["install", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ schema_version: 1, command: "install", error: { code: "usage" } });
  });

  it.each(["plugin", "plugin/c-mem/dist/hook.cjs"])("repairs the plugin folder if %s is missing", async (gone) => {
    const world = installWorld();
    await run(world, ["install", "--yes"]);
    rmSync(join(world.home, gone), { recursive: true });
    const broken = await run(world, ["doctor"]);
    expect([broken.status, broken.stdout]).toEqual([1, expect.stringMatching(/FAIL {2}hook runs[\s\S]*c-mem install/)]);
    await run(world, ["install", "--yes"]);
    expect((await run(world, ["doctor"])).status).toBe(0);
  });

  it.each(['{"hooks": null}', '{"hooks": []}'])("does not change %s, and says why", async (settings) => {
    const world = installWorld(settings);
    expect(await run(world, ["install", "--yes"])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("not an object"),
    });
    expect(readFileSync(world.settings, "utf8")).toBe(settings);
    expect(existsSync(world.home)).toBe(false);
  });

  it("does not change settings that are not JSON, and says so", async () => {
    const world = installWorld('{ "model": ');
    const result = await run(world, ["install", "--yes"]);
    expect([result.status, result.stderr]).toEqual([1, expect.stringContaining("not valid JSON")]);
    expect(readFileSync(world.settings, "utf8")).toBe('{ "model": ');
  });

  it("changes the target of a settings file that is a link", async () => {
    const world = installWorld();
    const dotfile = join(world.env["HOME"] ?? "", "dotfile.json");
    writeFileSync(dotfile, "{}\n");
    symlinkSync(dotfile, world.settings);
    await run(world, ["install", "--yes"]);
    expect(readlinkSync(world.settings)).toBe(dotfile);
    expect(readFileSync(dotfile, "utf8")).toContain("hook.cjs");
    await run(world, ["uninstall", "--yes"]);
    expect(lstatSync(world.settings).isSymbolicLink()).toBe(true);
    expect(readFileSync(dotfile, "utf8")).toBe("{}\n");
  });

  it("says what to do if --method plugin finds no claude command", async () => {
    const result = await run(installWorld(), ["install", "--method", "plugin", "--yes"]);
    expect([result.status, result.stderr]).toEqual([1, expect.stringContaining("--claude")]);
    expect((await run(installWorld(), ["install", "--method", "magic", "--yes"])).status).toBe(2);
  });
});

describe("if an agent's settings file is a folder", () => {
  it.each([
    ["claude-code", ".claude/settings.json"],
    ["claude-code", ".claude.json"],
    ["codex", ".codex/config.toml"],
    ["gemini-cli", ".gemini/settings.json"],
    ["copilot-cli", ".copilot/mcp-config.json"],
    ["opencode", ".config/opencode/opencode.json"],
    ["cursor", ".cursor/hooks.json"],
  ])("install %s reports it and changes nothing", async (agent, file) => {
    const world = bareWorld();
    const { CLAUDE_CONFIG_DIR: _, ...env } = world.env;
    const home = env["HOME"] ?? "";
    mkdirSync(join(home, file), { recursive: true });
    const { status, stderr } = await run({ ...world, env }, ["install", agent, "--yes", "--no-sync"]);
    expect([status, stderr]).toEqual([1, expect.stringContaining(`${join(home, file)} is a folder`)]);
    expect(stderr).not.toContain("    at ");
    expect(existsSync(world.home)).toBe(false);
  });
});

describe("c-mem uninstall", () => {
  it("deletes the agent's folder if install created it and it is empty", async () => {
    for (const somebodys of [undefined, "CLAUDE.md"]) {
      const world = bareWorld();
      await run(world, ["install", "--yes", "--no-sync"]);
      await run(world, ["install", "--yes", "--no-sync", "--statusline"]);
      expect(existsSync(join(world.claudeDir, "settings.json"))).toBe(true);
      if (somebodys !== undefined) writeFileSync(join(world.claudeDir, somebodys), "mine");
      await run(world, ["uninstall", "--yes"]);
      expect(existsSync(world.claudeDir) ? readdirSync(world.claudeDir) : undefined).toEqual(somebodys && [somebodys]);
    }
  });

  it.each([USERS_OWN, "{}", '{"a":1}', undefined])(
    "restores settings %j byte for byte, and keeps the data",
    async (settings) => {
      const world = installWorld(settings);
      await run(world, ["install", "--yes"]);
      await hook(world, "new", { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "stays" });
      const dry = await run(world, ["uninstall", "--dry-run"]);
      expect(dry.stderr).toContain("This would:");
      const result = await run(world, ["uninstall", "--yes"]);
      expect([result.status, result.stderr]).toEqual([0, expect.stringContaining("still in")]);
      expect(existsSync(world.settings) ? readFileSync(world.settings, "utf8") : undefined).toBe(settings);
      expect(await rows(world, "SELECT text FROM prompts")).toEqual([{ text: "stays" }]);
      expect((await run(world, ["uninstall", "--yes"])).stderr).toContain("not installed");
    },
  );

  const STATE = `${JSON.stringify({ numStartups: 3, projects: { "/a": { allowedTools: [] } } }, null, 2)}\n`;
  it.each([
    undefined,
    STATE,
    '{\n  "mcpServers": {\n    "other": {\n      "command": "x"\n    }\n  },\n  "userID": "u"\n}',
  ])("restores the client's state %j byte for byte", async (text) => {
    const world = installWorld("{}");
    const state = join(world.claudeDir, ".claude.json");
    if (text !== undefined) writeFileSync(state, text, { mode: 0o600 });
    await run(world, ["install", "--yes"]);
    expect([readFileSync(state, "utf8").includes("mcp.cjs"), statSync(state).mode & 0o777]).toEqual([true, 0o600]);
    await run(world, ["uninstall", "--yes"]);
    expect(existsSync(state) ? readFileSync(state, "utf8") : undefined).toBe(text);
  });

  it("finds the client's state next to the default config folder, also with --purge", async () => {
    const world = installWorld();
    const { CLAUDE_CONFIG_DIR: elsewhere = "", ...usual } = world.env;
    const home = world.env["HOME"] ?? "";
    mkdirSync(join(home, ".claude"));
    await run({ ...world, env: usual }, ["install", "--yes"]);
    expect(readFileSync(join(home, ".claude.json"), "utf8")).toContain("mcp.cjs");
    await run({ ...world, env: { ...usual, CLAUDE_CONFIG_DIR: elsewhere } }, ["uninstall", "--purge", "--yes"]);
    expect([existsSync(join(home, ".claude.json")), existsSync(join(home, ".claude", ".claude.json"))]).toEqual([
      false,
      false,
    ]);
  });

  it("keeps changes that the user made between two installs", async () => {
    const world = installWorld('{ "model": "opus" }\n');
    await run(world, ["install", "--yes"]);
    writeFileSync(world.settings, '{ "model": "sonnet" }\n');
    await run(world, ["install", "--yes"]);
    await run(world, ["uninstall", "--yes"]);
    expect(JSON.parse(readFileSync(world.settings, "utf8"))).toEqual({ model: "sonnet" });
  });

  it("keeps changes that the user made after install", async () => {
    const world = installWorld(USERS_OWN);
    await run(world, ["install", "--yes"]);
    writeFileSync(world.settings, readFileSync(world.settings, "utf8").replace('"opus"', '"sonnet"'));
    await run(world, ["uninstall", "--yes"]);
    const text = readFileSync(world.settings, "utf8");
    expect(text).toContain('"sonnet"');
    expect(text).toContain("say done");
    expect(text).not.toContain("c-mem");
  });

  it.each(['{"hooks":{}}', '{"hooks":{"Stop":[]}}\n', '\uFEFF{"a":1}'])(
    "restores %j byte for byte",
    async (settings) => {
      const world = installWorld(settings);
      await run(world, ["install", "--yes"]);
      await run(world, ["uninstall", "--yes"]);
      expect(readFileSync(world.settings, "utf8")).toBe(settings);
    },
  );

  it("--purge removes the hooks from every config folder, and deletes only C-Mem's files", async () => {
    const world = installWorld("{}");
    const second = { ...world.env, CLAUDE_CONFIG_DIR: join(world.claudeDir, "..", "second") };
    await run(world, ["install", "--yes"]);
    await run(world, ["install", "--yes"], { env: second });
    for (const name of ["mine.txt", "repair-notes"]) writeFileSync(join(world.home, name), "not C-Mem's");
    expect((await run(world, ["uninstall", "--purge", "--yes"])).status).toBe(0);
    expect(existsSync(join(second.CLAUDE_CONFIG_DIR, "settings.json"))).toBe(false);
    expect(readdirSync(world.home)).toEqual(["mine.txt", "repair-notes"]);
  });

  it("--purge deletes the data directory", async () => {
    const world = installWorld();
    await run(world, ["install", "--yes"]);
    await hook(world, "new", { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "gone" });
    // Copies of the database that a killed restore or repair leaves.
    for (const name of ["c-mem.db.incoming", "c-mem.db.swap", "repair-123", "config.json.new"]) {
      writeFileSync(join(world.home, name), "gone");
    }
    expect((await run(world, ["uninstall", "--purge", "--yes"])).status).toBe(0);
    expect(existsSync(world.home)).toBe(false);
    expect(existsSync(world.settings)).toBe(false);
  });
});

describe("on a Node without SQLite", () => {
  /** Simulates an old Node: the real one without the SQLite module. */
  function oldNode(world: World): string {
    const folder = join(world.env["HOME"] ?? "", "old-bin");
    mkdirSync(folder);
    const preload = join(folder, "old.cjs");
    writeFileSync(preload, 'Object.defineProperty(process.versions, "node", { value: "20.20.2" });\n');
    const node = join(folder, "node");
    writeFileSync(
      node,
      `#!/bin/sh\ncase "$2" in *sqlite*) exit 1;; esac\nexec ${process.execPath} -r ${preload} "$@"\n`,
    );
    chmodSync(node, 0o755);
    return node;
  }

  it("hooks record, context is empty, and commands say what to do", async () => {
    const world = createWorld();
    const node = oldNode(world);
    await hook(world, "new", { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "caught" }, { node });
    expect(await hook(world, "context", { session_id: "t", hook_event_name: "SessionStart" }, { node })).toEqual({});
    const status = await run(world, ["status"], { node });
    expect([status.status, status.stderr]).toEqual([1, expect.stringContaining("c-mem install")]);
    const doctor = await run(world, ["doctor"], { node });
    expect([doctor.status, doctor.stdout]).toEqual([1, expect.stringContaining("FAIL  node")]);
    const { call } = await connect(world, { command: node });
    expect(await call("search")).toMatchObject({ isError: true, text: expect.stringContaining("c-mem install") });
    expect(await rows(world, "SELECT text FROM prompts")).toEqual([{ text: "caught" }]);
  });

  it("a recorded Node without SQLite is tried only once", async () => {
    const world = createWorld();
    const node = oldNode(world);
    mkdirSync(world.home, { recursive: true, mode: 0o700 });
    writeFileSync(join(world.home, "install.json"), JSON.stringify({ version: "0", node, installedAt: 1, sites: {} }));
    expect(await hook(world, "context", { session_id: "t", hook_event_name: "SessionStart" }, { node })).toEqual({});
    expect((await run(world, ["projects"], { node })).status).toBe(1);
  });

  it("hooks and commands work after install recorded a Node with SQLite", async () => {
    const world = createWorld();
    const node = oldNode(world);
    await hook(world, "new", { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "caught" }, { node });
    await rows(world, "SELECT 1");
    const good = join(world.env["HOME"] ?? "", "good-node");
    symlinkSync(process.execPath, good);
    const record = { version: "0", node: good, installedAt: 1, sites: {} };
    writeFileSync(join(world.home, "install.json"), JSON.stringify(record));
    expect((await run(world, ["projects"], { node })).status).toBe(0);
    const answer = await hook(world, "context", { session_id: "t", hook_event_name: "SessionStart" }, { node });
    expect(JSON.stringify(answer)).toContain("caught");
    const { call } = await connect(world, { command: node });
    expect((await call("search", { query: "caught" })).text).toContain("caught");
  });
});
