// What Claude Code keeps of our plugin under plugins/: `claude plugin uninstall` leaves the copied code in its cache, and
// without the claude command the entries in its lists stay as well.
import { existsSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import { readSettings } from "../agent-files.ts";
import type { Step } from "../step.ts";
import { asObject } from "../../core/json.ts";
import { writeSettings } from "../write.ts";
import { readJson } from "./config-dir.ts";
import { MARKETPLACE, PLUGIN_ID } from "./site.ts";

/** Paths of the client's that hold something of ours now. */
export function pluginFiles(configDir: string, { withData }: { withData: boolean }): string[] {
  const lists = listsOf(configDir).filter(({ path, key }) => hasKey(path, key));
  return [...foldersOf(configDir, withData).filter((path) => existsSync(path)), ...lists.map(({ path }) => path)];
}

/** `withData`: also the folder the client keeps for data of the plugin. C-Mem itself keeps none there. */
export function removePluginFiles(configDir: string, { withData }: { withData: boolean }): Step {
  return {
    about: `delete what Claude Code keeps of the plugin (${join(configDir, "plugins")})`,
    run() {
      for (const folder of foldersOf(configDir, withData)) {
        if (!existsSync(folder)) continue;
        rmSync(folder, { recursive: true, force: true });
        removeIfEmpty(dirname(folder));
      }
      for (const { path, key } of listsOf(configDir)) if (hasKey(path, key)) removeKey(path, key);
    },
  };
}

function foldersOf(configDir: string, withData: boolean): string[] {
  const plugins = join(configDir, "plugins");
  return [
    join(plugins, "cache", MARKETPLACE),
    join(plugins, "marketplaces", MARKETPLACE),
    ...(withData ? [join(plugins, "data", PLUGIN_ID.replace("@", "-"))] : []),
  ];
}

function listsOf(configDir: string): { path: string; key: string[] }[] {
  return [
    { path: join(configDir, "plugins", "installed_plugins.json"), key: ["plugins", PLUGIN_ID] },
    { path: join(configDir, "plugins", "known_marketplaces.json"), key: [MARKETPLACE] },
  ];
}

function hasKey(path: string, key: readonly string[]): boolean {
  let value = readJson(path);
  for (const name of key) value = asObject(value)?.[name];
  return value !== undefined;
}

function removeKey(path: string, key: string[]): void {
  const text = readSettings(path) ?? "";
  writeSettings(path, applyEdits(text, modify(text, key, undefined, {})));
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Other plugins are in it.
  }
}
