// Lines about the session's own commands after compaction: an agent's summary often omits them.
import { quoteName } from "../../core/privacy/fence.ts";
import { commandForm } from "../../core/shell-command.ts";
import { listText } from "../../core/text.ts";
import type { Db } from "../../store/db/driver.ts";
import { changedFiles } from "../../store/tables/file-touches.ts";
import { type CommandRow, shellCommands } from "../../store/tables/tool-uses.ts";
import { type Line, quoteLine } from "./block.ts";

const COMMANDS_SHOWN = 10;
const COMMANDS_READ = 300;
const FILES_SHOWN = 15;
const COMMAND_CHARS = 140;

/** The files that a session changed, and its commands with their last outcome, latest first. */
export function compactedLines(db: Db, sessionDbId: number): Line[] {
  const latest = new Map<string, { runs: number; row: CommandRow }>();
  for (const row of shellCommands(db, [sessionDbId], COMMANDS_READ)) {
    const form = commandForm(row.command);
    const runs = (latest.get(form)?.runs ?? 0) + 1;
    // Delete and set again, so that the map is sorted by last run.
    latest.delete(form);
    latest.set(form, { runs, row });
  }
  const commands = [...latest].slice(-COMMANDS_SHOWN).toReversed();
  const files = changedFiles(db, sessionDbId).map(({ path }) => quoteName(path, 120));
  return [
    ...(files.length === 0 ? [] : [{ text: `Changed: ${listText(files, FILES_SHOWN)}` }]),
    ...commands.map(([form, { runs, row }]) => {
      const exit = row.exit_code === null ? "" : ` (exit ${row.exit_code})`;
      const outcome = row.is_error === 1 ? `failed${exit}` : "passed";
      return { text: `- \`${quoteLine(form, COMMAND_CHARS)}\` ${outcome}${runs > 1 ? `, run ${runs} times` : ""}` };
    }),
  ];
}
