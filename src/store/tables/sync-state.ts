// sync_state: how far each transcript has been read, and what the reader held in mind there.
import type { Db } from "../db/driver.ts";

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

export interface SyncMark {
  size: number;
  mtime: number;
}

/** What each file was like when it was read last: enough to tell that nothing is new. Of all files, or one session's. */
export function syncMarks(db: Db, sessionId?: string): Map<string, SyncMark> {
  const rows = db.all<SyncMark & { path: string }>(
    `SELECT path, size, mtime FROM sync_state ${sessionId === undefined ? "" : "WHERE session_id = ?"}`,
    ...(sessionId === undefined ? [] : [sessionId]),
  );
  return new Map(rows.map((row) => [row.path, row]));
}

export function readSyncState(db: Db, path: string): SyncState | undefined {
  return db.get(
    "SELECT path, agent, session_id, byte_offset, line, size, mtime, fingerprint, state FROM sync_state WHERE path = ?",
    path,
  );
}

/** The few states whose reader has met a wholly private prompt. Of all files, or one session's. */
export function privateStates(db: Db, sessionId?: string): string[] {
  return db
    .all<{ state: string }>(
      `SELECT state FROM sync_state WHERE ${sessionId === undefined ? "" : "session_id = ? AND"} instr(state, 'Ids":["') > 0`,
      ...(sessionId === undefined ? [] : [sessionId]),
    )
    .map((row) => row.state);
}

export function saveSyncState(db: Db, row: SyncState, malformed: number, at: number): void {
  db.run(
    `INSERT OR REPLACE INTO sync_state
       (path, agent, session_id, byte_offset, line, size, mtime, fingerprint, state, malformed, synced_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.path,
    row.agent,
    row.session_id,
    row.byte_offset,
    row.line,
    row.size,
    row.mtime,
    row.fingerprint,
    row.state,
    malformed,
    at,
  );
}

/** The files that these sessions were read from, or that their agent said it writes; and those of forks, which begin with a copy. */
export function sourcesOf(db: Db, sessionIds: readonly string[]): string[] {
  const rows = db.all<{ path: string }>(
    `WITH RECURSIVE told(id) AS (SELECT value FROM json_each(?) UNION SELECT s.session_id FROM told JOIN sessions s ON s.forked_from = told.id)
     SELECT path FROM sync_state WHERE session_id IN (SELECT id FROM told)
     UNION SELECT transcript_path FROM sessions WHERE session_id IN (SELECT id FROM told) AND transcript_path IS NOT NULL`,
    JSON.stringify(sessionIds),
  );
  return rows.map((row) => row.path);
}
