// Purge: deletes old evidence and old memory to free disk space. Unlike forget, it writes no tombstones and does not
// overwrite free pages. Keeps what a user pinned, wrote or edited.
import type { Db } from "../db/driver.ts";
import { anyOf, raw, sql, type Sql } from "../db/sql.ts";
import { EDITED_BY_USER } from "./observations.ts";
import { deletePrompts } from "./prompts.ts";
import { family } from "./sessions.ts";
import { deleteToolUses } from "./tool-uses.ts";

export interface OldSession {
  id: number;
  session_id: string;
  project: string;
  last_at: number;
}

/** Sessions with evidence and no activity since `before`, oldest first. `except`: ids of projects to leave out. */
export function sessionsBefore(
  db: Db,
  before: number,
  { projectId, except = [] }: { projectId?: number; except?: readonly number[] } = {},
): OldSession[] {
  return db.all(sql`SELECT s.id, s.session_id, p.name AS project, s.last_at
    FROM sessions s JOIN projects p ON p.id = s.project_id
    WHERE s.parent_session_db_id IS NULL AND s.last_at < ${before} AND (${projectId} IS NULL OR s.project_id = ${projectId})
      AND s.project_id NOT IN ${anyOf(except)} AND s.status <> 'active'
      AND (EXISTS (SELECT 1 FROM prompts WHERE session_db_id = s.id)
        OR EXISTS (SELECT 1 FROM messages WHERE session_db_id = s.id)
        OR EXISTS (SELECT 1 FROM tool_uses WHERE session_db_id = s.id))
    ORDER BY s.last_at, s.id`);
}

/** False if, during a long purge, the session was continued, or was forgotten and its row id reused. */
export function isStillOld(db: Db, { id, session_id, last_at }: OldSession): boolean {
  return db.has(sql`SELECT 1 FROM sessions
    WHERE id = ${id} AND session_id = ${session_id} AND last_at = ${last_at} AND status <> 'active'`);
}

/**
 * Estimates the disk usage of a session's evidence: its texts, as much again for the full-text indexes, and 300 bytes
 * per row for its ids in five indexes. Rather too high than too low: a low estimate purges more sessions than needed.
 */
export function evidenceBytes(db: Db, sessionDbId: number): number {
  const bytes = (table: string, texts: string): Sql =>
    sql`(SELECT coalesce(sum(2 * (${raw(texts)}) + 300), 0) FROM ${raw(table)} WHERE session_db_id IN (${family(sessionDbId)}))`;
  return (
    db.value<number>(sql`SELECT ${bytes("prompts", "octet_length(text) + coalesce(octet_length(response), 0)")}
      + ${bytes("messages", "octet_length(text) + coalesce(octet_length(thinking), 0)")}
      + ${bytes("tool_uses", "octet_length(input) + coalesce(octet_length(output), octet_length(packed), 0)")}`) ?? 0
  );
}

/** Rows per step, which takes a few milliseconds. */
const BATCH = 100;

/**
 * Deletes a session's evidence. Keeps its observations and the summary of the whole session, without their evidence.
 * Must run in transactions (inBatches). The database is consistent after each step, and an interrupted purge continues
 * at the next one.
 */
export function* purgeEvidence(db: Db, sessionDbId: number): Generator<void, void> {
  const ofFamily = sql`session_db_id IN (${family(sessionDbId)})`;
  detachMemory(db, sessionDbId);
  yield;
  const toolUses = sql`SELECT id FROM tool_uses WHERE ${ofFamily}
    ORDER BY session_db_id, prompt_number, id LIMIT ${BATCH}`;
  while (deleteToolUses(db, toolUses) === BATCH) yield;
  const messages = sql`SELECT id FROM messages WHERE ${ofFamily} LIMIT ${BATCH}`;
  while (db.run(sql`DELETE FROM messages WHERE id IN (${messages})`).changes === BATCH) yield;
  deletePrompts(db, sql`SELECT id FROM prompts WHERE ${ofFamily}`);
  db.run(sql`UPDATE sessions SET prompt_count = 0 WHERE id IN (${family(sessionDbId)})`);
}

/** Runs first, so that a sync does not import the session again and kept rows do not refer to deleted ones. */
function detachMemory(db: Db, sessionDbId: number): void {
  const ofFamily = sql`session_db_id IN (${family(sessionDbId)})`;
  db.run(sql`DELETE FROM summaries WHERE ${ofFamily} AND prompt_number > 0`);
  db.run(sql`UPDATE observations SET evidence = '[]' WHERE ${ofFamily}`);
  db.run(sql`UPDATE summaries SET evidence = '[]' WHERE ${ofFamily}`);
  db.run(sql`UPDATE observations SET prompt_number = NULL WHERE ${ofFamily}`);
  // 0 means no turn. If the session is continued, its turns are numbered from 1 again.
  db.run(sql`UPDATE commits SET prompt_number = 0 WHERE ${ofFamily}`);
  db.run(sql`DELETE FROM file_snapshots WHERE ${ofFamily}`);
  db.run(sql`UPDATE sessions SET purged_at = last_at WHERE id IN (${family(sessionDbId)})`);
}

/** Whether evidence of the session from this time was purged, and must not be imported again. */
export function isPurged(db: Db, sessionId: string, at: number): boolean {
  return db.has(sql`SELECT 1 FROM sessions WHERE session_id = ${sessionId} AND purged_at >= ${at}`);
}

export interface MemoryScope {
  before: number;
  projectId?: number;
  except?: readonly number[];
}

function isOldMemory({ before, projectId, except = [] }: MemoryScope): Sql {
  return sql`valid_from < ${before} AND (${projectId} IS NULL OR project_id = ${projectId})
    AND coalesce(project_id, 0) NOT IN ${anyOf(except)} AND NOT ${EDITED_BY_USER}`;
}

export function countOldMemory(db: Db, scope: MemoryScope): number {
  return db.value<number>(sql`SELECT count(*) FROM observations WHERE ${isOldMemory(scope)}`) ?? 0;
}

/** Must run in a transaction. Returns the number of deleted observations. */
export function purgeMemory(db: Db, scope: MemoryScope): number {
  return db.run(sql`DELETE FROM observations WHERE ${isOldMemory(scope)}`).changes;
}
