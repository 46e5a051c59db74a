// Plans how C-Mem gets into Claude Code and out again. A plan is a list of steps; nothing changes until they run.
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import { x } from "tinyexec";
import { AppError } from "../../core/error.ts";
import { json } from "../setup.ts";
import type { Step } from "../step.ts";
import { pluginHooks } from "./hooks.ts";
import { forgetMcpServer, mcpProgram } from "./mcp-install.ts";
import { pluginMcp } from "./mcp.ts";
import { addHooks, removeHooks } from "./settings.ts";
import { addStatusLine, removeStatusLine } from "./status-line.ts";
import { type ClaudeSite, inspectClaude, MARKETPLACE, PLUGIN_ID } from "./site.ts";
import { copyFile, putBack, writeFile, writeSettings } from "../write.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface InstallOptions {
  site: ClaudeSite;
  env: Env;
  /** The client's executable; without it the hooks go into settings.json. */
  claude: string | undefined;
  /** Where the copy that the client runs lives: the same path across upgrades. */
  target: string;
  /** The Node the hooks run with. */
  node: string;
  /** Where that Node may keep compiled code. */
  cache: string;
}

export interface PluginCopy {
  /** The plugin as it was built. */
  source: string;
  target: string;
  node: string;
  cache: string;
}

/** The plugin's folder inside the marketplace folder. */
export function pluginFolder(target: string): string {
  return join(target, "c-mem");
}

export function bundlePath(target: string): string {
  return join(pluginFolder(target), "dist", "hook.cjs");
}

/** What is run of the plugin: the hooks, their half that reads and what other agents need of them, the worker they start and what answers in it over HTTP, the process that embeds for it, the MCP server. */
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

/** The rest that is copied as it is. */
const FILES = ["README.md", join(".claude-plugin", "plugin.json")];
const FOLDERS = ["skills", "commands"];

export function copyPlugin(options: PluginCopy): Step {
  const { source, target, node } = options;
  return {
    about: `copy the hooks and the memory tools to ${target}`,
    run() {
      const folder = pluginFolder(target);
      mkdirSync(target, { recursive: true, mode: 0o700 });
      // File by file over what is there: a session that is running finds a whole bundle at every moment.
      for (const file of FILES) copyFile(join(source, file), join(folder, file));
      for (const name of FOLDERS) cpSync(join(source, name), join(folder, name), { recursive: true });
      for (const name of BUNDLES) copyFile(join(source, "dist", name), join(folder, "dist", name));
      copyViewer(join(source, "dist", "viewer"), join(folder, "dist", "viewer"));
      writeFile(hooksPath(folder), json(pluginHooks(node, bundlePath(target))));
      writeFile(mcpPath(folder), json(pluginMcp(mcpProgram(folder, options))));
      writeFile(marketplacePath(target), json(marketplaceManifest()));
    },
  };
}

const hooksPath = (folder: string): string => join(folder, "hooks", "hooks.json");
const mcpPath = (folder: string): string => join(folder, ".mcp.json");
const marketplacePath = (target: string): string => join(target, ".claude-plugin", "marketplace.json");

/** Whether every file of the plugin as it was built lies there, the same byte for byte, and what was written beside them. */
export function isCopied({ source, target }: Pick<PluginCopy, "source" | "target">): boolean {
  const folder = pluginFolder(target);
  const written = [hooksPath(folder), mcpPath(folder), marketplacePath(target)];
  if (!written.every((path) => existsSync(path))) return false;
  const files = [...FOLDERS, "dist"].flatMap((name) =>
    readdirSync(join(source, name), { recursive: true, encoding: "utf8" }).map((file) => join(name, file)),
  );
  return [...FILES, ...files]
    .filter((file) => statSync(join(source, file)).isFile())
    .every((file) => {
      const copy = join(folder, file);
      return existsSync(copy) && readFileSync(copy).equals(readFileSync(join(source, file)));
    });
}

/** Its files have other names with every version: the old ones go. */
function copyViewer(from: string, to: string): void {
  if (!existsSync(from)) return;
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
}

function marketplaceManifest(): object {
  return {
    name: MARKETPLACE,
    owner: { name: "C-Mem" },
    metadata: { description: "The copy of C-Mem installed on this machine" },
    plugins: [{ name: "c-mem", source: "./c-mem", description: "Remembers every session" }],
  };
}

/**
 * Registers the plugin with the client, and takes out hooks that an earlier install put into settings.json. Where the
 * plugin is registered already, the claude command is not needed.
 */
export function registerPlugin(options: InstallOptions): Step[] {
  const { site, target, env } = options;
  const steps: Step[] = [];
  const claude = site.marketplace === target && site.pluginEnabled ? "" : needClaude(options.claude);
  if (site.hooks.length > 0) {
    steps.push({
      about: `take c-mem's hooks out of ${site.settingsPath} (the plugin replaces them)`,
      run: () => rewriteSettings(env, removeHooks),
    });
  }
  steps.push(...forgetMcpServer(site));
  if (site.marketplace !== target) {
    steps.push({
      about: `tell Claude Code about the plugin (claude plugin marketplace add ${target})`,
      run: async () => {
        if (site.marketplace !== undefined)
          await runClaude(claude, ["plugin", "marketplace", "remove", MARKETPLACE], env);
        await runClaude(claude, ["plugin", "marketplace", "add", target], env);
      },
    });
  }
  if (!site.pluginEnabled) {
    steps.push({
      about: `install it (claude plugin install ${PLUGIN_ID})`,
      run: () => runClaude(claude, ["plugin", "install", PLUGIN_ID], env),
    });
  }
  return steps;
}

