// c-mem logs: what hooks and the worker had to say, together and in order.
import { setTimeout } from "node:timers/promises";
import { resolvePaths } from "../../config/paths.ts";
import { AppError } from "../../core/error.ts";
import { parseTime } from "../../core/time.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { allLogEntries, logLine } from "../../health/log-entries.ts";
import { EXIT, print, printJson, say } from "../output.ts";

const LINES = 50;
const POLL_MS = 500;

export async function run({ flags, json }: CommandOptions): Promise<number> {
  const paths = resolvePaths(process.env);
  const since = flags["since"] === undefined ? 0 : parseTime(String(flags["since"]), Date.now());
  const shown = allLogEntries(paths)
    .filter(({ at }) => Date.parse(at) >= since)
    .slice(-readLines(flags["lines"]));
  if (json) {
    printJson("logs", { results: shown });
    return EXIT.ok;
  }
  for (const entry of shown) print(logLine(entry));
  if (shown.length === 0) say("Nothing was logged.");
  if (flags["follow"] !== true) return EXIT.ok;
  // By what was said and when: a log that was begun anew brings nothing twice.
  let last = shown.at(-1)?.at ?? new Date(0).toISOString();
  for (;;) {
    await setTimeout(POLL_MS);
    for (const entry of allLogEntries(paths).filter(({ at }) => at > last)) {
      print(logLine(entry));
      last = entry.at;
    }
  }
}

function readLines(flag: unknown): number {
  const lines = Number(flag ?? LINES);
  if (Number.isInteger(lines) && lines > 0) return lines;
  throw new AppError("usage", `"${String(flag)}" is no number of lines.`, { hint: "E.g. c-mem logs -n 100" });
}
