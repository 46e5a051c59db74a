// c-mem logs: the log entries of hooks and the worker, merged by time; with --follow, new ones as they come.
import { setTimeout } from "node:timers/promises";
import { resolvePaths } from "../../config/paths.ts";
import { allLogEntries, logLine } from "../../health/log-entries.ts";
import { logs } from "../../queries/worker.ts";
import { commandOf, defineCommand } from "../command.ts";
import { print } from "../output.ts";

const POLL_MS = 500;

export const command = defineCommand({
  about: logs.about,
  fields: { follow: { kind: "flag", short: "f", about: "keep printing new entries" }, ...logs.fields },
  async run({ follow, ...input }, { json }) {
    const paths = resolvePaths(process.env);
    // By time: a rotated log repeats nothing.
    let last = allLogEntries(paths).at(-1)?.at ?? "";
    const code = await commandOf(logs, { opensStore: false }).run(input, { json });
    if (!follow || json) return code;
    for (;;) {
      await setTimeout(POLL_MS);
      for (const entry of allLogEntries(paths).filter(({ at }) => at > last)) {
        print(logLine(entry));
        last = entry.at;
      }
    }
  },
});
