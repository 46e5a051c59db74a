// Finds settings without effect: misspelt keys, patterns that match nothing.
import { basename, dirname, join } from "node:path";
import { nearestWord } from "../core/edit-distance.ts";
import { explainJson } from "./json-error.ts";
import { loadSettings, readSettingsFile, type SettingsFiles } from "./load.ts";
import { type Env, userHome } from "./paths.ts";
import { listFolder, statOf } from "../platform/read-file.ts";
import { ineffectiveItems, envName, RETIRED_KEYS, SETTING_KEYS, SETTINGS } from "./schema.ts";

/** `problems` are invalid settings, `warnings` settings without effect. */
export function checkSettingsFiles(files: SettingsFiles, env: Env) {
  const { values, sources, problems } = loadSettings(files, env, explainJson);
  const ineffective = SETTING_KEYS.flatMap((key) =>
    ineffectiveItems(key, values[key]).map(({ item, problem }) => `${key}: "${item}" ${problem}`),
  );
  const missing = values.excludePaths.flatMap((pattern) => missingFolder(pattern, env));
  return {
    problems,
    warnings: [
      ...keysOf(files.user).flatMap((key) => warnUnknownKey(key, files.user)),
      ...(files.project ?? []).flatMap((path) => keysOf(path).flatMap((key) => warnProjectKey(key, path))),
      ...SETTING_KEYS.filter((key) => SETTINGS[key].inUserFileOnly && env[envName(key)] !== undefined).map(
        (key) => `${envName(key)} has no effect: ${key} is read from ${files.user} only`,
      ),
      ...ineffective,
      ...missing.map((text) => `excludePaths (${sources.excludePaths}): ${text}`),
    ],
  };
}

function warnUnknownKey(key: string, path: string): string[] {
  if (key === "$schema" || SETTING_KEYS.some((known) => known === key)) return [];
  if (RETIRED_KEYS.includes(key)) return [`${path}: "${key}" is no longer a setting; delete it`];
  const meant = nearestWord(key, SETTING_KEYS);
  return [`${path}: there is no setting "${key}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`];
}

function warnProjectKey(key: string, path: string): string[] {
  const known = SETTING_KEYS.find((one) => one === key);
  if (known === undefined) return warnUnknownKey(key, path);
  return SETTINGS[known].inProject ? [] : [`${path}: ${key} has no effect in a project's file; set it in your own`];
}

function keysOf(path: string): string[] {
  const settings = readSettingsFile(path);
  return typeof settings === "string" ? [] : Object.keys(settings);
}

/** Warns about a pattern whose folder does not exist: often a typo, so that the intended folder is recorded. */
export function missingFolder(pattern: string, env: Env): string[] {
  const full = pattern.replace(/^~(?=[/\\]|$)/, userHome(env));
  if (!/^(?:\/|[a-z]:[/\\])/i.test(full)) return [];
  const names = full.split(/[/\\]/);
  const wild = names.findIndex((name) => /[*?]/.test(name));
  const path = (wild === -1 ? names : names.slice(0, wild)).join("/") || "/";
  if (statOf(path) !== undefined) return [];
  const sibling = nearestWord(basename(path), listFolder(dirname(path)));
  const hint = sibling === undefined ? "" : `; did you mean ${join(dirname(path), sibling)}?`;
  return [`"${pattern}" matches nothing: ${path} does not exist${hint}`];
}
