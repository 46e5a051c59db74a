// Turns whose evidence has changed: their index rows and their memory are made anew, later and by others.
import type { Db } from "./driver.ts";

/** Who still has to look at a changed turn. */
const READERS = ["stale_turns", "stale_memory"] as const;

export function markTurnStale(db: Db, sessionDbId: number, promptNumber: number): void {
  for (const table of READERS) {
    db.run(
      `INSERT OR IGNORE INTO ${table} SELECT id FROM prompts WHERE session_db_id = ? AND prompt_number = ?`,
      sessionDbId,
      promptNumber,
    );
  }
}

export function markSessionStale(db: Db, sessionDbId: number): void {
  for (const table of READERS) {
    db.run(`INSERT OR IGNORE INTO ${table} SELECT id FROM prompts WHERE session_db_id = ?`, sessionDbId);
  }
}
