// Finds earlier sessions with an error that this session fixed: a command failed there and passes here after a change.
import { lastError, normaliseError, errorMessage } from "../../core/error-text.ts";
import { commandKey } from "../../core/shell-command.ts";
import { DAY_MS } from "../../core/time.ts";
import type { Db } from "../../store/db/driver.ts";
import type { EarlierSession, LinkedSession } from "../../store/reads/link-evidence.ts";
import { changedPathsBetween } from "../../store/tables/file-touches.ts";
import { type CommandRow, outputHead, shellCommands } from "../../store/tables/tool-uses.ts";
import { purposeOf } from "../extract/commands.ts";

/** sameError: the error occurred here too. continued: it did not, but this session continues that one. */
const WEIGHTS = { sameError: 0.9, continued: 0.7 } as const;
/** Weaker `continues` links do not count. */
const MIN_CONTINUED = 0.6;
const MAX_SESSIONS = 5;
const MAX_GAP_MS = 7 * DAY_MS;
const MAX_COMMANDS = 300;
const MAX_OUTPUT_CHARS = 100_000;

/** Weights by session id. `continued`: the sessions this one continues. */
export function findFixed(
  db: Db,
  session: LinkedSession,
  { earlier, continued }: { earlier: readonly EarlierSession[]; continued: ReadonlyMap<string, number> },
): Map<string, number> {
  const near = earlier.filter(({ last_at }) => session.started_at - last_at <= MAX_GAP_MS).slice(0, MAX_SESSIONS);
  const names = new Map(near.map((other) => [other.id, other.session_id]));
  const failures = lastFailures(shellCommands(db, [...names.keys()], MAX_COMMANDS), session.started_at);
  if (failures.size === 0) return new Map();
  const runs = Map.groupBy(shellCommands(db, [session.id], MAX_COMMANDS), ({ command }) => commandKey(command));
  const fixed = new Map<string, number>();
  for (const [key, failure] of failures) {
    const name = names.get(failure.main_session_db_id) ?? "";
    const isContinued = (continued.get(name) ?? 0) >= MIN_CONTINUED;
    const weight = weightOf(db, session, failure, runs.get(key) ?? [], isContinued);
    if (weight > (fixed.get(name) ?? 0)) fixed.set(name, weight);
  }
  return fixed;
}

/** By command key: commands whose last run before `until` failed. */
function lastFailures(rows: readonly CommandRow[], until: number): Map<string, CommandRow> {
  const last = new Map(rows.filter((row) => row.created_at <= until).map((row) => [commandKey(row.command), row]));
  return new Map([...last].filter(([, row]) => hasFailed(row) && purposeOf(row.command) !== "look"));
}

/** 0 if this session did not fix the failure. */
function weightOf(
  db: Db,
  session: LinkedSession,
  failure: CommandRow,
  runs: readonly CommandRow[],
  isContinued: boolean,
): number {
  const index = runs.findIndex((row) => row.is_error === 0);
  const success = runs[index];
  if (success === undefined) return 0;
  const error = errorOf(db, failure);
  if (error === undefined || errorOf(db, success) === error) return 0;
  const failed = runs.slice(0, index).filter(hasFailed);
  const again = failed.findLast((row) => errorOf(db, row) === error);
  // If the command failed here with a different error, this session fixed something else.
  if (again === undefined && (failed.length > 0 || !isContinued)) return 0;
  const since = again?.created_at ?? session.started_at;
  if (changedPathsBetween(db, session.id, since, success.created_at).length === 0) return 0;
  return again === undefined ? WEIGHTS.continued : WEIGHTS.sameError;
}

/** A command without an exit code was denied or interrupted, which is no failure. */
function hasFailed(row: CommandRow): boolean {
  return row.is_error === 1 && (row.exit_code ?? 0) !== 0;
}

/** The error without times, addresses and line numbers, to compare runs; undefined for generic messages. */
function errorOf(db: Db, row: CommandRow): string | undefined {
  const error = errorMessage(lastError(outputHead(db, row.id, MAX_OUTPUT_CHARS)));
  return error === undefined ? undefined : normaliseError(error);
}