function needClaude(claude: string | undefined): string {
  if (claude !== undefined) return claude;
  throw new AppError("no_claude", "The claude command was not found, so the plugin cannot be installed.", {
    hint: "Say where it is with --claude, or put the hooks into settings.json with --method settings.",
  });
}

/** Without the client's own command: the hooks go straight into its settings. */
export function registerHooks(options: InstallOptions): Step[] {
  const { site, target, node, env } = options;
  const steps: Step[] = [];
  if (site.pluginEnabled) steps.push(forgetPlugin(site, env));
  const current =
    site.hooks.length > 0 && addHooks(site.settingsText ?? "", node, bundlePath(target)) === site.settingsText;
  if (!current) {
    steps.push({
      about: `add c-mem's hooks to ${site.settingsPath}`,
      run: () => rewriteSettings(env, (text) => addHooks(text, node, bundlePath(target))),
    });
  }
  return steps;
}

/** Adds our status line, brings it up to date, or takes it out. */
export function registerStatusLine({ site, env, node, target }: InstallOptions, isWanted: boolean): Step[] {
  const text = site.settingsText ?? "";
  if (!isWanted) return site.statusLine === "ours" ? [forgetStatusLine(site, env)] : [];
  if (addStatusLine(text, node, bundlePath(target)) === text) return [];
  return [
    {
      about: `show C-Mem in the status line (${site.settingsPath})`,
      run: () => rewriteSettings(env, (now) => addStatusLine(now, node, bundlePath(target))),
    },
  ];
}

function forgetStatusLine(site: ClaudeSite, env: Env): Step {
  return {
    about: `take c-mem's status line out of ${site.settingsPath}`,
    run: () => rewriteSettings(env, removeStatusLine),
  };
}

/** Keeps the settings as they were before C-Mem, to be put back at uninstall. */
export function backupSettings(site: ClaudeSite, backup: string): Step[] {
  if (site.settingsText === undefined) return [];
  return [
    {
      about: `keep a copy of ${site.settingsPath} in ${backup}`,
      run() {
        mkdirSync(dirname(backup), { recursive: true, mode: 0o700 });
        copyFileSync(site.settingsPath, backup);
        chmodSync(backup, 0o600);
      },
    },
  ];
}

export function unregister(site: ClaudeSite, claude: string | undefined, env: Env): Step[] {
  const steps: Step[] = [];
  if (site.hooks.length > 0) {
    steps.push({
      about: `take c-mem's hooks out of ${site.settingsPath}`,
      run: () => rewriteSettings(env, removeHooks),
    });
  }
  if (site.statusLine === "ours") steps.push(forgetStatusLine(site, env));
  steps.push(...forgetMcpServer(site));
  if (!site.pluginEnabled && site.marketplace === undefined) return steps;
  if (claude === undefined) return [...steps, forgetPlugin(site, env)];
  if (site.pluginEnabled) {
    steps.push({
      about: `uninstall the plugin (claude plugin uninstall ${PLUGIN_ID})`,
      run: () => runClaude(claude, ["plugin", "uninstall", PLUGIN_ID, "--keep-data"], env),
    });
  }
  if (site.marketplace !== undefined) {
    steps.push({
      about: `make Claude Code forget it (claude plugin marketplace remove ${MARKETPLACE})`,
      run: () => runClaude(claude, ["plugin", "marketplace", "remove", MARKETPLACE], env),
    });
  }
  return steps;
}

/** Puts the settings file back byte for byte. Only for a file that nobody has touched since the install. */
export function restoreSettings(site: ClaudeSite, backup: string | undefined): Step {
  return {
    about: `put ${site.settingsPath} back as it was`,
    run() {
      if (backup === undefined) rmSync(site.settingsPath, { force: true });
      else putBack(backup, (before) => writeSettings(site.settingsPath, before));
    },
  };
}

/** What the settings file is like now, to tell later whether anybody has changed it. */
export function settingsHash(site: ClaudeSite): string | null {
  if (!existsSync(site.settingsPath)) return null;
  return createHash("sha256").update(readFileSync(site.settingsPath)).digest("hex");
}

/** Switches the plugin off in settings.json, where the client itself cannot be asked. */
function forgetPlugin(site: ClaudeSite, env: Env): Step {
  return {
    about: `switch the plugin off in ${site.settingsPath}`,
    run: () =>
      rewriteSettings(env, (text) =>
        [
          ["enabledPlugins", PLUGIN_ID],
          ["extraKnownMarketplaces", MARKETPLACE],
        ].reduce((result, path) => applyEdits(result, modify(result, path, undefined, {})), text),
      ),
  };
}

function rewriteSettings(env: Env, change: (text: string) => string): void {
  // Read anew: a step before this one may have let the client write the file.
  const { settingsPath, settingsText } = inspectClaude(env);
  const text = change(settingsText ?? "");
  if (text !== settingsText) writeSettings(settingsPath, text);
}

async function runClaude(claude: string, args: string[], env: Env): Promise<void> {
  const { exitCode, stdout, stderr } = await x(claude, args, {
    timeout: 60_000,
    nodeOptions: { env: { ...env, C_MEM_ENABLED: "0" }, stdio: ["ignore", "pipe", "pipe"] },
  });
  if (exitCode === 0) return;
  throw new AppError("claude_failed", `claude ${args.join(" ")} failed: ${(stderr || stdout).trim().slice(0, 500)}`, {
    hint: "Run it by hand to see more, or use: c-mem install --method settings",
  });
}
