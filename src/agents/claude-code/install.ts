// Plans the steps that install C-Mem into Claude Code or remove it. Nothing changes until the steps run.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { x } from "tinyexec";
import { AppError } from "../../core/error.ts";
import { replaceFile } from "../../platform/replace-file.ts";
import type { Env } from "../agent-files.ts";
import { editJson, isEmptyJson } from "../json-file.ts";
import { editFile, readSettings, restoreBackup, writeFile, writeSettings } from "../settings-file.ts";
import { json, type Program, type Step } from "../setup.ts";
import { addHooks, addStatusLine, mcpPart, pluginHooks, pluginMcp, removeHooks, removeStatusLine } from "./settings.ts";
import { type ClaudeSite, MARKETPLACE, PLUGIN_ID } from "./site.ts";

export interface PluginCopy {
  /** The folder of the built plugin. */
  source: string;
  /** The marketplace folder with the copy that Claude Code runs. Its path stays the same across upgrades. */
  target: string;
  /** The Node that runs the hooks. */
  node: string;
  /** The folder of Node's compile cache. */
  cache: string;
}

export interface InstallOptions extends Omit<PluginCopy, "source"> {
  site: ClaudeSite;
  env: Env;
  /** The `claude` executable, which is needed to install the plugin. */
  claude: string | undefined;
}

/** The plugin's folder inside the marketplace folder. */
export function pluginFolder(target: string): string {
  return join(target, "c-mem");
}

export function bundlePath(target: string): string {
  return join(pluginFolder(target), "dist", "hook.cjs");
}

export function installedProgram({ target, node, cache }: Omit<PluginCopy, "source">): Program {
  return { node, hook: bundlePath(target), mcp: join(pluginFolder(target), "dist", "mcp.cjs"), cache };
}

/** The bundles that `doctor` expects in an installed plugin. */
export const BUNDLES = [
  "recall.cjs",
  "context.cjs",
  "agents.cjs",
  "hook-main.cjs",
  "hook.cjs",
  "opencode.cjs",
  "worker.cjs",
  "server.cjs",
  "embed-process.cjs",
  "mcp.cjs",
];

/** The files whose content depends on where C-Mem is installed. */
function writtenFiles(options: Omit<PluginCopy, "source">): [path: string, content: object][] {
  const folder = pluginFolder(options.target);
  const marketplace = {
    name: MARKETPLACE,
    owner: { name: "C-Mem" },
    metadata: { description: "The copy of C-Mem installed on this machine" },
    plugins: [{ name: "c-mem", source: "./c-mem", description: "Remembers every session" }],
  };
  return [
    [join(folder, "hooks", "hooks.json"), pluginHooks(options.node, bundlePath(options.target))],
    [join(folder, ".mcp.json"), pluginMcp(installedProgram(options))],
    [join(options.target, ".claude-plugin", "marketplace.json"), marketplace],
  ];
}

export function copyPlugin(options: PluginCopy): Step {
  const { source, target } = options;
  return {
    about: `copy the hooks and the memory tools to ${target}`,
    run() {
      const folder = pluginFolder(target);
      mkdirSync(target, { recursive: true, mode: 0o700 });
      // Viewer files have new names in each version: delete the old ones.
      rmSync(join(folder, "dist", "viewer"), { recursive: true, force: true });
      // Each file is replaced in one step, so that a running session never reads half a bundle.
      for (const file of builtFiles(source)) {
        const { mode } = statSync(join(source, file));
        replaceFile(join(folder, file), readFileSync(join(source, file)), { mode, isDurable: false });
      }
      for (const [path, content] of writtenFiles(options)) writeFile(path, json(content));
    },
  };
}

/** True if the copy has every file of the built plugin, byte for byte, and the files written for this machine. */
export function isCopied(options: PluginCopy): boolean {
  const { source, target } = options;
  if (!writtenFiles(options).every(([path]) => existsSync(path))) return false;
  return builtFiles(source).every((file) => {
    const copy = join(pluginFolder(target), file);
    return existsSync(copy) && readFileSync(copy).equals(readFileSync(join(source, file)));
  });
}

function builtFiles(source: string): string[] {
  const inFolders = ["skills", "commands", "dist"].flatMap((name) =>
    readdirSync(join(source, name), { recursive: true, encoding: "utf8" }).map((file) => join(name, file)),
  );
  const files = ["README.md", join(".claude-plugin", "plugin.json"), ...inFolders];
  return files.filter((file) => statSync(join(source, file)).isFile());
}

/**
 * Registers the plugin with Claude Code and removes hooks that an earlier install put into settings.json. If the plugin
 * is already registered, the `claude` command is not needed.
 */
export function registerPlugin({ site, target, env, claude }: InstallOptions): Step[] {
  const isRegistered = site.marketplace === target && site.pluginEnabled;
  const command = isRegistered ? "" : requireClaude(claude);
  const steps = [...unregisterHooks(site, " (the plugin replaces them)"), ...unregisterServer(site)];
  if (site.marketplace !== target) {
    steps.push({
      about: `register the plugin with Claude Code (claude plugin marketplace add ${target})`,
      async run() {
        if (site.marketplace !== undefined) await runClaude(command, `marketplace remove ${MARKETPLACE}`, env);
        await runClaude(command, "marketplace add", env, target);
      },
    });
  }
  if (!site.pluginEnabled) {
    const about = `install it (claude plugin install ${PLUGIN_ID})`;
    steps.push({ about, run: () => runClaude(command, `install ${PLUGIN_ID}`, env) });
  }
  return steps;
}

