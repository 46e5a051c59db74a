// Deletes old evidence and old memory to free disk space. Unlike forgetting, it leaves no tombstones and does not overwrite
// free pages. What a person pinned, wrote or changed stays.
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

/** Sessions with evidence that ended before a time, oldest first. Of one project, or of all but some. */
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

/** During a long purge a session may be continued, or be forgotten and its id given to another. */
export function isStillOld(db: Db, { id, session_id, last_at }: OldSession): boolean {
  return db.has(sql`SELECT 1 FROM sessions
    WHERE id = ${id} AND session_id = ${session_id} AND last_at = ${last_at} AND status <> 'active'`);
}

/**
 * Estimates the bytes of a session's evidence: indexes take about as much again as the texts, and each row 300 bytes for
 * its ids in five indexes. Estimates high, because a low estimate purges more sessions than needed.
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

/** Rows per step: a few milliseconds. */
const BATCH = 100;

/**
 * Must run in transactions (inBatches); the store is consistent after each step. Interrupted, the session still has
 * evidence, and the next purge continues. Observations and the session's own summary stay, without their evidence.
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

/** Runs first: from now on a sync does not restore the session, and kept rows do not refer to deleted ones. */
function detachMemory(db: Db, sessionDbId: number): void {
  const ofFamily = sql`session_db_id IN (${family(sessionDbId)})`;
  db.run(sql`DELETE FROM summaries WHERE ${ofFamily} AND prompt_number > 0`);
  db.run(sql`UPDATE observations SET evidence = '[]' WHERE ${ofFamily}`);
  db.run(sql`UPDATE summaries SET evidence = '[]' WHERE ${ofFamily}`);
  db.run(sql`UPDATE observations SET prompt_number = NULL WHERE ${ofFamily}`);
  // 0, no turn: if the session is continued, its turns are counted from 1.
  db.run(sql`UPDATE commits SET prompt_number = 0 WHERE ${ofFamily}`);
  db.run(sql`DELETE FROM file_snapshots WHERE ${ofFamily}`);
  db.run(sql`UPDATE sessions SET purged_at = last_at WHERE id IN (${family(sessionDbId)})`);
}

/** Evidence of the session from before this time was purged: its absence is intended. */
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
