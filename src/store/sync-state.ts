// sync_state: how far each transcript has been read, and what the reader held in mind there.
import type { Db } from "./driver.ts";

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

/** What each file was like when it was read last: enough to tell that nothing is new. */
export function syncMarks(db: Db): Map<string, SyncMark> {
  const rows = db.all<SyncMark & { path: string }>("SELECT path, size, mtime FROM sync_state");
  return new Map(rows.map(({ path, size, mtime }) => [path, { size, mtime }]));
}

export function readSyncState(db: Db, path: string): SyncState | undefined {
  return db.get(
    "SELECT path, agent, session_id, byte_offset, line, size, mtime, fingerprint, state FROM sync_state WHERE path = ?",
    path,
  );
}

/** The few states whose reader has met a wholly private prompt. */
export function privateStates(db: Db): string[] {
  return db
    .all<{ state: string }>(`SELECT state FROM sync_state WHERE instr(state, 'Ids":["') > 0`)
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
