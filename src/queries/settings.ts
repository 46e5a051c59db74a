// Every setting with its value, where that came from and what it does; and changing one in the user's own file.
import { findPlace } from "../capture/project.ts";
import { checkSettingsFiles, missingFolder } from "../config/check.ts";
import { type LoadedSettings, loadSettings } from "../config/load.ts";
import type { Env } from "../config/paths.ts";
import { envName, SETTING_KEYS, SETTINGS, type SettingKey } from "../config/schema.ts";
import { findSettingKey, refuseDoubtful, writeSetting } from "../config/write.ts";
import type { Asked } from "./legacy.ts";
import type { Answer } from "./envelope.ts";
import { providerNotice } from "./provider-notice.ts";

export interface Described {
  key: SettingKey;
  value: unknown;
  source: string;
  default: unknown;
  environment: string | null;
  about: string;
  /** What a number must lie between, what a word must be one of. */
  min: number | null;
  max: number | null;
  one_of: readonly string[] | null;
}

/** Settings are asked for without the store: they say how to open it. */
type Standing = Pick<Asked, "paths" | "env" | "cwd">;

export function answerSettings(standing: Standing): Answer & { results: Described[]; problems: string[] } {
  const loaded = load(standing);
  const results = SETTING_KEYS.map((key) => describe(loaded, key));
  const files = { user: standing.paths.config, project: projectFiles(standing) };
  const checked = checkSettingsFiles(files, standing.env);
  const problems = [...checked.problems, ...checked.warnings];
  return { data: { results, problems, files }, results, problems };
}

export function answerSetting(standing: Standing, name: string): Answer & { setting: Described } {
  const setting = describe(load(standing), findSettingKey(name));
  return { data: setting, setting };
}

/** `raw` as typed, or as JSON has it; undefined: the default again. */
export function changeSetting(
  standing: Standing,
  name: string,
  raw: unknown,
): Answer & { setting: Described; notice: string | undefined } {
  const { paths, env } = standing;
  const key = findSettingKey(name);
  refuseDoubtful(key, raw);
  writeSetting(paths.config, key, raw);
  const { values } = loadSettings({ user: paths.config }, env);
  const notice = providerNotice(key, values, env) ?? missingNotice(key, values.excludePaths, env);
  return { ...answerSetting(standing, name), meta: { notice: notice ?? null }, notice };
}

/** Said at once: a misspelt folder is easiest to correct now. */
function missingNotice(key: SettingKey, patterns: readonly string[], env: Env): string | undefined {
  if (key !== "excludePaths") return undefined;
  const missing = patterns.flatMap((pattern) => missingFolder(pattern, env));
  return missing.length === 0 ? undefined : `note: ${missing.join("\n")}`;
}

function describe({ values, sources }: LoadedSettings, key: SettingKey): Described {
  const { about, inUserFileOnly, min, max, oneOf, default: initial } = SETTINGS[key];
  return {
    key,
    value: values[key],
    source: sources[key],
    default: initial,
    environment: inUserFileOnly ? null : envName(key),
    about,
    min: min ?? null,
    max: max ?? null,
    one_of: oneOf ?? null,
  };
}

function load(standing: Standing): LoadedSettings {
  return loadSettings({ user: standing.paths.config, project: projectFiles(standing) }, standing.env);
}

/** Who stands nowhere sees what holds everywhere. */
function projectFiles({ cwd }: Standing): readonly string[] {
  return cwd === undefined ? [] : findPlace(cwd).projectFiles;
}
