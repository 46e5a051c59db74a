// file_touches read from the file's side: which paths there are, and which turns touched one.
import type { Db } from "./driver.ts";
import { type Scope, scopeCondition } from "./scope.ts";

export interface KnownPath {
  path: string;
  project_id: number;
  project: string;
}

const PATHS = `SELECT f.path, s.project_id, p.name AS project, max(f.created_at) AS last_at
  FROM file_touches f JOIN sessions s ON s.id = f.session_db_id JOIN projects p ON p.id = s.project_id`;

export function knownPath(db: Db, path: string, scope: Scope): KnownPath[] {
  const { sql, params } = scopeCondition(scope);
  return db.all(`${PATHS} WHERE f.path = ? AND ${sql} GROUP BY s.project_id ORDER BY last_at DESC`, path, ...params);
}

/** Paths that end in this one, at a folder's border, the latest touched first. */
export function pathsEndingIn(db: Db, end: string, scope: Scope, limit: number): KnownPath[] {
  const { sql, params } = scopeCondition(scope);
  return db.all(
    `${PATHS} WHERE substr(f.path, -length(?)) = ? AND ${sql}
     GROUP BY s.project_id, f.path ORDER BY last_at DESC LIMIT ?`,
    `/${end}`,
    `/${end}`,
    ...params,
    limit,
  );
}

export interface BlameRow {
  session_id: string;
  parent_session_id: string | null;
  /** The conversation, also for a subagent's. */
  main_session_db_id: number;
  agent: string;
  title: string | null;
  prompt_number: number;
  prompt_db_id: number | null;
  prompt: string | null;
  path: string;
  project: string;
  reads: number;
  edits: number;
  creates: number;
  added: number;
  removed: number;
  /** The agent's copy of the file from before the turn. */
  backup: string | null;
  first_at: number;
  last_at: number;
}

/** One row for each turn (and subagent in it) that touched the file, newest first. */
export function touchesOfPath(
  db: Db,
  file: KnownPath,
  scope: Scope,
  options: { reads: boolean; limit: number },
): BlameRow[] {
  const { sql, params } = scopeCondition(scope);
  return db.all(
    `SELECT s.session_id, parent.session_id AS parent_session_id, main.id AS main_session_db_id, s.agent, main.title, t.prompt_number,
       q.id AS prompt_db_id, q.text AS prompt, f.path, p.name AS project,
       sum(f.kind = 'read') AS reads, sum(f.kind = 'edit') AS edits, sum(f.kind = 'create') AS creates,
       coalesce(sum(f.added), 0) AS added, coalesce(sum(f.removed), 0) AS removed,
       min(f.backup_version) AS backup, min(f.created_at) AS first_at, max(f.created_at) AS last_at
     FROM file_touches f JOIN tool_uses t ON t.id = f.tool_use_db_id JOIN sessions s ON s.id = f.session_db_id
     JOIN projects p ON p.id = s.project_id
     LEFT JOIN sessions parent ON parent.id = s.parent_session_db_id
     JOIN sessions main ON main.id = coalesce(s.parent_session_db_id, s.id)
     LEFT JOIN prompts q ON q.session_db_id = main.id AND q.prompt_number = t.prompt_number
     WHERE f.path = ? AND s.project_id = ? AND ${sql} AND f.created_at >= ? AND f.created_at < ?
     GROUP BY s.id, t.prompt_number HAVING ? OR edits + creates > 0
     ORDER BY last_at DESC LIMIT ?`,
    file.path,
    file.project_id,
    ...params,
    scope.since ?? 0,
    scope.before ?? Number.MAX_SAFE_INTEGER,
    Number(options.reads),
    options.limit,
  );
}
