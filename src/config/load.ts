// Loads the settings: environment over project file over user file over defaults, each value with its source.
import type { Env, Paths } from "./paths.ts";
import { readText, statOf } from "../platform/read-file.ts";
import { ENV_PREFIX, envName, readSetting, SETTING_KEYS, SETTINGS, type SettingKey, type Settings } from "./schema.ts";

export interface LoadedSettings {
  values: Settings;
  sources: Record<SettingKey, "environment" | "project" | "user" | "default">;
  /** Messages about invalid values. */
  problems: string[];
  /** Why nothing is recorded: a file or a setting that guards privacy is invalid. */
  blocked?: string;
}

export interface SettingsFiles {
  user: string;
  /** Files inside the project, the nearest first. */
  project?: readonly string[];
}

/** Describes where a text is not valid JSON. Passed as an argument, because hooks do not load the parser. */
type ExplainJson = (text: string) => string;

export function loadSettings(files: SettingsFiles, env: Env, explain?: ExplainJson): LoadedSettings {
  const problems: string[] = [];
  const blocking: string[] = [];
  const invalid = new Set<SettingKey>();
  const read = (path: string): Record<string, unknown> => {
    const file = readSettingsFile(path, explain);
    if (typeof file !== "string") return file;
    // The unreadable file may exclude something from recording.
    blocking.push(file);
    problems.push(`${file}; nothing is recorded until that is fixed`);
    return {};
  };
  const user = read(files.user);
  const projects = (files.project ?? []).map((path) => ({ path, settings: read(path) }));
  const values: Record<string, unknown> = {};
  const sources: Record<string, string> = {};
  // Usually the environment has no settings: hooks then save the time to build a name for each setting.
  const isInEnv = Object.keys(env).some((name) => name.startsWith(ENV_PREFIX));
  for (const key of SETTING_KEYS) {
    // Searched for each key: an inner file without `enabled` does not override the outer file's `enabled`.
    const project = SETTINGS[key].inProject ? projects.find((file) => file.settings[key] !== undefined) : undefined;
    const name = isInEnv && !SETTINGS[key].inUserFileOnly ? envName(key) : "";
    const layers = [
      ["environment", env[name], name],
      ["project", project?.settings[key], `${project?.path}: ${key}`],
      ["user", user[key], `${files.user}: ${key}`],
    ] as const;
    values[key] = SETTINGS[key].default;
    sources[key] = "default";
    for (const [source, raw, where] of layers) {
      if (raw === undefined) continue;
      const { value, rejected } = readSetting(key, raw);
      if (rejected.length > 0 || value === undefined) problems.push(invalidMessage(key, where, rejected));
      if (value === undefined) {
        invalid.add(key);
        if (SETTINGS[key].guardsPrivacy) blocking.push(`${where} cannot be read`);
        continue;
      }
      values[key] = value;
      sources[key] = source;
      break;
    }
  }
  // Without it, text would be sent to the provider's usual address.
  if (invalid.has("baseUrl")) values["provider"] = "none";
  const [blocked] = blocking;
  return { values, sources, problems, ...(blocked !== undefined && { blocked }) } as unknown as LoadedSettings;
}

/** Long-running processes call this for each piece of work, because the file may have changed. */
export function userSettings({ config }: Pick<Paths, "config">, env: Env): Settings {
  return loadSettings({ user: config }, env).values;
}

/** True if the user chose no model. False if the settings have an error: the choice is not known until it is fixed. */
export function isModelOff({ config }: Pick<Paths, "config">, env: Env): boolean {
  const { values, problems } = loadSettings({ user: config }, env);
  return values.provider === "none" && problems.length === 0;
}

function invalidMessage(key: SettingKey, where: string, rejected: readonly string[]): string {
  const { oneOf, guardsPrivacy } = SETTINGS[key];
  if (rejected.length > 0) return `${where}: ${quoted(rejected)} is not one of ${oneOf?.join(", ")}; ignored`;
  return guardsPrivacy
    ? `${where} cannot be read; nothing is recorded until that is fixed`
    : `${where} has an invalid value; ignored`;
}

function quoted(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(", ");
}

/** The file's settings, {} if there is no file, or a message about what is wrong with it. */
export function readSettingsFile(path: string, explain?: ExplainJson): Record<string, unknown> | string {
  const text = readText(path);
  if (text === undefined) return statOf(path) === undefined ? {} : `${path} cannot be read`;
  if (text.trim() === "") return `${path} is empty`;
  try {
    // Windows editors put a byte order mark first.
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    return `${path} is not a JSON object`;
  } catch {
    return `${path} is not valid JSON${explain === undefined ? "" : `: ${explain(text)}`}`;
  }
}
