// c-mem logs: the log entries of hooks and the worker, merged by time.
import { setTimeout } from "node:timers/promises";
import { resolvePaths } from "../../config/paths.ts";
import { parseTime } from "../../core/time.ts";
import { defineCommand } from "../command.ts";
import { allLogEntries, logLine } from "../../health/log-entries.ts";
import { EXIT, print, printJson, say } from "../output.ts";

const DEFAULT_LINES = 50;
const POLL_MS = 500;

export const command = defineCommand({
  about: "show the log of hooks and the worker",
  fields: {
    follow: { kind: "flag", short: "f", about: "keep printing new entries" },
    since: { kind: "text", value: "time", about: "from this time on: 2026-01-31, 3d, 2w" },
    lines: { kind: "number", short: "n", about: `how many lines (default: ${DEFAULT_LINES})` },
  },
  async run({ follow, since, lines = DEFAULT_LINES }, { json }) {
    const paths = resolvePaths(process.env);
    const sinceMs = since === undefined ? 0 : parseTime(since, Date.now());
    const shown = allLogEntries(paths)
      .filter(({ at }) => Date.parse(at) >= sinceMs)
      .slice(-lines);
    if (json) {
      printJson("logs", { results: shown });
      return EXIT.ok;
    }
    for (const entry of shown) print(logLine(entry));
    if (shown.length === 0) say("The log is empty.");
    if (!follow) return EXIT.ok;
    // By time: a rotated log repeats nothing.
    let last = shown.at(-1)?.at ?? new Date(0).toISOString();
    for (;;) {
      await setTimeout(POLL_MS);
      for (const entry of allLogEntries(paths).filter(({ at }) => at > last)) {
        print(logLine(entry));
        last = entry.at;
      }
    }
  },
});
