// What was left undone: offers without an answer, tests that failed last, tasks that were not done.
import { quoteOrders } from "../../core/privacy/fence.ts";
import { withoutInterruption } from "../../core/interruption.ts";
import { ago, oneLine } from "../../core/text.ts";
import type { Db } from "../../store/db/driver.ts";
import type { ObservationRow } from "../../store/tables/observations.ts";
import type { SessionRow } from "../../store/tables/sessions.ts";
import type { Line } from "./block.ts";
import { itemId } from "./memory-line.ts";
import { freshSummary } from "./where-stopped.ts";

/** What lies further back was done or given up. */
const SESSIONS_LOOKED_AT = 4;
const LINES = 4;
const STEP_CHARS = 200;

export function openEndLines(
  db: Db,
  sessions: readonly SessionRow[],
  tests: readonly ObservationRow[],
  now: number,
): Line[] {
  const recent = sessions.slice(0, SESSIONS_LOOKED_AT);
  const failing = tests
    .filter((row) => recent.some(({ id }) => id === row.session_db_id))
    .map((row) => ({
      text: `- ${quoteOrders(oneLine(row.title, STEP_CHARS))} (${ago(row.valid_from, now)}, #${itemId(row)})`,
      items: [itemId(row)],
    }));
  // The last session's own next steps stand where its work is told.
  const steps = recent.slice(1).flatMap((session) => {
    // A later session began after an interruption: often it went on with the same work.
    const next = withoutInterruption(freshSummary(db, session.id)?.next_steps ?? "");
    if (next === "") return [];
    return [
      {
        text: `- ${quoteOrders(oneLine(next, STEP_CHARS))} (${ago(session.last_at, now)})`,
        items: [`session:${session.id}`],
      },
    ];
  });
  return [...failing, ...steps].slice(0, LINES);
}
