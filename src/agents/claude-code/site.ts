// Finds Claude Code's files on this machine and the parts of C-Mem in them.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { asObject, asString, parseJson } from "../../core/json.ts";
import { type Env, homeOf } from "../agent-files.ts";
import { readSettings } from "../settings-file.ts";
import { claudeConfigDir } from "./discover.ts";
import { findMcpServer, findOurHooks, findStatusLine, type FoundServer, parseSettings } from "./settings.ts";

export interface ClaudeSite {
  configDir: string;
  settingsPath: string;
  /** Undefined if there is no settings file. */
  settingsText: string | undefined;
  /** C-Mem's hooks in settings.json. */
  hooks: ReturnType<typeof findOurHooks>;
  statusLine: "ours" | "other" | undefined;
  /** True if C-Mem's plugin is installed and enabled. */
  pluginEnabled: boolean;
  /** The folder registered as C-Mem's marketplace. */
  marketplace: string | undefined;
  /** Path of .claude.json, which has the user's MCP servers. */
  statePath: string;
  mcpServer: FoundServer;
  /** True if the user has disabled all hooks. */
  hooksDisabled: boolean;
}

export const PLUGIN_ID = "c-mem@c-mem";
export const MARKETPLACE = "c-mem";

/**
 * Sets CLAUDE_CONFIG_DIR to `configDir`, or leaves it unset for the default folder: if it is set, Claude Code reads
 * .claude.json from inside that folder.
 */
export function envOfSite(env: Env, configDir: string): Env {
  const { CLAUDE_CONFIG_DIR: _, ...rest } = env;
  if (claudeConfigDir(env) === configDir) return env;
  return claudeConfigDir(rest) === configDir ? rest : { ...rest, CLAUDE_CONFIG_DIR: configDir };
}

export function inspectClaude(env: Env): ClaudeSite {
  const configDir = claudeConfigDir(env);
  const settingsPath = join(configDir, "settings.json");
  const settingsText = readSettings(settingsPath);
  const settings = settingsText === undefined ? {} : parseSettings(settingsText, settingsPath);
  // .claude.json is in the home folder, or inside the config folder if CLAUDE_CONFIG_DIR is set.
  const statePath = join(env["CLAUDE_CONFIG_DIR"] || homeOf(env), ".claude.json");
  const marketplaces = asObject(readJson(join(configDir, "plugins", "known_marketplaces.json")));
  return {
    configDir,
    settingsPath,
    settingsText,
    hooks: findOurHooks(settings),
    statusLine: findStatusLine(settings),
    pluginEnabled: asObject(settings["enabledPlugins"])?.[PLUGIN_ID] === true,
    marketplace: asString(asObject(asObject(marketplaces?.[MARKETPLACE])?.["source"])?.["path"]),
    statePath,
    mcpServer: findMcpServer(readJson(statePath)),
    hooksDisabled: settings["disableAllHooks"] === true,
  };
}

export function readJson(path: string): unknown {
  return parseJson(readSettings(path));
}

export function isInstalled(site: ClaudeSite): boolean {
  return site.pluginEnabled || site.hooks.length > 0;
}

/** Days after which Claude Code deletes transcripts, unless the user sets another number. */
const CLEANUP_DAYS = 30;

export function cleanupDays(env: Env): number {
  const days = asObject(readJson(join(claudeConfigDir(env), "settings.json")))?.["cleanupPeriodDays"];
  return typeof days === "number" ? days : CLEANUP_DAYS;
}

/** Finds the `claude` executable on the PATH or where its installers put it. */
export function findClaude(env: Env): string | undefined {
  const names = process.platform === "win32" ? ["claude.exe", "claude.cmd"] : ["claude"];
  const home = homeOf(env);
  const folders = [
    ...(env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== ""),
    join(home, ".local", "bin"),
    join(home, ".claude", "local"),
  ];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}
