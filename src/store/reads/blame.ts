// Reads file_touches by path: known files, recently changed files, and the turns that touched a file.
import type { Db } from "../db/driver.ts";
import { sql, type Sql } from "../db/sql.ts";
import { isWithin, type Scope, scopeCondition } from "./scope.ts";

export interface KnownPath {
  path: string;
  project_id: number;
  project: string;
}

/** SQL: file touches, and file snapshots of files that no tool use of the session changed. */
const TOUCHES = sql`(
  SELECT f.session_db_id, t.prompt_number, f.path, f.kind, f.added, f.removed, f.backup_version, f.created_at
  FROM file_touches f JOIN tool_uses t ON t.id = f.tool_use_db_id
  UNION ALL
  SELECT n.session_db_id, n.prompt_number, n.path, n.kind, NULL, NULL, n.backup_version, n.created_at
  FROM file_snapshots n WHERE NOT EXISTS (
    SELECT 1 FROM file_touches e JOIN sessions c ON c.id = e.session_db_id
    WHERE e.path = n.path AND e.kind <> 'read' AND n.session_db_id IN (c.id, c.parent_session_db_id)))`;

const PATHS = sql`SELECT f.path, s.project_id, p.name AS project, max(f.created_at) AS last_at
  FROM ${TOUCHES} f JOIN sessions s ON s.id = f.session_db_id JOIN projects p ON p.id = s.project_id`;

export function knownPaths(db: Db, path: string, scope: Scope): KnownPath[] {
  return db.all(sql`${PATHS} WHERE f.path = ${path} AND ${scopeCondition(scope)}
    GROUP BY s.project_id ORDER BY last_at DESC`);
}

/** Paths that end in this one ("a.ts" matches "src/a.ts" and not "data.ts"), last touched first. */
export function pathsEndingIn(db: Db, end: string, scope: Scope, limit: number): KnownPath[] {
  return db.all(sql`${PATHS} WHERE substr(f.path, -length(${`/${end}`})) = ${`/${end}`} AND ${scopeCondition(scope)}
    GROUP BY s.project_id, f.path ORDER BY last_at DESC LIMIT ${limit}`);
}

export interface BlameRow {
  session_id: string;
  parent_session_id: string | null;
  /** The conversation, also if a subagent touched the file. */
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
  /** The name of the agent's file snapshot from before the turn. */
  backup: string | null;
  first_at: number;
  last_at: number;
}

interface BlameOptions {
  reads: boolean;
  limit: number;
}

/** One row for each turn that touched the file, newest first. Subagents have their own rows. */
export function touchesOfPath(db: Db, file: KnownPath, scope: Scope, options: BlameOptions): BlameRow[] {
  return touchesWhere(db, sql`f.path = ${file.path} AND s.project_id = ${file.project_id}`, scope, options);
}

/** Like touchesOfPath, for all files in a folder and its subfolders. "." is the root of the project. */
export function touchesInFolder(db: Db, folder: string, scope: Scope, options: BlameOptions): BlameRow[] {
  const condition =
    folder === "."
      ? sql`f.path NOT GLOB '/*' AND f.path NOT GLOB '[A-Z]:/*'`
      : // The index can seek this range. "0" is the character after "/".
        sql`f.path >= ${folder} || '/' AND f.path < ${folder} || '0'`;
  return touchesWhere(db, condition, scope, options);
}

/** Like touchesInFolder, for every folder with this name, wherever it is. */
export function touchesInFoldersNamed(db: Db, name: string, scope: Scope, options: BlameOptions): BlameRow[] {
  return touchesWhere(db, sql`instr('/' || f.path, ${`/${name}/`}) > 0`, scope, options);
}

function touchesWhere(db: Db, condition: Sql, scope: Scope, options: BlameOptions): BlameRow[] {
  return db.all(sql`SELECT s.session_id, parent.session_id AS parent_session_id, main.id AS main_session_db_id, s.agent,
      main.title, f.prompt_number, q.id AS prompt_db_id, q.text AS prompt, f.path, p.name AS project,
      sum(f.kind = 'read') AS reads, sum(f.kind = 'edit') AS edits, sum(f.kind = 'create') AS creates,
      coalesce(sum(f.added), 0) AS added, coalesce(sum(f.removed), 0) AS removed,
      min(f.backup_version) AS backup, min(f.created_at) AS first_at, max(f.created_at) AS last_at
    FROM ${TOUCHES} f JOIN sessions s ON s.id = f.session_db_id
    JOIN projects p ON p.id = s.project_id
    LEFT JOIN sessions parent ON parent.id = s.parent_session_db_id
    JOIN sessions main ON main.id = coalesce(s.parent_session_db_id, s.id)
    LEFT JOIN prompts q ON q.session_db_id = main.id AND q.prompt_number = f.prompt_number
    WHERE ${condition} AND ${scopeCondition(scope)} AND ${isWithin(sql`f.created_at`, scope)}
    GROUP BY s.id, f.prompt_number, f.path HAVING ${options.reads} OR edits + creates > 0
    ORDER BY last_at DESC, f.path LIMIT ${options.limit}`);
}

export interface ChangedPath {
  path: string;
  project: string;
  project_key: string;
  sessions: number;
  added: number;
  removed: number;
  last_at: number;
}

/** Touches that are scanned: a part of a path cannot be looked up in the index. */
const NEWEST_TOUCHES = 50_000;

/** Changed files whose path contains `part`, last changed first. */
export function changedPaths(db: Db, part: string, scope: Scope, limit: number): ChangedPath[] {
  return db.all(sql`SELECT f.path, p.name AS project, p.key AS project_key,
      count(DISTINCT coalesce(s.parent_session_db_id, s.id)) AS sessions,
      coalesce(sum(f.added), 0) AS added, coalesce(sum(f.removed), 0) AS removed, max(f.created_at) AS last_at
    FROM (SELECT * FROM file_touches ORDER BY id DESC LIMIT ${NEWEST_TOUCHES}) f
    JOIN sessions s ON s.id = f.session_db_id JOIN projects p ON p.id = s.project_id
    WHERE f.kind <> 'read' AND instr(lower(f.path), lower(${part})) > 0 AND ${scopeCondition(scope)}
    GROUP BY p.id, f.path ORDER BY last_at DESC LIMIT ${limit}`);
}
