// c-mem logs: log entries of hooks and the worker by time; --follow prints new ones.
import { setTimeout } from "node:timers/promises";
import { allLogEntries, logLine } from "../../health/log-entries.ts";
import { logs } from "../../queries/worker.ts";
import { defineCommand, runQuery } from "../command.ts";
import { print } from "../output.ts";

const POLL_MS = 500;

export const command = defineCommand({
  about: logs.about,
  fields: { follow: { kind: "flag", short: "f", about: "keep printing new entries" }, ...logs.fields },
  async run({ follow, ...input }, invocation) {
    const { json, paths } = invocation;
    // Compares times, so that entries of a rotated log are not printed again.
    let last = allLogEntries(paths).at(-1)?.at ?? "";
    const code = await runQuery(logs, input, invocation, { opensStore: false });
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
