// Shows settings with their values and sources, and changes them in the user's file.
import { findPlace } from "../capture/project.ts";
import { checkSettingsFiles, missingFolder } from "../config/check.ts";
import { type LoadedSettings, loadSettings } from "../config/load.ts";
import type { Env } from "../config/paths.ts";
import { envName, SETTING_KEYS, SETTINGS, type SettingKey } from "../config/schema.ts";
import { findSettingKey, rejectIneffective, writeSettings } from "../config/write.ts";
import { dim, heading } from "../platform/terminal/style.ts";
import { defineQuery, type QueryContext, type TextContext, type Zod } from "./query.ts";
import { textOrNull } from "./schemas.ts";
import { providerNotice } from "./provider-notice.ts";

const settingSchema = (z: Zod) =>
  z.strictObject({
    key: z.enum(SETTING_KEYS),
    value: z.unknown(),
    source: z.enum(["environment", "project", "user", "default"]),
    default: z.unknown(),
    environment: textOrNull(z),
    about: z.string(),
    min: z.number().nullable(),
    max: z.number().nullable(),
    one_of: z.array(z.string()).nullable(),
  });

/** Without `db`, because `c-mem config` does not open the store. */
type SettingsContext = Pick<QueryContext, "paths" | "env" | "cwd">;

export const settings = defineQuery({
  name: "config",
  about: "show every setting, its value and where it comes from",
  fields: {},
  http: { path: "/api/settings", tag: "settings" },
  reply: (z) => ({
    data: z.strictObject({
      results: z.array(settingSchema(z)),
      problems: z.array(z.string()),
      files: z.strictObject({ user: z.string(), project: z.array(z.string()) }),
    }),
  }),
  run(_input, context) {
    const loaded = load(context);
    const files = { user: context.paths.config, project: projectFiles(context) };
    const { problems, warnings } = checkSettingsFiles(files, context.env);
    const results = SETTING_KEYS.map((key) => settingJson(loaded, key));
    return { data: { results, problems: [...problems, ...warnings], files } };
  },
  text({ data: { results, problems, files } }, { note }) {
    for (const problem of problems) note(`warning: ${problem}`);
    const lines = results.map(({ key, value, source, environment, about }) => {
      const variable = environment === null ? "" : ` ${dim(environment)}`;
      return `${heading(key)} = ${JSON.stringify(value)}  ${dim(`(${source})`)}\n  ${about}${variable}`;
    });
    return [
      ...lines,
      dim(`\n\`c-mem config set <key> <value>\` writes to ${files.user} (JSON).`),
      dim("Some can also be set for one project in its .c-mem.json, or by the environment variable shown."),
    ].join("\n");
  },
});

const KEY = {
  key: { kind: "text", required: true, about: "the name of the setting" },
} as const;

export const setting = defineQuery({
  name: "config",
  about: "show one setting",
  fields: KEY,
  reply: (z) => ({ data: settingSchema(z) }),
  run: ({ key }, context) => ({ data: settingJson(load(context), findSettingKey(key)) }),
  text: ({ data }) => JSON.stringify(data.value),
});

export const changeSetting = defineQuery({
  name: "config",
  about: "change a setting in the user's file",
  fields: { ...KEY, value: { kind: "json", required: true, about: "the new value of the setting" } },
  http: { method: "put", path: "/api/settings/:key", tag: "settings", errors: ["bad_config"] },
  reply: (z) => ({ data: settingSchema(z), meta: z.strictObject({ notice: textOrNull(z) }) }),
  run: ({ key, value }, context) => write(context, key, value),
  text: (result, view) => changedText(result, view),
});

export const unsetSetting = defineQuery({
  name: "config",
  about: "reset a setting to its default",
  fields: KEY,
  http: { method: "delete", path: "/api/settings/:key", tag: "settings", errors: ["bad_config"] },
  reply: (z) => ({ data: settingSchema(z), meta: z.strictObject({ notice: textOrNull(z) }) }),
  run: ({ key }, context) => write(context, key, undefined),
  text: (result, view) => changedText(result, view),
});

/** `raw`: the value as typed or as in JSON; undefined resets the setting. */
function write(context: SettingsContext, name: string, raw: unknown) {
  const { paths, env } = context;
  const key = findSettingKey(name);
  rejectIneffective(key, raw);
  const before = loadSettings({ user: paths.config }, env);
  const reset = key === "provider" ? ofOtherProvider(before, raw) : [];
  writeSettings(paths.config, { [key]: raw, ...Object.fromEntries(reset.map((one) => [one, undefined])) });
  const { values } = loadSettings({ user: paths.config }, env);
  const notices = [
    reset.length > 0 && `Reset, because they were for ${before.values.provider}: ${reset.join(", ")}.`,
    providerNotice(key, values, env) ?? missingNotice(key, values.excludePaths, env),
  ].filter((notice) => typeof notice === "string");
  return { data: settingJson(load(context), key), meta: { notice: notices.join("\n") || null } };
}

/** Another provider must not get the last one's address, key and model. */
function ofOtherProvider({ values, sources }: LoadedSettings, provider: unknown): SettingKey[] {
  if (values.provider === "none" || provider === undefined || provider === values.provider) return [];
  const keys: SettingKey[] = ["model", "baseUrl", "apiKeyEnv"];
  return keys.filter((key) => sources[key] === "user");
}

function changedText({ data, meta }: ReturnType<typeof write>, { note }: TextContext<object>): string {
  const { key, value, source } = data;
  if (source === "environment" || source === "project")
    note(`note: ${source === "project" ? "the project's own file" : envName(key)} overrides this here.`);
  if (meta.notice !== null) note(meta.notice);
  return `${heading(key)} = ${JSON.stringify(value)}  ${dim(`(${source})`)}`;
}

/** Warns about excluded folders that do not exist, because they are probably misspelt. */
function missingNotice(key: SettingKey, patterns: readonly string[], env: Env): string | undefined {
  if (key !== "excludePaths") return undefined;
  const missing = patterns.flatMap((pattern) => missingFolder(pattern, env));
  return missing.length === 0 ? undefined : `note: ${missing.join("\n")}`;
}

function settingJson({ values, sources }: LoadedSettings, key: SettingKey) {
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
    one_of: oneOf === undefined ? null : [...oneOf],
  };
}

function load(context: SettingsContext): LoadedSettings {
  return loadSettings({ user: context.paths.config, project: projectFiles(context) }, context.env);
}

/** Over HTTP there is no current folder, so only the user's file is read. */
function projectFiles({ cwd }: SettingsContext): string[] {
  return cwd === undefined ? [] : [...findPlace(cwd).projectFiles];
}
