// c-mem config: every setting with its value, where it came from and what it does; `set` and `unset` change the user's own.
import { findPlace } from "../../capture/project.ts";
import { loadSettings } from "../../config/load.ts";
import { type Paths, resolvePaths } from "../../config/paths.ts";
import { envName, SETTING_KEYS, SETTINGS, type SettingKey } from "../../config/schema.ts";
import { findSettingKey, writeSetting } from "../../config/write.ts";
import { AppError } from "../../core/error.ts";
import { providerNotice } from "../provider-notice.ts";
import type { CommandOptions } from "../table.ts";
import { dim, EXIT, heading, print, printJson, say } from "../output.ts";

export function run({ args, json }: CommandOptions): number {
  const paths = resolvePaths(process.env);
  const [action, name, ...words] = args;
  if (action === undefined) return list(paths, json);
  if (name === undefined || !["get", "set", "unset"].includes(action) || (action === "set") !== words.length > 0) {
    throw new AppError(
      "usage",
      "It is `c-mem config`, `config get <key>`, `config set <key> <value>` or `config unset <key>`.",
    );
  }
  const key = findSettingKey(name);
  if (action !== "get") writeSetting(paths.config, key, action === "set" ? words.join(" ") : undefined);
  const setting = describe(paths, key);
  if (json) printJson("config", setting);
  else if (action === "get") print(JSON.stringify(setting.value));
  else report(paths, setting);
  return EXIT.ok;
}

function list(paths: Paths, json: boolean): number {
  const { projectFiles } = findPlace(process.cwd());
  const { problems } = loadSettings({ user: paths.config, project: projectFiles }, process.env);
  const results = SETTING_KEYS.map((key) => describe(paths, key));
  if (json) {
    printJson("config", { results, problems, files: { user: paths.config, project: projectFiles } });
    return EXIT.ok;
  }
  for (const { key, value, source, environment, about } of results) {
    const where = environment === null ? "" : ` ${dim(environment)}`;
    print(`${heading(key)} = ${JSON.stringify(value)}  ${dim(`(${source})`)}\n  ${about}${where}`);
  }
  print(dim(`\n\`c-mem config set <key> <value>\` writes them into ${paths.config} (JSON).`));
  print(dim("Some can also be set for one project in its .c-mem.json, or in the environment where a name is shown."));
  for (const problem of problems) say(`warning: ${problem}`);
  return EXIT.ok;
}

interface Described {
  key: SettingKey;
  value: unknown;
  source: string;
  default: unknown;
  environment: string | null;
  about: string;
}

function describe(paths: Paths, key: SettingKey): Described {
  const { projectFiles } = findPlace(process.cwd());
  const { values, sources } = loadSettings({ user: paths.config, project: projectFiles }, process.env);
  return {
    key,
    value: values[key],
    source: sources[key],
    default: SETTINGS[key].default,
    environment: SETTINGS[key].inUserFileOnly ? null : envName(key),
    about: SETTINGS[key].about,
  };
}

function report(paths: Paths, { key, value, source }: Described): void {
  print(`${heading(key)} = ${JSON.stringify(value)}  ${dim(`(${source})`)}`);
  if (source === "environment" || source === "project") {
    say(`note: ${source === "project" ? "the project's own file" : envName(key)} says otherwise here and wins.`);
  }
  const notice = providerNotice(key, loadSettings({ user: paths.config }, process.env).values, process.env);
  if (notice !== undefined) say(notice);
}
