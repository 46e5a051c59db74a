// Lines about shell commands that failed and later passed, and, after compaction, about the session's own commands:
// an agent's summary often omits them.
import { errorLine } from "../../core/error-text.ts";
import { quoteName, quoteInstructions } from "../../core/privacy/fence.ts";
import { commandForm, normaliseCommand } from "../../core/shell-command.ts";
import { listText } from "../../core/text.ts";
import type { Db } from "../../store/db/driver.ts";
import { changedFiles, changedPathsBetween } from "../../store/tables/file-touches.ts";
import { type CommandRow, outputHead, shellCommands } from "../../store/tables/tool-uses.ts";
import { type Line, quoteLine, quoteNames } from "./block.ts";

/** Enough for several sessions of work. */
const MAX_COMMANDS = 200;
const OUTPUT_CHARS = 2_000;

/** Commands that failed and later passed, by latest success first. */
export function fixedCommands(db: Db, sessionDbIds: readonly number[], limit: number) {
  const failures = new Map<string, CommandRow>();
  const fixed = new Map<string, { failure: CommandRow; success: CommandRow }>();
  for (const row of shellCommands(db, sessionDbIds, MAX_COMMANDS)) {
    const key = normaliseCommand(row.command);
    const failure = failures.get(key);
    if (row.is_error) {
      // A failed command without an exit code was denied, interrupted or never started.
      if (row.exit_code === null) continue;
      failures.set(key, row);
      fixed.delete(key);
    } else if (failure !== undefined) {
      failures.delete(key);
      fixed.set(key, { failure, success: row });
    }
  }
  const newestFirst = [...fixed].sort(([, a], [, b]) => b.success.created_at - a.success.created_at);
  return newestFirst.slice(0, limit).map(([command, { failure, success }]) => ({
    command,
    exitCode: failure.exit_code ?? undefined,
    /** The output line with the error. */
    error: errorLine(outputHead(db, failure.id, OUTPUT_CHARS)),
    /** Files changed between the failure and the success. */
    changed: changedPathsBetween(db, failure.main_session_db_id, failure.created_at, success.created_at),
  }));
}

const FIXES_SHOWN = 5;

export function fixLines(db: Db, sessionDbIds: readonly number[]): Line[] {
  return fixedCommands(db, sessionDbIds, FIXES_SHOWN).map(({ command, exitCode, error, changed }) => {
    const exit = exitCode === undefined ? "" : ` with exit code ${exitCode}`;
    const reason = error === "" ? "" : `: ${quoteInstructions(error)}`;
    const fix = changed.length === 0 ? "passed later" : `passed after a change to ${quoteNames(changed, 4, 120)}`;
    return { text: `- \`${quoteLine(command, 160)}\` failed${exit}${reason}; ${fix}` };
  });
}

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
