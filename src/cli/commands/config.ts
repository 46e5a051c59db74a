// c-mem config: every setting with its value, where it came from and what it does; `set` and `unset` change the user's own.
import { answerSetting, answerSettings, changeSetting, type Described } from "../../queries/settings.ts";
import { type Paths, resolvePaths } from "../../config/paths.ts";
import { envName } from "../../config/schema.ts";
import { findSettingKey, joinWords } from "../../config/write.ts";
import { AppError } from "../../core/error.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printAnswer, say } from "../output.ts";
import { dim, heading } from "../../platform/terminal/style.ts";

export function run({ args, json }: CommandOptions): number {
  const paths = resolvePaths(process.env);
  const standing = { paths, env: process.env, cwd: process.cwd() };
  const [action, name, ...words] = args;
  if (action === undefined) {
    const answer = answerSettings(standing);
    if (json) printAnswer("config", answer);
    else list(paths, answer);
    return EXIT.ok;
  }
  if (name === undefined || !["get", "set", "unset"].includes(action) || (action === "set") !== words.length > 0) {
    throw new AppError(
      "usage",
      "Usage: `c-mem config`, `config get <key>`, `config set <key> <value>...` or `config unset <key>`.",
    );
  }
  if (action === "get") {
    const answer = answerSetting(standing, name);
    if (json) printAnswer("config", answer);
    else print(JSON.stringify(answer.setting.value));
    return EXIT.ok;
  }
  const answer = changeSetting(standing, name, action === "set" ? joinWords(findSettingKey(name), words) : undefined);
  if (json) printAnswer("config", answer);
  else report(answer.setting, answer.notice);
  return EXIT.ok;
}

function list(paths: Paths, { results, problems }: { results: Described[]; problems: string[] }): void {
  for (const { key, value, source, environment, about } of results) {
    const where = environment === null ? "" : ` ${dim(environment)}`;
    print(`${heading(key)} = ${JSON.stringify(value)}  ${dim(`(${source})`)}\n  ${about}${where}`);
  }
  print(dim(`\n\`c-mem config set <key> <value>\` writes them into ${paths.config} (JSON).`));
  print(dim("Some can also be set for one project in its .c-mem.json, or in the environment where a name is shown."));
  for (const problem of problems) say(`warning: ${problem}`);
}

function report({ key, value, source }: Described, notice: string | undefined): void {
  print(`${heading(key)} = ${JSON.stringify(value)}  ${dim(`(${source})`)}`);
  if (source === "environment" || source === "project") {
    say(`note: ${source === "project" ? "the project's own file" : envName(key)} says otherwise here and wins.`);
  }
  if (notice !== undefined) say(notice);
}
