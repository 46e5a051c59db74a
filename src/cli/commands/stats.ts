// c-mem stats: totals; with --size the disk usage.
import { diskUsage } from "../../queries/disk-usage.ts";
import { stats } from "../../queries/stats.ts";
import { defineCommand, runQuery } from "../command.ts";

export const command = defineCommand({
  about: stats.about,
  needsStore: true,
  fields: {
    size: { kind: "flag", about: "show disk usage by table, index and folder" },
    ...stats.fields,
  },
  run: (input, invocation) => runQuery(input.size ? diskUsage : stats, input, invocation),
});