function requireClaude(claude: string | undefined): string {
  if (claude !== undefined) return claude;
  throw new AppError("no_claude", "The claude command was not found, so the plugin cannot be installed.", {
    hint: "Name it with --claude, or put the hooks into settings.json with --method settings.",
  });
}

/** Puts hooks and memory tools into Claude Code's own files; does not need the `claude` command. */
export function registerHooks(options: InstallOptions): Step[] {
  const { site, target, node } = options;
  const { settingsPath, statePath, mcpServer } = site;
  const addServer = (text: string) => mcpPart(installedProgram(options)).add(text, statePath);
  return [
    ...(site.pluginEnabled ? [disablePlugin(site)] : []),
    ...edit(settingsPath, `add c-mem's hooks to ${settingsPath}`, (text) => addHooks(text, node, bundlePath(target))),
    // Another program's server of that name is not replaced.
    ...(mcpServer === "other"
      ? []
      : edit(statePath, `register the memory tools (the MCP server c-mem) in ${statePath}`, addServer)),
  ];
}

/** Adds or updates C-Mem's status line, or removes it. */
export function registerStatusLine({ site, node, target }: InstallOptions, isWanted: boolean): Step[] {
  if (!isWanted) return unregisterStatusLine(site);
  const add = (text: string) => addStatusLine(text, node, bundlePath(target));
  return edit(site.settingsPath, `show C-Mem in the status line (${site.settingsPath})`, add);
}

function unregisterStatusLine({ statusLine, settingsPath }: ClaudeSite): Step[] {
  if (statusLine !== "ours") return [];
  return edit(settingsPath, `remove c-mem's status line from ${settingsPath}`, removeStatusLine);
}

function unregisterHooks({ settingsPath }: ClaudeSite, why = ""): Step[] {
  return edit(settingsPath, `remove c-mem's hooks from ${settingsPath}${why}`, removeHooks);
}

/** Deletes the file if it had only C-Mem's server. */
function unregisterServer({ statePath, mcpServer }: ClaudeSite): Step[] {
  if (typeof mcpServer !== "object") return [];
  return edit(statePath, `remove c-mem's memory tools from ${statePath}`, (text) => {
    const left = mcpPart().remove(text, statePath);
    return isEmptyJson(left) ? undefined : left;
  });
}

/** No step if the file already is as wanted. */
function edit(path: string, about: string, change: (text: string) => string | undefined): Step[] {
  const text = readSettings(path) ?? "";
  return change(text) === text ? [] : [editFile(path, about, change)];
}

/** Copies the settings from before the install, so that uninstall can restore them. */
export function backupSettings({ settingsPath, settingsText }: ClaudeSite, backup: string): Step[] {
  if (settingsText === undefined) return [];
  const about = `back up ${settingsPath} to ${backup}`;
  return [{ about, run: () => replaceFile(backup, readFileSync(settingsPath)) }];
}

export function unregister(site: ClaudeSite, claude: string | undefined, env: Env): Step[] {
  const steps = [...unregisterHooks(site), ...unregisterStatusLine(site), ...unregisterServer(site)];
  if (!site.pluginEnabled && site.marketplace === undefined) return steps;
  if (claude === undefined) return [...steps, disablePlugin(site)];
  if (site.pluginEnabled) {
    const about = `uninstall the plugin (claude plugin uninstall ${PLUGIN_ID})`;
    steps.push({ about, run: () => runClaude(claude, `uninstall ${PLUGIN_ID} --keep-data`, env) });
  }
  if (site.marketplace !== undefined) {
    const about = `remove the marketplace from Claude Code (claude plugin marketplace remove ${MARKETPLACE})`;
    steps.push({ about, run: () => runClaude(claude, `marketplace remove ${MARKETPLACE}`, env) });
  }
  return steps;
}

/** Restores the settings file byte for byte. Only for a file that has not changed since the install. */
export function restoreSettings({ settingsPath }: ClaudeSite, backup: string | undefined): Step {
  return {
    about: `restore ${settingsPath} as it was`,
    run() {
      if (backup === undefined) rmSync(settingsPath, { force: true });
      else restoreBackup(backup, (before) => writeSettings(settingsPath, before));
    },
  };
}

/** A hash of the settings file, to see later whether it has changed since the install. */
export function settingsHash({ settingsPath }: ClaudeSite): string | null {
  return existsSync(settingsPath) ? createHash("sha256").update(readFileSync(settingsPath)).digest("hex") : null;
}

/** Disables the plugin in settings.json, which does not need the `claude` command. */
function disablePlugin(site: ClaudeSite): Step {
  return editFile(site.settingsPath, `disable the plugin in ${site.settingsPath}`, (text) =>
    editJson(
      editJson(text, ["enabledPlugins", PLUGIN_ID], undefined),
      ["extraKnownMarketplaces", MARKETPLACE],
      undefined,
    ),
  );
}

/** Runs `claude plugin …`; `path` may have spaces. */
async function runClaude(claude: string, command: string, env: Env, path?: string): Promise<void> {
  const args = ["plugin", ...command.split(" "), ...(path === undefined ? [] : [path])];
  const { exitCode, stdout, stderr } = await x(claude, args, {
    timeout: 60_000,
    nodeOptions: { env: { ...env, C_MEM_ENABLED: "0" }, stdio: ["ignore", "pipe", "pipe"] },
  });
  if (exitCode === 0) return;
  throw new AppError("claude_failed", `claude ${args.join(" ")} failed: ${(stderr || stdout).trim().slice(0, 500)}`, {
    hint: "Run it yourself to see more, or use: c-mem install --method settings",
  });
}
