// stale_turns and stale_memory: turns whose evidence changed. They must be indexed and their memory derived again.
import type { Db } from "../db/driver.ts";
import { raw, sql } from "../db/sql.ts";
import { markLinksStale } from "./stale-links.ts";

export function markTurnStale(db: Db, sessionDbId: number, promptNumber: number): void {
  mark(db, "stale_turns", sessionDbId, promptNumber);
  markTurnEnded(db, sessionDbId, promptNumber);
}

/** Marks a turn of which only the searchable words and links changed, e.g. because a commit was linked to it. */
export function markTurnWordsStale(db: Db, sessionDbId: number, promptNumber: number): void {
  mark(db, "stale_turns", sessionDbId, promptNumber);
  markLinksStale(db, sessionDbId, promptNumber);
}

/** Marks only memory and links: the end of a turn does not change its indexed text. */
export function markTurnEnded(db: Db, sessionDbId: number, promptNumber: number): void {
  markTurnMemoryStale(db, sessionDbId, promptNumber);
  markLinksStale(db, sessionDbId, promptNumber);
}

/** Marks a turn whose memory depends on what changed elsewhere: the next prompt, or a copy of the turn. */
export function markTurnMemoryStale(db: Db, sessionDbId: number, promptNumber: number): void {
  mark(db, "stale_memory", sessionDbId, promptNumber);
}

function mark(db: Db, table: string, sessionDbId: number, promptNumber: number): void {
  db.run(sql`INSERT OR IGNORE INTO ${raw(table)}
    SELECT id FROM prompts WHERE session_db_id = ${sessionDbId} AND prompt_number = ${promptNumber}`);
}

export function markSessionStale(db: Db, sessionDbId: number): void {
  for (const table of ["stale_turns", "stale_memory"])
    db.run(sql`INSERT OR IGNORE INTO ${raw(table)} SELECT id FROM prompts WHERE session_db_id = ${sessionDbId}`);
  markLinksStale(db, sessionDbId);
}

/** The first turn of the session with stale memory. */
export function nextStaleTurn(db: Db, sessionDbId: number): { id: number; prompt_number: number } | undefined {
  return db.get(sql`SELECT p.id, p.prompt_number FROM prompts p JOIN stale_memory d ON d.prompt_db_id = p.id
    WHERE p.session_db_id = ${sessionDbId} ORDER BY p.prompt_number LIMIT 1`);
}

export function clearStaleMemory(db: Db, promptDbId: number): void {
  db.run(sql`DELETE FROM stale_memory WHERE prompt_db_id = ${promptDbId}`);
}

/** Sessions with stale memory, newest first, because memory of recent work is needed first. */
export function staleSessions(db: Db, projectId?: number): { id: number; session_id: string; turns: number }[] {
  return db.all(sql`SELECT s.id, s.session_id, count(*) AS turns
    FROM stale_memory d JOIN prompts p ON p.id = d.prompt_db_id JOIN sessions s ON s.id = p.session_db_id
    WHERE ${projectId} IS NULL OR s.project_id = ${projectId} GROUP BY s.id ORDER BY s.last_at DESC, s.id`);
}

/** Marks the memory of every turn in the project, or in all projects. */
export function markMemoryStale(db: Db, projectId: number | undefined): void {
  db.run(sql`INSERT OR IGNORE INTO stale_memory SELECT p.id FROM prompts p JOIN sessions s ON s.id = p.session_db_id
    WHERE ${projectId} IS NULL OR s.project_id = ${projectId}`);
}
