// Removes Claude Code's copies of C-Mem's plugin under plugins/. `claude plugin uninstall` leaves the code in its
// cache; without the `claude` command, the entries in Claude Code's lists are left, too.
import { existsSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { asObject } from "../../core/json.ts";
import { editJson } from "../json-file.ts";
import { readSettings, writeSettings } from "../settings-file.ts";
import type { Step } from "../setup.ts";
import { MARKETPLACE, PLUGIN_ID, readJson } from "./site.ts";

/** `withData`: include Claude Code's data folder for the plugin, which C-Mem does not use. */
export function pluginFiles(configDir: string, { withData }: { withData: boolean }): string[] {
  const { folders, lists } = findTraces(configDir, withData);
  return [...folders, ...lists.map(({ path }) => path)];
}

export function removePluginFiles(configDir: string, { withData }: { withData: boolean }): Step {
  return {
    about: `delete Claude Code's copies of the plugin (${join(configDir, "plugins")})`,
    run() {
      const { folders, lists } = findTraces(configDir, withData);
      for (const folder of folders) {
        rmSync(folder, { recursive: true, force: true });
        try {
          rmdirSync(dirname(folder));
        } catch {
          // The folder still has other plugins.
        }
      }
      for (const { path, key } of lists) writeSettings(path, editJson(readSettings(path) ?? "", key, undefined));
    },
  };
}

function findTraces(configDir: string, withData: boolean) {
  const plugins = join(configDir, "plugins");
  const data = withData ? [join(plugins, "data", PLUGIN_ID.replace("@", "-"))] : [];
  const folders = [join(plugins, "cache", MARKETPLACE), join(plugins, "marketplaces", MARKETPLACE), ...data];
  // JSON files with an entry for the plugin.
  const lists = [
    { path: join(plugins, "installed_plugins.json"), key: ["plugins", PLUGIN_ID] },
    { path: join(plugins, "known_marketplaces.json"), key: [MARKETPLACE] },
  ];
  return {
    folders: folders.filter((path) => existsSync(path)),
    lists: lists.filter(({ path, key }) => {
      const value = key.reduce<unknown>((object, name) => asObject(object)?.[name], readJson(path));
      return value !== undefined;
    }),
  };
}
