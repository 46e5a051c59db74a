// file_touches: files that a tool use read, edited or created.
import type { FileTouch } from "../../core/event.ts";
import { isScratchPath } from "../../core/scratch-path.ts";
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";
import { family } from "./sessions.ts";

export function insertFileTouch(
  db: Db,
  touch: FileTouch & { sessionDbId: number; toolUseDbId: number; at: number },
): void {
  db.run(sql`INSERT OR IGNORE INTO file_touches
      (session_db_id, tool_use_db_id, path, kind, added, removed, backup_version, created_at)
    VALUES (${touch.sessionDbId}, ${touch.toolUseDbId}, ${touch.path}, ${touch.kind}, ${touch.added}, ${touch.removed},
      ${touch.backup}, ${touch.at})`);
}

/** Adds the name of the agent's file snapshot. Only the transcript has it, which is read after the hook's event. */
export function setSnapshotName(
  db: Db,
  { sessionDbId, toolUseId, path, name }: { sessionDbId: number; toolUseId: string; path: string; name: string },
): void {
  db.run(sql`UPDATE file_touches SET backup_version = ${name} WHERE path = ${path} AND backup_version IS NULL
    AND tool_use_db_id = (SELECT id FROM tool_uses WHERE session_db_id = ${sessionDbId} AND tool_use_id = ${toolUseId})`);
}

export interface ChangedFile {
  path: string;
  created: number;
  added: number;
  removed: number;
  last_at: number;
}

/** Files that a session and its subagents changed, last changed first. Without temporary files and agents' own notes. */
export function changedFiles(db: Db, sessionDbId: number): ChangedFile[] {
  const files = db.all<ChangedFile>(sql`SELECT path, max(kind = 'create') AS created, coalesce(sum(added), 0) AS added,
      coalesce(sum(removed), 0) AS removed, max(created_at) AS last_at
    FROM file_touches WHERE session_db_id IN (${family(sessionDbId)}) AND kind IN ('edit', 'create')
    GROUP BY path ORDER BY last_at DESC`);
  return files.filter(({ path }) => !isScratchPath(path));
}

export function changedPathsBetween(db: Db, sessionDbId: number, from: number, to: number): string[] {
  return db.column(sql`SELECT DISTINCT path FROM file_touches WHERE session_db_id IN (${family(sessionDbId)})
    AND kind IN ('edit', 'create') AND created_at BETWEEN ${from} AND ${to} ORDER BY created_at`);
}

export interface TouchRow {
  tool_use_db_id: number;
  path: string;
  kind: FileTouch["kind"];
  added: number | null;
  removed: number | null;
}

/** How many sessions of the project changed the file after this time. */
export function sessionsThatChanged(db: Db, path: string, projectId: number | null, after: number): number {
  return db.value(sql`SELECT count(DISTINCT coalesce(s.parent_session_db_id, s.id))
    FROM file_touches f JOIN sessions s ON s.id = f.session_db_id
    WHERE f.path = ${path} AND f.kind <> 'read' AND f.created_at > ${after} AND s.project_id IS ${projectId}`) as number;
}
