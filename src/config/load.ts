// Reads the settings: environment over project file over user file over defaults, each value with where it came from.
import type { Env } from "./paths.ts";
import { readText } from "./read.ts";
import { ENV_PREFIX, envName, parseSetting, SETTING_KEYS, SETTINGS, type SettingKey, type Settings } from "./schema.ts";

export interface LoadedSettings {
  values: Settings;
  sources: Record<SettingKey, "environment" | "project" | "user" | "default">;
  /** What was set but could not be used, in words for a person. */
  problems: string[];
}

export interface SettingsFiles {
  user: string;
  /** Files inside the project, the nearest first. */
  project?: readonly string[];
}

export function loadSettings(files: SettingsFiles, env: Env): LoadedSettings {
  const problems: string[] = [];
  const user = readSettingsFile(files.user, problems);
  const projects = (files.project ?? []).map((path) => ({ path, settings: readSettingsFile(path, problems) }));
  const values: Record<string, unknown> = {};
  const sources: Record<string, string> = {};
  // Hooks wait for this: mostly nothing of ours is in the environment, and no name has to be spelled out.
  const isInEnv = Object.keys(env).some((name) => name.startsWith(ENV_PREFIX));
  for (const key of SETTING_KEYS) {
    // Each key by itself: a file further in that says nothing of `enabled` does not undo what one above it says.
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
      const value = parseSetting(key, raw);
      if (value === undefined) {
        problems.push(`${where} has a value that does not fit; ignored`);
        continue;
      }
      values[key] = value;
      sources[key] = source;
      break;
    }
  }
  return { values, sources, problems } as unknown as LoadedSettings;
}

function readSettingsFile(path: string, problems: string[]): Record<string, unknown> {
  const text = readText(path);
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below: to the person who looks, the cause is the same.
  }
  problems.push(`${path} is not a JSON object; ignored`);
  return {};
}
