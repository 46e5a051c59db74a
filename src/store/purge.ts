// Takes old evidence and old memory out to save room. Not forgetting: nothing is kept from being said again, and bytes may
// linger in free pages. What a person pinned, wrote or changed stays.
import type { Db } from "./driver.ts";
import { OWNED } from "./observations.ts";

export interface OldSession {
  id: number;
  session_id: string;
  project: string;
  last_at: number;
  /** What its evidence takes, roughly: the texts, and as much again for indexes. */
  bytes: number;
}

const FAMILY = "SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1";
const INDEX_FACTOR = 2;

/** Conversations with evidence that ended before a time, oldest first. Of one project, or of all but some. */
export function sessionsBefore(
  db: Db,
  before: number,
  { projectId, except = [] }: { projectId?: number; except?: readonly number[] } = {},
): OldSession[] {
  return db.all(
    `SELECT s.id, s.session_id, p.name AS project, s.last_at,
       ${INDEX_FACTOR} * (coalesce((SELECT sum(length(text) + coalesce(length(response), 0)) FROM prompts WHERE session_db_id = s.id), 0)
         + coalesce((SELECT sum(length(m.text) + coalesce(length(m.thinking), 0)) FROM messages m JOIN sessions f ON f.id = m.session_db_id
             WHERE f.id = s.id OR f.parent_session_db_id = s.id), 0)
         + coalesce((SELECT sum(length(t.input) + coalesce(length(t.output), length(t.packed), 0)) FROM tool_uses t JOIN sessions f ON f.id = t.session_db_id
             WHERE f.id = s.id OR f.parent_session_db_id = s.id), 0)) AS bytes
     FROM sessions s JOIN projects p ON p.id = s.project_id
     WHERE s.parent_session_db_id IS NULL AND s.last_at < ?1 AND (?2 IS NULL OR s.project_id = ?2)
       AND s.project_id NOT IN (SELECT value FROM json_each(?3)) AND s.status <> 'active'
       AND (EXISTS (SELECT 1 FROM prompts WHERE session_db_id = s.id) OR EXISTS (SELECT 1 FROM messages WHERE session_db_id = s.id)
         OR EXISTS (SELECT 1 FROM tool_uses WHERE session_db_id = s.id))
     ORDER BY s.last_at, s.id`,
    before,
    projectId ?? null,
    JSON.stringify(except),
  );
}

/** Must run in a transaction. Observations and the session's own summary stay, without the turns they were made of. */
export function purgeEvidence(db: Db, sessionDbId: number): void {
  db.run("DELETE FROM turns_fts WHERE rowid IN (SELECT id FROM prompts WHERE session_db_id = ?)", sessionDbId);
  db.run(
    `INSERT INTO prompts_trigram (prompts_trigram, rowid, text) SELECT 'delete', id, text FROM prompts WHERE session_db_id = ?`,
    sessionDbId,
  );
  db.run(
    `DELETE FROM tool_uses_fts WHERE rowid IN (SELECT id FROM tool_uses WHERE session_db_id IN (${FAMILY})
       AND id <= (SELECT last_id FROM index_state WHERE name = 'tool_uses'))`,
    sessionDbId,
  );
  for (const table of ["messages", "tool_uses", "prompts"]) {
    db.run(`DELETE FROM ${table} WHERE session_db_id IN (${FAMILY})`, sessionDbId);
  }
  db.run(`DELETE FROM summaries WHERE session_db_id IN (${FAMILY}) AND prompt_number > 0`, sessionDbId);
  // Numbers are given out again: what is kept must not point at what gets them.
  for (const table of ["observations", "summaries"]) {
    db.run(`UPDATE ${table} SET evidence = '[]' WHERE session_db_id IN (${FAMILY})`, sessionDbId);
  }
  db.run(`UPDATE observations SET prompt_number = NULL WHERE session_db_id IN (${FAMILY})`, sessionDbId);
  db.run(`UPDATE sessions SET purged_at = last_at, prompt_count = 0 WHERE id IN (${FAMILY})`, sessionDbId);
  db.run(
    "UPDATE index_state SET last_id = min(last_id, coalesce((SELECT max(id) FROM tool_uses), 0)) WHERE name = 'tool_uses'",
  );
}

/** What happened then was taken out: nobody misses it. */
export function isPurged(db: Db, sessionId: string, at: number): boolean {
  return db.get("SELECT 1 FROM sessions WHERE session_id = ? AND purged_at >= ?", sessionId, at) !== undefined;
}

const OLD_MEMORY = `valid_from < ?1 AND (?2 IS NULL OR project_id = ?2) AND coalesce(project_id, 0) NOT IN (SELECT value FROM json_each(?3)) AND NOT ${OWNED}`;

export interface MemoryScope {
  before: number;
  projectId?: number;
  except?: readonly number[];
}

export function countOldMemory(db: Db, { before, projectId, except = [] }: MemoryScope): number {
  const sql = `SELECT count(*) AS n FROM observations WHERE ${OLD_MEMORY}`;
  return db.get<{ n: number }>(sql, before, projectId ?? null, JSON.stringify(except))?.n ?? 0;
}

/** Must run in a transaction. Returns how many observations went. */
export function purgeMemory(db: Db, { before, projectId, except = [] }: MemoryScope): number {
  return db.run(`DELETE FROM observations WHERE ${OLD_MEMORY}`, before, projectId ?? null, JSON.stringify(except))
    .changes;
}
