// file_touches by path: which files were changed lately, and how often.
import type { Db } from "../db/driver.ts";
import { type Scope, scopeCondition } from "./scope.ts";

export interface ChangedPath {
  path: string;
  project: string;
  project_key: string;
  sessions: number;
  added: number;
  removed: number;
  last_at: number;
}

/** What lies further back is found by its path. */
const NEWEST_TOUCHES = 50_000;

/** The latest changed first; `part` stands somewhere in the path. */
export function changedPaths(db: Db, part: string, scope: Scope, limit: number): ChangedPath[] {
  const { sql, params } = scopeCondition(scope);
  return db.all(
    `SELECT f.path, p.name AS project, p.key AS project_key,
       count(DISTINCT coalesce(s.parent_session_db_id, s.id)) AS sessions,
       coalesce(sum(f.added), 0) AS added, coalesce(sum(f.removed), 0) AS removed, max(f.created_at) AS last_at
     FROM (SELECT * FROM file_touches ORDER BY id DESC LIMIT ${NEWEST_TOUCHES}) f
     JOIN sessions s ON s.id = f.session_db_id JOIN projects p ON p.id = s.project_id
     WHERE f.kind <> 'read' AND instr(lower(f.path), lower(?)) > 0 AND ${sql}
     GROUP BY p.id, f.path ORDER BY last_at DESC LIMIT ?`,
    part,
    ...params,
    limit,
  );
}
