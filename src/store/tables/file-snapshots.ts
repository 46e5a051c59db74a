// file_snapshots: files an agent kept copies of because it changed them, once for each session.
import type { FileTouch } from "../../core/event.ts";
import type { Db } from "../db/driver.ts";

export interface FileSnapshot {
  sessionDbId: number;
  promptNumber: number;
  path: string;
  kind: FileTouch["kind"];
  backup: string | undefined;
  at: number;
}

export function insertFileSnapshot(db: Db, { sessionDbId, promptNumber, path, kind, backup, at }: FileSnapshot): void {
  db.run(
    `INSERT OR IGNORE INTO file_snapshots (session_db_id, prompt_number, path, kind, backup_version, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    sessionDbId,
    promptNumber,
    path,
    kind,
    backup ?? null,
    at,
  );
}

/** Of files whose tool uses go. */
export function deleteSnapshotsOf(db: Db, toolUseDbId: number): void {
  db.run(
    `DELETE FROM file_snapshots WHERE (session_db_id, path) IN (
       SELECT coalesce(s.parent_session_db_id, s.id), f.path FROM file_touches f JOIN sessions s ON s.id = f.session_db_id
       WHERE f.tool_use_db_id = ?)`,
    toolUseDbId,
  );
}

export function deleteSnapshotsWhere(db: Db, isGone: (root: string, path: string) => boolean): number {
  const rows = db.all<{ id: number; root: string; path: string }>(
    `SELECT f.id, p.root, f.path FROM file_snapshots f JOIN sessions s ON s.id = f.session_db_id JOIN projects p ON p.id = s.project_id`,
  );
  const gone = rows.filter(({ root, path }) => isGone(root, path));
  for (const { id } of gone) db.run("DELETE FROM file_snapshots WHERE id = ?", id);
  return gone.length;
}
