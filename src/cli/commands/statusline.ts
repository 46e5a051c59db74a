// c-mem statusline, by hand or as JSON; Claude Code's own calls go to the hook bundle (see bin/c-mem.cjs).
import { resolvePaths } from "../../config/paths.ts";
import { activityLine, readActivity } from "../../platform/state/activity.ts";
import { defineCommand } from "../command.ts";
import { EXIT, print, printJson } from "../output.ts";

export const command = defineCommand({
  about: "print one line for Claude Code's status line",
  fields: {},
  run(_input, { json }) {
    const paths = resolvePaths(process.env);
    const line = activityLine(paths, Date.now());
    if (json) printJson("statusline", { line, activity: readActivity(paths.activity) ?? null });
    else print(line);
    return EXIT.ok;
  },
});
