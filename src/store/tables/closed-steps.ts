// closed_steps: next steps that a later turn did. They are left out when the summaries of earlier turns are saved again.
import { sha256 } from "../../platform/crypto.ts";
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";

/** "- Push the branch." and "push the branch" are the same step. */
function hashOfStep(step: string): string {
  const words = step.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ");
  return sha256(words.trim()).slice(0, 32);
}

export interface ClosedStep {
  sessionDbId: number;
  step: string;
  closedBy: number;
  producer: string;
  /** When the turn that did it ended. */
  doneAt: number;
}

/** Removes the step from the summaries of all turns of its session that began before it was done. */
export function closeStep(db: Db, { sessionDbId, step, closedBy, producer, doneAt }: ClosedStep): void {
  db.run(sql`INSERT INTO closed_steps (session_db_id, hash, closed_by, producer, done_at)
    VALUES (${sessionDbId}, ${hashOfStep(step)}, ${closedBy}, ${producer}, ${doneAt})
    ON CONFLICT (session_db_id, hash) DO UPDATE SET
      closed_by = excluded.closed_by, producer = excluded.producer, done_at = max(done_at, excluded.done_at)`);
  const rows = db.all<Covered & { id: number; nextSteps: string }>(
    sql`SELECT id, session_db_id AS sessionDbId, prompt_number AS promptNumber, last_prompt AS lastPrompt,
        next_steps AS nextSteps FROM summaries
      WHERE session_db_id = ${sessionDbId} AND next_steps <> ''`,
  );
  for (const { id, nextSteps, ...covered } of rows) {
    const after = withoutClosed(db, covered, nextSteps);
    if (after !== nextSteps) db.run(sql`UPDATE summaries SET next_steps = ${after} WHERE id = ${id}`);
  }
}

/** What a summary covers. */
interface Covered {
  sessionDbId: number;
  /** 0: the session up to the turn `lastPrompt`, or all of it if that is 0, too. */
  promptNumber: number;
  lastPrompt: number;
}

/** The steps, one on each line, without those that were done after the last covered turn began. */
export function withoutClosed(db: Db, { sessionDbId, promptNumber, lastPrompt }: Covered, nextSteps: string): string {
  if (nextSteps === "") return nextSteps;
  const lastTurn = promptNumber || lastPrompt;
  const closed = new Set(
    db.column<string>(sql`SELECT hash FROM closed_steps WHERE session_db_id = ${sessionDbId} AND done_at > (
      SELECT coalesce(max(created_at), 0) FROM prompts
      WHERE session_db_id = ${sessionDbId} AND ${lastTurn} IN (0, prompt_number))`),
  );
  if (closed.size === 0) return nextSteps;
  return nextSteps
    .split("\n")
    .filter((step) => !closed.has(hashOfStep(step)))
    .join("\n");
}
