// file_snapshots: files that an agent copied before it changed them. One row per file and session.
import type { FileTouch } from "../../core/event.ts";
import type { Db } from "../db/driver.ts";
import { anyOf, sql } from "../db/sql.ts";
import type { TurnKey } from "./prompts.ts";

interface FileSnapshot extends TurnKey, Pick<FileTouch, "path" | "kind"> {
  /** The name of the copy. */
  name: string | undefined;
  at: number;
}

export function insertFileSnapshot(db: Db, { sessionDbId, promptNumber, path, kind, name, at }: FileSnapshot): void {
  db.run(sql`INSERT OR IGNORE INTO file_snapshots (session_db_id, prompt_number, path, kind, backup_version, created_at)
    VALUES (${sessionDbId}, ${promptNumber}, ${path}, ${kind}, ${name}, ${at})`);
}

/** Deletes the snapshots of the files that a tool use touched. */
export function deleteSnapshotsOf(db: Db, toolUseDbId: number): void {
  db.run(sql`DELETE FROM file_snapshots WHERE (session_db_id, path) IN (
    SELECT coalesce(s.parent_session_db_id, s.id), f.path FROM file_touches f JOIN sessions s ON s.id = f.session_db_id
    WHERE f.tool_use_db_id = ${toolUseDbId})`);
}

export function deleteSnapshotsWhere(db: Db, isDeleted: (root: string, path: string) => boolean): number {
  const rows = db.all<{ id: number; root: string; path: string }>(sql`SELECT f.id, p.root, f.path
    FROM file_snapshots f JOIN sessions s ON s.id = f.session_db_id JOIN projects p ON p.id = s.project_id`);
  const ids = rows.filter(({ root, path }) => isDeleted(root, path)).map(({ id }) => id);
  return db.run(sql`DELETE FROM file_snapshots WHERE id IN ${anyOf(ids)}`).changes;
}
