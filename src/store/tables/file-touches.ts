// file_touches: which tool use read, edited or created which file.
import type { FileTouch } from "../../core/event.ts";
import type { Db } from "../db/driver.ts";

export function insertFileTouch(
  db: Db,
  touch: FileTouch & { sessionDbId: number; toolUseDbId: number; at: number },
): void {
  db.run(
    `INSERT OR IGNORE INTO file_touches (session_db_id, tool_use_db_id, path, kind, added, removed, backup_version, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    touch.sessionDbId,
    touch.toolUseDbId,
    touch.path,
    touch.kind,
    touch.added ?? null,
    touch.removed ?? null,
    touch.backup ?? null,
    touch.at,
  );
}

/** Hooks do not know of the agent's own copies: the transcript tells of them afterwards. */
export function noteBackup(
  db: Db,
  touch: { sessionDbId: number; toolUseId: string; path: string; backup: string },
): void {
  db.run(
    `UPDATE file_touches SET backup_version = ? WHERE path = ? AND backup_version IS NULL
     AND tool_use_db_id = (SELECT id FROM tool_uses WHERE session_db_id = ? AND tool_use_id = ?)`,
    touch.backup,
    touch.path,
    touch.sessionDbId,
    touch.toolUseId,
  );
}

export interface ChangedFile {
  path: string;
  created: number;
  added: number;
  removed: number;
  last_at: number;
}

/** What a session and its subagents changed, most recently changed first. */
export function changedFiles(db: Db, sessionDbId: number): ChangedFile[] {
  return db.all(
    `SELECT f.path, max(f.kind = 'create') AS created, coalesce(sum(f.added), 0) AS added,
       coalesce(sum(f.removed), 0) AS removed, max(f.created_at) AS last_at
     FROM file_touches f
     WHERE f.session_db_id IN (SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1)
       AND f.kind IN ('edit', 'create')
     GROUP BY f.path ORDER BY last_at DESC`,
    sessionDbId,
  );
}

export function changedPathsBetween(db: Db, sessionDbId: number, from: number, to: number): string[] {
  const rows = db.all<{ path: string }>(
    `SELECT DISTINCT path FROM file_touches
     WHERE session_db_id IN (SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1)
       AND kind IN ('edit', 'create') AND created_at BETWEEN ?2 AND ?3
     ORDER BY created_at`,
    sessionDbId,
    from,
    to,
  );
  return rows.map((row) => row.path);
}

export interface TouchRow {
  tool_use_db_id: number;
  path: string;
  kind: FileTouch["kind"];
  added: number | null;
  removed: number | null;
}
