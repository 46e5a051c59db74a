// c-mem config: every setting with its value, where it came from and what it does.
import { findPlace } from "../../capture/project.ts";
import { loadSettings } from "../../config/load.ts";
import { resolvePaths } from "../../config/paths.ts";
import { envName, SETTING_KEYS, SETTINGS } from "../../config/schema.ts";
import type { CommandOptions } from "../table.ts";
import { dim, EXIT, heading, print, printJson, say } from "../output.ts";

export function run({ json }: CommandOptions): number {
  const paths = resolvePaths(process.env);
  const { projectFiles } = findPlace(process.cwd());
  const { values, sources, problems } = loadSettings({ user: paths.config, project: projectFiles }, process.env);
  const results = SETTING_KEYS.map((key) => ({
    key,
    value: values[key],
    source: sources[key],
    default: SETTINGS[key].default,
    environment: envName(key),
    about: SETTINGS[key].about,
  }));
  if (json) {
    printJson("config", { results, problems, files: { user: paths.config, project: projectFiles } });
    return EXIT.ok;
  }
  for (const { key, value, source, environment, about } of results) {
    print(`${heading(key)} = ${JSON.stringify(value)}  ${dim(`(${source})`)}\n  ${about} ${dim(environment)}`);
  }
  print(dim(`\nSet them in ${paths.config} (JSON), for one project in its .c-mem.json, or in the environment.`));
  for (const problem of problems) say(`warning: ${problem}`);
  return EXIT.ok;
}
