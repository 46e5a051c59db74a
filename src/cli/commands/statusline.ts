// c-mem statusline, by hand or as JSON; what Claude Code runs goes to the hook bundle (see bin/c-mem.cjs).
import { readActivity } from "../../platform/state/activity.ts";
import { activityLine } from "../../platform/state/activity.ts";
import { resolvePaths } from "../../config/paths.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printJson } from "../output.ts";

export function run({ json }: CommandOptions): number {
  const paths = resolvePaths(process.env);
  const line = activityLine(paths, Date.now());
  if (json) printJson("statusline", { line, activity: readActivity(paths.activity) ?? null });
  else print(line);
  return EXIT.ok;
}
