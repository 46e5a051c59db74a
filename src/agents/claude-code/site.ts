// Where Claude Code keeps its things on this machine, and what of ours is there now.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { findMcpServer, type FoundServer } from "./mcp.ts";
import { findOurHooks, parseSettings } from "./settings.ts";
import { findStatusLine } from "./status-line.ts";
import { claudeConfigDir, readJson } from "./config-dir.ts";
import { homeOf, readSettings } from "../agent-files.ts";
import { asObject } from "../../core/json.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface ClaudeSite {
  configDir: string;
  settingsPath: string;
  /** The settings file's text; undefined where there is none. */
  settingsText: string | undefined;
  /** Our hooks in settings.json. */
  hooks: { event: string; node: string; bundle: string }[];
  /** Whose status line is there. */
  statusLine: "ours" | "other" | undefined;
  /** Our plugin is installed and switched on. */
  pluginEnabled: boolean;
  /** The folder the client knows our marketplace by. */
  marketplace: string | undefined;
  /** The client's own state, with the MCP servers of the user. */
  statePath: string;
  /** Our MCP server there. */
  mcpServer: FoundServer;
  /** The user has switched off every hook. */
  hooksDisabled: boolean;
}

export const PLUGIN_ID = "c-mem@c-mem";
export const MARKETPLACE = "c-mem";

/** Beside the config folder, unless that was moved: then inside. */
function claudeStatePath(env: Env): string {
  return join(env["CLAUDE_CONFIG_DIR"] || homeOf(env), ".claude.json");
}

/** The environment in which that folder is the config folder. */
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
  const statePath = claudeStatePath(env);
  const known = asObject(readJson(join(configDir, "plugins", "known_marketplaces.json")));
  const source = asObject(asObject(known?.[MARKETPLACE])?.["source"]);
  return {
    configDir,
    settingsPath,
    settingsText,
    hooks: findOurHooks(settings),
    statusLine: findStatusLine(settings),
    pluginEnabled: asObject(settings["enabledPlugins"])?.[PLUGIN_ID] === true,
    marketplace: typeof source?.["path"] === "string" ? source["path"] : undefined,
    statePath,
    mcpServer: findMcpServer(readJson(statePath)),
    hooksDisabled: settings["disableAllHooks"] === true,
  };
}

export function isInstalled(site: ClaudeSite): boolean {
  return site.pluginEnabled || site.hooks.length > 0;
}

/** The client's executable: on the PATH, or where its own installers put it. */
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
