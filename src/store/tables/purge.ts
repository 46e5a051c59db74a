// Takes old evidence and old memory out to save room. Not forgetting: nothing is kept from being said again, and bytes may
// linger in free pages. What a person pinned, wrote or changed stays.
import type { Db } from "../db/driver.ts";
import { OWNED } from "./observations.ts";

export interface OldSession {
  id: number;
  session_id: string;
  project: string;
  last_at: number;
}

const FAMILY = "SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1";

/** Conversations with evidence that ended before a time, oldest first. Of one project, or of all but some. */
export function sessionsBefore(
  db: Db,
  before: number,
  { projectId, except = [] }: { projectId?: number; except?: readonly number[] } = {},
): OldSession[] {
  return db.all(
    `SELECT s.id, s.session_id, p.name AS project, s.last_at
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

/** A purge takes its time: meanwhile somebody may have gone on with a session, or forgotten it and another has its number. */
export function isStillOld(db: Db, { id, session_id, last_at }: OldSession): boolean {
  const sql = "SELECT 1 FROM sessions WHERE id = ? AND session_id = ? AND last_at = ? AND status <> 'active'";
  return db.get(sql, id, session_id, last_at) !== undefined;
}

/** As much again as the texts take goes to indexes, roughly. */
const INDEX_FACTOR = 2;
/** For every row, whatever it says: its ids, in five indexes. Rather too much: of too little more would go than must. */
const ROW_BYTES = 300;

/** What a conversation's evidence takes, roughly. Looks at every row of it, but reads none of the texts. */
export function evidenceBytes(db: Db, sessionDbId: number): number {
  const taken = (table: string, texts: string): string =>
    `(SELECT coalesce(sum(${INDEX_FACTOR} * (${texts}) + ${ROW_BYTES}), 0) FROM ${table} WHERE session_db_id IN (${FAMILY}))`;
  const all = [
    taken("prompts", "octet_length(text) + coalesce(octet_length(response), 0)"),
    taken("messages", "octet_length(text) + coalesce(octet_length(thinking), 0)"),
    taken("tool_uses", "octet_length(input) + coalesce(octet_length(output), octet_length(packed), 0)"),
  ].join(" + ");
  return db.get<{ bytes: number }>(`SELECT ${all} AS bytes`, sessionDbId)?.bytes ?? 0;
}

/** Rows per step: a few milliseconds. */
const BATCH = 100;

/**
 * In steps that each leave the store in order; must run in transactions (inBatches). Ended in the middle, the session is still one
 * with evidence, and the next purge goes on. Observations and the session's own summary stay, without the turns they were made of.
 */
export function* purgeEvidence(db: Db, sessionDbId: number): Generator<void, void> {
  cutTies(db, sessionDbId);
  yield;
  for (const remove of [removeToolUses, removeMessages]) {
    while (remove(db, sessionDbId) === BATCH) yield;
  }
  removePrompts(db, sessionDbId);
}

/** First of all: from now on a transcript brings nothing back, and what is kept points at nothing that goes: numbers are given out again. */
function cutTies(db: Db, sessionDbId: number): void {
  db.run(`DELETE FROM summaries WHERE session_db_id IN (${FAMILY}) AND prompt_number > 0`, sessionDbId);
  for (const table of ["observations", "summaries"]) {
    db.run(`UPDATE ${table} SET evidence = '[]' WHERE session_db_id IN (${FAMILY})`, sessionDbId);
  }
  db.run(`UPDATE observations SET prompt_number = NULL WHERE session_db_id IN (${FAMILY})`, sessionDbId);
  // Of no turn: where the session goes on, its turns are counted from 1.
  db.run(`UPDATE commits SET prompt_number = 0 WHERE session_db_id IN (${FAMILY})`, sessionDbId);
  db.run(`DELETE FROM file_snapshots WHERE session_db_id IN (${FAMILY})`, sessionDbId);
  db.run(`UPDATE sessions SET purged_at = last_at WHERE id IN (${FAMILY})`, sessionDbId);
}

function removeToolUses(db: Db, sessionDbId: number): number {
  const chosen = `SELECT id FROM tool_uses WHERE session_db_id IN (${FAMILY}) ORDER BY session_db_id, prompt_number, id LIMIT ${BATCH}`;
  db.run(
    `DELETE FROM tool_uses_fts WHERE rowid IN (${chosen}) AND rowid <= (SELECT last_id FROM index_state WHERE name = 'tool_uses')`,
    sessionDbId,
  );
  const { changes } = db.run(`DELETE FROM tool_uses WHERE id IN (${chosen})`, sessionDbId);
  db.run(
    "UPDATE index_state SET last_id = min(last_id, coalesce((SELECT max(id) FROM tool_uses), 0)) WHERE name = 'tool_uses'",
  );
  return changes;
}

function removeMessages(db: Db, sessionDbId: number): number {
  return db.run(
    `DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE session_db_id IN (${FAMILY}) LIMIT ${BATCH})`,
    sessionDbId,
  ).changes;
}

function removePrompts(db: Db, sessionDbId: number): void {
  db.run("DELETE FROM turns_fts WHERE rowid IN (SELECT id FROM prompts WHERE session_db_id = ?)", sessionDbId);
  db.run(
    `INSERT INTO prompts_trigram (prompts_trigram, rowid, text) SELECT 'delete', id, text FROM prompts WHERE session_db_id = ?`,
    sessionDbId,
  );
  db.run(`DELETE FROM prompts WHERE session_db_id IN (${FAMILY})`, sessionDbId);
  db.run(`UPDATE sessions SET prompt_count = 0 WHERE id IN (${FAMILY})`, sessionDbId);
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
