// sync_state: how far each transcript has been read, and the reader's state at that point.
import type { Db } from "../db/driver.ts";
import { and, sql, type Sql } from "../db/sql.ts";

export interface SyncState {
  path: string;
  agent: string;
  session_id: string;
  byte_offset: number;
  line: number;
  size: number;
  mtime: number;
  fingerprint: string;
  state: string;
}

export type SyncMark = Pick<SyncState, "size" | "mtime">;

const ofSession = (sessionId: string | undefined): Sql =>
  and(sessionId !== undefined && sql`session_id = ${sessionId}`);

/** The size and mtime of each file when it was last read, to detect new content. For all files or one session's. */
export function syncMarks(db: Db, sessionId?: string): Map<string, SyncMark> {
  const rows = db.all<SyncMark & { path: string }>(sql`SELECT path, size, mtime FROM sync_state
    WHERE ${ofSession(sessionId)}`);
  return new Map(rows.map((row) => [row.path, row]));
}

export function readSyncState(db: Db, path: string): SyncState | undefined {
  return db.get(sql`SELECT path, agent, session_id, byte_offset, line, size, mtime, fingerprint, state
    FROM sync_state WHERE path = ${path}`);
}

/** The states of readers that skipped an entirely private prompt. For all files or one session's. */
export function statesWithPrivatePrompts(db: Db, sessionId?: string): string[] {
  return db.column(sql`SELECT state FROM sync_state WHERE ${ofSession(sessionId)} AND instr(state, 'Ids":["') > 0`);
}

export function saveSyncState(db: Db, row: SyncState, malformed: number, at: number): void {
  db.run(sql`INSERT OR REPLACE INTO sync_state
      (path, agent, session_id, byte_offset, line, size, mtime, fingerprint, state, malformed, synced_at)
    VALUES (${row.path}, ${row.agent}, ${row.session_id}, ${row.byte_offset}, ${row.line}, ${row.size},
      ${row.mtime}, ${row.fingerprint}, ${row.state}, ${malformed}, ${at})`);
}

/** The transcripts of these sessions and of their forks, which begin with a copy of the session. */
export function transcriptPathsOf(db: Db, sessionIds: readonly string[]): string[] {
  return db.column(sql`WITH RECURSIVE copies(id) AS (
      SELECT value FROM json_each(${sessionIds})
      UNION SELECT s.session_id FROM copies JOIN sessions s ON s.forked_from = copies.id)
    SELECT path FROM sync_state WHERE session_id IN (SELECT id FROM copies)
    UNION SELECT transcript_path FROM sessions
      WHERE session_id IN (SELECT id FROM copies) AND transcript_path IS NOT NULL`);
}
