// c-mem statusline for a person or as JSON; Claude Code's calls run in the hook bundle (src/cli/start.ts).
import { activityLine, readActivity } from "../../platform/state/activity.ts";
import { defineCommand } from "../command.ts";
import { respond } from "../output.ts";

export const command = defineCommand({
  about: "print one line for Claude Code's status line",
  fields: {},
  run(_input, { json, paths }) {
    const line = activityLine(paths, Date.now());
    const activity = readActivity(paths.activity) ?? null;
    return respond("statusline", { json, data: { line, activity }, text: line });
  },
});
