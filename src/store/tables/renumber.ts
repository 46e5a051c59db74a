// Puts a session's turns in the order they happened, for a prompt that was learnt of after later ones.
import type { Db } from "../db/driver.ts";
import { markSessionStale } from "./stale-turns.ts";

interface Turn {
  id: number;
  prompt_number: number;
}

/** Returns the number the prompt has in the end. */
export function renumberTurns(db: Db, sessionDbId: number, promptDbId: number): number {
  const turns = db.all<Turn>(
    "SELECT id, prompt_number FROM prompts WHERE session_db_id = ? ORDER BY created_at, id",
    sessionDbId,
  );
  const numbers = new Map(turns.map((turn, index) => [turn.prompt_number, index + 1]));
  if ([...numbers].some(([before, after]) => before !== after)) applyNumbers(db, sessionDbId, turns, numbers);
  return turns.findIndex((turn) => turn.id === promptDbId) + 1;
}

function applyNumbers(db: Db, sessionDbId: number, turns: readonly Turn[], numbers: ReadonlyMap<number, number>): void {
  // Numbers are unique in a session: first out of each other's way, then to their places.
  db.run("UPDATE prompts SET prompt_number = -prompt_number WHERE session_db_id = ?", sessionDbId);
  for (const [index, turn] of turns.entries())
    db.run("UPDATE prompts SET prompt_number = ? WHERE id = ?", index + 1, turn.id);
  const mapping = JSON.stringify(Object.fromEntries([...numbers].filter(([before, after]) => before !== after)));
  for (const table of ["tool_uses", "messages", "commits", "file_snapshots", "observations", "summaries"]) {
    const ofSession = "session_db_id IN (SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1)";
    db.run(
      `UPDATE ${table} SET prompt_number = -json_extract(?2, '$."' || prompt_number || '"')
       WHERE ${ofSession} AND prompt_number IN (SELECT CAST(key AS INTEGER) FROM json_each(?2))`,
      sessionDbId,
      mapping,
    );
    db.run(`UPDATE ${table} SET prompt_number = -prompt_number WHERE ${ofSession} AND prompt_number < 0`, sessionDbId);
  }
  markSessionStale(db, sessionDbId);
}
