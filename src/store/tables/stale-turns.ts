// Turns whose evidence has changed: their index rows and their memory are made anew, later and by others.
import type { Db } from "../db/driver.ts";
import { markLinksStale } from "./stale-links.ts";

/** Who still has to look at a changed turn. */
const READERS = ["stale_turns", "stale_memory"] as const;

export function markTurnStale(db: Db, sessionDbId: number, promptNumber: number): void {
  markFor(READERS, db, sessionDbId, promptNumber);
}

/** That nothing more will come changes what is derived from a turn, and none of the words it is found by. */
export function markTurnEnded(db: Db, sessionDbId: number, promptNumber: number): void {
  markFor(["stale_memory"], db, sessionDbId, promptNumber);
}

function markFor(readers: readonly string[], db: Db, sessionDbId: number, promptNumber: number): void {
  for (const table of readers) {
    db.run(
      `INSERT OR IGNORE INTO ${table} SELECT id FROM prompts WHERE session_db_id = ? AND prompt_number = ?`,
      sessionDbId,
      promptNumber,
    );
  }
  markLinksStale(db, sessionDbId, promptNumber);
}

export function markSessionStale(db: Db, sessionDbId: number): void {
  for (const table of READERS) {
    db.run(`INSERT OR IGNORE INTO ${table} SELECT id FROM prompts WHERE session_db_id = ?`, sessionDbId);
  }
  markLinksStale(db, sessionDbId);
}

/** The first turn of the session whose memory is out of date. */
export function nextStaleTurn(db: Db, sessionDbId: number): { id: number; prompt_number: number } | undefined {
  return db.get(
    `SELECT p.id, p.prompt_number FROM prompts p JOIN stale_memory d ON d.prompt_db_id = p.id
     WHERE p.session_db_id = ? ORDER BY p.prompt_number LIMIT 1`,
    sessionDbId,
  );
}

export function clearStaleTurn(db: Db, promptDbId: number): void {
  db.run("DELETE FROM stale_memory WHERE prompt_db_id = ?", promptDbId);
}

/** Sessions with memory that is out of date, newest first: what was done last is asked for first. */
export function staleSessions(db: Db, projectId?: number): { id: number; session_id: string; turns: number }[] {
  return db.all(
    `SELECT s.id, s.session_id, count(*) AS turns
     FROM stale_memory d JOIN prompts p ON p.id = d.prompt_db_id JOIN sessions s ON s.id = p.session_db_id
     WHERE ?1 IS NULL OR s.project_id = ?1 GROUP BY s.id ORDER BY s.last_at DESC, s.id`,
    projectId ?? null,
  );
}

/** Marks the memory of every turn of the project, or of all projects, to be derived again. */
export function markMemoryStale(db: Db, projectId: number | undefined): void {
  db.run(
    `INSERT OR IGNORE INTO stale_memory SELECT p.id FROM prompts p JOIN sessions s ON s.id = p.session_db_id
     WHERE ?1 IS NULL OR s.project_id = ?1`,
    projectId ?? null,
  );
}
