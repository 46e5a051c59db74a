// Commands: which failed and what made them pass, and, after compaction, which were run. Summaries drop them first.
import { quoteName, quoteOrders } from "../../core/privacy/fence.ts";
import { commandForm } from "../../core/shell-command.ts";
import { oneLine } from "../../core/text.ts";
import type { Db } from "../../store/db/driver.ts";
import { changedFiles } from "../../store/tables/file-touches.ts";
import { shellCommands } from "../../store/tables/tool-uses.ts";
import type { Line } from "./block.ts";
import { fixedCommands } from "./fixed-commands.ts";

const FIXES_SHOWN = 5;
const COMMANDS_SHOWN = 10;
const COMMANDS_READ = 300;
const FILES_SHOWN = 15;
const COMMAND_CHARS = 140;

export function fixLines(db: Db, sessionDbIds: readonly number[]): Line[] {
  return fixedCommands(db, sessionDbIds, FIXES_SHOWN).map((fix) => ({ text: fixLine(fix) }));
}

function fixLine(fix: ReturnType<typeof fixedCommands>[number]): string {
  const exit = fix.exitCode === undefined ? "" : ` with exit code ${fix.exitCode}`;
  const error = fix.error === "" ? "" : `: ${quoteOrders(fix.error)}`;
  const change =
    fix.changed.length === 0
      ? "passed later"
      : `passed after a change to ${fix.changed
          .slice(0, 4)
          .map((path) => quoteName(path, 120))
          .join(", ")}`;
  return `- \`${quoteOrders(oneLine(fix.command, 160))}\` failed${exit}${error}; ${change}`;
}

/** The commands of the session with how they ended last, the latest first, and the files it changed. */
export function compactedLines(db: Db, sessionDbId: number): Line[] {
  const latest = new Map<string, { runs: number; isError: boolean; exitCode: number | null }>();
  for (const row of shellCommands(db, [sessionDbId], COMMANDS_READ)) {
    const form = commandForm(row.command);
    const before = latest.get(form);
    // Taken out and put in again: the order is that of the last run.
    latest.delete(form);
    latest.set(form, { runs: (before?.runs ?? 0) + 1, isError: row.is_error === 1, exitCode: row.exit_code });
  }
  const commands = [...latest]
    .toReversed()
    .slice(0, COMMANDS_SHOWN)
    .map(([form, { runs, isError, exitCode }]) => {
      const end = isError ? `failed${exitCode === null ? "" : ` (exit ${exitCode})`}` : "passed";
      return {
        text: `- \`${quoteOrders(oneLine(form, COMMAND_CHARS))}\` ${end}${runs > 1 ? `, run ${runs} times` : ""}`,
      };
    });
  const files = changedFiles(db, sessionDbId).map(({ path }) => quoteName(path, 120));
  const more = files.length > FILES_SHOWN ? ` and ${files.length - FILES_SHOWN} more` : "";
  const changed = files.length === 0 ? [] : [{ text: `Changed: ${files.slice(0, FILES_SHOWN).join(", ")}${more}` }];
  return [...changed, ...commands];
}
