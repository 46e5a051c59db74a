// The plugin in Claude Code, with a fake client that writes the same files as the real one (2.1.325).
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allBytes, createWorld, data, run, type World } from "./harness.ts";

const CLIENT = `
const fs = require("node:fs"), path = require("node:path");
const dir = process.env.CLAUDE_CONFIG_DIR, [, , , ...args] = process.argv;
const change = (name, edit) => {
  const file = path.join(dir, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const value = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};
  edit(value);
  fs.writeFileSync(file, JSON.stringify(value, null, 2));
};
const [action, second, third] = args;
const cache = path.join(dir, "plugins", "cache", "c-mem", "c-mem", "0.1.0");
if (action === "marketplace" && second === "add") {
  const source = { source: "directory", path: third };
  change("plugins/known_marketplaces.json", (all) => (all["c-mem"] = { source, installLocation: third }));
  change("settings.json", (all) => (all.extraKnownMarketplaces = { "c-mem": { source } }));
}
if (action === "install") {
  change("plugins/installed_plugins.json", (all) => {
    all.version = 2;
    all.plugins = { ...all.plugins, "c-mem@c-mem": [{ scope: "user", installPath: cache }] };
  });
  change("settings.json", (all) => (all.enabledPlugins = { "c-mem@c-mem": true }));
  fs.mkdirSync(path.join(cache, "dist"), { recursive: true });
  fs.writeFileSync(path.join(cache, "dist", "hook.cjs"), "// c-mem");
}
if (action === "uninstall") {
  change("plugins/installed_plugins.json", (all) => delete all.plugins["c-mem@c-mem"]);
  change("settings.json", (all) => (all.enabledPlugins = {}));
  fs.writeFileSync(path.join(cache, ".orphaned_at"), "1");
}
if (action === "marketplace" && second === "remove") {
  change("plugins/known_marketplaces.json", (all) => delete all["c-mem"]);
  change("settings.json", (all) => delete all.extraKnownMarketplaces);
}
`;

interface PluginWorld extends World {
  claude: string;
}

async function installedWorld(): Promise<PluginWorld> {
  const world = createWorld();
  const folder = join(world.env["HOME"] ?? "", "client");
  mkdirSync(folder);
  writeFileSync(join(folder, "client.cjs"), CLIENT);
  const claude = join(folder, "claude");
  writeFileSync(claude, `#!/bin/sh\nexec ${process.execPath} ${join(folder, "client.cjs")} "$@"\n`);
  chmodSync(claude, 0o755);
  // Other plugins are installed already and must stay.
  const plugins = join(world.claudeDir, "plugins");
  mkdirSync(join(plugins, "cache", "other"), { recursive: true });
  writeFileSync(join(plugins, "installed_plugins.json"), '{"version": 2, "plugins": {"a@other": [{}]}}');
  writeFileSync(join(plugins, "known_marketplaces.json"), '{"other": {}}');
  const result = await run(world, ["install", "--yes", "--no-sync", "--claude", claude]);
  if (result.status !== 0) throw new Error(result.stderr);
  // From now on claude is not on the PATH.
  world.env["PATH"] = join(process.execPath, "..");
  return { ...world, claude };
}

const settingsOf = (world: World): Record<string, unknown> =>
  JSON.parse(readFileSync(join(world.claudeDir, "settings.json"), "utf8")) as Record<string, unknown>;

describe("without claude on the PATH", () => {
  it("doctor --fix and install repair the plugin in place, not in settings.json", async () => {
    const world = await installedWorld();
    const before = settingsOf(world);
    expect(before).toMatchObject({ enabledPlugins: { "c-mem@c-mem": true } });
    for (const args of [
      ["doctor", "--fix"],
      ["install", "--yes", "--no-sync"],
    ]) {
      rmSync(join(world.home, "plugin", "c-mem", "dist", "hook.cjs"));
      await run(world, args);
      expect(existsSync(join(world.home, "plugin", "c-mem", "dist", "hook.cjs"))).toBe(true);
      expect(settingsOf(world)).toEqual(before);
    }
  });

  it("a disabled plugin is not replaced by hooks in settings.json", async () => {
    const world = await installedWorld();
    writeFileSync(join(world.claudeDir, "settings.json"), "{}");
    const fixed = await data(world, ["doctor", "--fix"]);
    expect(fixed["fixed"]).toMatchObject([
      { name: "hooks installed", is_fixed: false, done: expect.stringContaining("claude command was not found") },
    ]);
    expect(settingsOf(world)).toEqual({});
    const moved = await run(world, ["install", "--yes", "--no-sync", "--method", "settings"]);
    expect([moved.status, settingsOf(world)]).toEqual([0, { hooks: expect.anything() }]);
  });
});

describe("c-mem uninstall", () => {
  it.each([
    ["with the claude command", true],
    ["without it", false],
  ])("--purge %s removes everything from the client's folder", async (_, hasClaude) => {
    const world = await installedWorld();
    mkdirSync(join(world.claudeDir, "plugins", "data", "c-mem-c-mem"), { recursive: true });
    const args = ["uninstall", "--purge", "--yes", ...(hasClaude ? ["--claude", world.claude] : [])];
    const { status, stderr } = await run(world, args);
    expect([status, stderr]).toEqual([0, expect.stringMatching(/All data, hooks and copies of C-Mem are deleted/)]);
    expect(allBytes(world.claudeDir)).not.toContain("c-mem");
    const names = readdirSync(world.claudeDir, { recursive: true, encoding: "utf8" });
    expect(names.filter((name) => name.includes("c-mem"))).toEqual([]);
    const plugins = join(world.claudeDir, "plugins");
    expect(JSON.parse(readFileSync(join(plugins, "installed_plugins.json"), "utf8"))).toEqual({
      version: 2,
      plugins: { "a@other": [{}] },
    });
    expect(JSON.parse(readFileSync(join(plugins, "known_marketplaces.json"), "utf8"))).toEqual({ other: {} });
    expect(existsSync(join(plugins, "cache", "other"))).toBe(true);
  });

  it("--purge lists the files it does not remove", async () => {
    const world = await installedWorld();
    writeFileSync(join(world.home, "mine.txt"), "not C-Mem's");
    const { stderr } = await run(world, ["uninstall", "--purge", "--yes"]);
    expect(stderr).toContain(`Done. These files remain:\n  ${world.home}`);
  });
});
