// Commands that failed and later passed: what an agent most often has to find out twice.
import { errorLine } from "../../core/error-text.ts";
import { normaliseCommand } from "../../core/shell-command.ts";
import type { Db } from "../../store/db/driver.ts";
import { changedPathsBetween } from "../../store/tables/file-touches.ts";
import { type CommandRow, outputHead, shellCommands } from "../../store/tables/tool-uses.ts";

export interface FixedCommand {
  command: string;
  exitCode: number | undefined;
  /** The line of the output that says what went wrong. */
  error: string;
  /** Files changed between the failure and the success. */
  changed: string[];
  at: number;
}

/** Commands looked at, newest first: enough for several sessions of work. */
const MAX_COMMANDS = 200;
const OUTPUT_CHARS = 2_000;

export function fixedCommands(db: Db, sessionDbIds: readonly number[], limit: number): FixedCommand[] {
  const failures = new Map<string, CommandRow>();
  const fixed = new Map<string, { failure: CommandRow; success: CommandRow }>();
  for (const row of shellCommands(db, sessionDbIds, MAX_COMMANDS)) {
    const key = normaliseCommand(row.command);
    if (row.is_error) {
      // Without an exit code it was not the command that failed: it was denied, interrupted or never run.
      if (row.exit_code === null) continue;
      // The newest failure counts, and a success before it no longer does.
      failures.set(key, row);
      fixed.delete(key);
      continue;
    }
    const failure = failures.get(key);
    if (failure === undefined) continue;
    failures.delete(key);
    fixed.set(key, { failure, success: row });
  }
  const newestFirst = [...fixed].sort(([, a], [, b]) => b.success.created_at - a.success.created_at);
  return newestFirst.slice(0, limit).map(([command, { failure, success }]) => ({
    command,
    exitCode: failure.exit_code ?? undefined,
    error: errorLine(outputHead(db, failure.id, OUTPUT_CHARS)),
    changed: changedPathsBetween(db, failure.main_session_db_id, failure.created_at, success.created_at),
    at: success.created_at,
  }));
}
