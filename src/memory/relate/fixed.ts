// Which earlier sessions left an error behind that a session ended: the same command failed there, and passes here once something was changed.
import { lastError, normaliseError, telling } from "../../core/error-text.ts";
import { commandKey } from "../../core/shell-command.ts";
import { DAY_MS } from "../../core/words.ts";
import type { Db } from "../../store/db/driver.ts";
import { changedPathsBetween } from "../../store/tables/file-touches.ts";
import type { EarlierSession, LinkedSession } from "../../store/reads/link-evidence.ts";
import { type CommandRow, outputHead, shellCommands } from "../../store/tables/tool-uses.ts";
import { purposeOf } from "../extract/commands.ts";

/** How sure it is: where the error was met here again, and where the session goes on with the other and did not wait to see it. */
export const FIXED = { metAgain: 0.9, continued: 0.7 } as const;
/** A weaker guess that it goes on with the other is not enough. */
const MIN_CONTINUED = 0.6;
/** What failed is taken up soon, or by then has other reasons. */
const MAX_SESSIONS = 5;
const MAX_GAP_MS = 7 * DAY_MS;
const MAX_COMMANDS = 300;
const MAX_OUTPUT_CHARS = 100_000;

/** By the agents' ids, with how sure it is. `continued` is what the session goes on with. */
export function fixedBy(
  db: Db,
  session: LinkedSession,
  { earlier, continued }: { earlier: readonly EarlierSession[]; continued: ReadonlyMap<string, number> },
): Map<string, number> {
  const near = earlier
    .filter(({ last_at }) => session.started_at - last_at <= MAX_GAP_MS)
    .slice(0, MAX_SESSIONS)
    .map((other) => [other.id, other.session_id] as const);
  const names = new Map(near);
  const left = failedLast(shellCommands(db, [...names.keys()], MAX_COMMANDS), session.started_at);
  if (left.size === 0) return new Map();
  const runs = Map.groupBy(shellCommands(db, [session.id], MAX_COMMANDS), ({ command }) => commandKey(command));
  const fixed = new Map<string, number>();
  for (const [key, failure] of left) {
    const name = names.get(failure.main_session_db_id) ?? "";
    const mayGuess = (continued.get(name) ?? 0) >= MIN_CONTINUED;
    const weight = howSure(db, session, { failure, runs: runs.get(key) ?? [], mayGuess });
    if (weight > (fixed.get(name) ?? 0)) fixed.set(name, weight);
  }
  return fixed;
}

/** Commands whose last run until then failed, by what they are. */
function failedLast(rows: readonly CommandRow[], until: number): Map<string, CommandRow> {
  const last = new Map(rows.filter((row) => row.created_at <= until).map((row) => [commandKey(row.command), row]));
  return new Map([...last].filter(([, row]) => hasFailed(row) && purposeOf(row.command) !== "look"));
}

function howSure(
  db: Db,
  session: LinkedSession,
  { failure, runs, mayGuess }: { failure: CommandRow; runs: readonly CommandRow[]; mayGuess: boolean },
): number {
  const place = runs.findIndex((row) => row.is_error === 0);
  const success = runs[place];
  if (success === undefined) return 0;
  const error = errorOf(db, failure);
  if (error === undefined || errorOf(db, success) === error) return 0;
  const failed = runs.slice(0, place).filter(hasFailed);
  const again = failed.findLast((row) => errorOf(db, row) === error);
  // Another error of the same command may be another's fault.
  if (again === undefined && (failed.length > 0 || !mayGuess)) return 0;
  const since = again?.created_at ?? session.started_at;
  if (changedPathsBetween(db, session.id, since, success.created_at).length === 0) return 0;
  return again === undefined ? FIXED.continued : FIXED.metAgain;
}

/** Without an exit code it was not the command that failed: it was denied, interrupted or never run. */
function hasFailed(row: CommandRow): boolean {
  return row.is_error === 1 && (row.exit_code ?? 0) !== 0;
}

/** In the form two runs of it share; undefined where it does not tell itself from others. */
function errorOf(db: Db, row: CommandRow): string | undefined {
  const error = telling(lastError(outputHead(db, row.id, MAX_OUTPUT_CHARS)));
  return error === undefined ? undefined : normaliseError(error);
}
