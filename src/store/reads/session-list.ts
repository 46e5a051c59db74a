// Lists sessions, and finds them by the beginning of their id.
import type { Db } from "../db/driver.ts";
import { anyOf, sql } from "../db/sql.ts";
import { type Scope, scopeCondition } from "./scope.ts";
import { isSession, type SessionRow } from "../tables/sessions.ts";

export interface SessionEntry extends SessionRow {
  parent_session_id: string | null;
  parent_session_db_id: number | null;
  project_id: number;
  project: string;
  project_key: string;
  subtitle: string | null;
  tool_uses: number;
  files_changed: number;
  model: string | null;
  version: string | null;
  cwd: string;
  /** A subagent's last message. */
  report: string | null;
}

const ENTRY = sql`SELECT s.id, s.session_id, parent.session_id AS parent_session_id, s.parent_session_db_id,
    s.project_id, s.agent, p.name AS project, p.key AS project_key,
    s.title, s.subtitle, s.status, s.prompt_count, s.model, s.version, s.git_branch, s.cwd, s.transcript_path,
    s.report, s.started_at, s.last_at,
    (SELECT count(*) FROM sessions c JOIN tool_uses t ON t.session_db_id = c.id
      WHERE c.id = s.id OR c.parent_session_db_id = s.id) AS tool_uses,
    (SELECT count(DISTINCT f.path) FROM sessions c JOIN file_touches f ON f.session_db_id = c.id
      WHERE (c.id = s.id OR c.parent_session_db_id = s.id) AND f.kind <> 'read') AS files_changed
  FROM sessions s JOIN projects p ON p.id = s.project_id LEFT JOIN sessions parent ON parent.id = s.parent_session_db_id`;

/** Sessions with at least one prompt, newest first, without subagents. */
export function listSessions(db: Db, scope: Scope, limit: number, offset = 0): SessionEntry[] {
  // Selects ids first, so that ENTRY counts rows only for the listed sessions.
  return db.all(sql`${ENTRY} WHERE s.id IN (
      SELECT s.id FROM sessions s WHERE ${scopeCondition(scope)} AND ${isSession()}
      ORDER BY s.last_at DESC, s.id DESC LIMIT ${limit} OFFSET ${offset})
    ORDER BY s.last_at DESC, s.id DESC`);
}

export type SessionName = Pick<SessionEntry, "id" | "title" | "subtitle" | "git_branch">;

/** The names of sessions, newest first. `parts`: only names that contain at least one of these texts. */
export function sessionNames(db: Db, scope: Scope, options: { limit: number; parts?: string[] }): SessionName[] {
  return db.all(sql`SELECT s.id, s.title, s.subtitle, s.git_branch FROM sessions s
    WHERE ${scopeCondition(scope)} AND ${isSession()}
      AND (${options.parts === undefined} OR EXISTS (SELECT 1 FROM json_each(${options.parts ?? []}) WHERE
        instr(lower(concat_ws(' ', s.title, s.subtitle, s.git_branch)), value) > 0))
    ORDER BY s.last_at DESC LIMIT ${options.limit}`);
}

/** In the order of the ids. */
export function sessionsByIds(db: Db, ids: readonly number[]): SessionEntry[] {
  const rows = db.all<SessionEntry>(sql`${ENTRY} WHERE s.id IN ${anyOf(ids)}`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Finds a session by its id or the beginning of it. Returns several if the beginning is ambiguous. */
export function sessionsByPrefix(db: Db, prefix: string, limit = 5): SessionEntry[] {
  const whole = db.all<SessionEntry>(sql`${ENTRY} WHERE s.session_id = ${prefix}`);
  if (whole.length > 0) return whole;
  return db.all(sql`${ENTRY} WHERE substr(s.session_id, 1, length(${prefix})) = ${prefix}
    ORDER BY s.last_at DESC LIMIT ${limit}`);
}

export function subagentsOf(db: Db, sessionDbId: number): SessionEntry[] {
  return db.all(sql`${ENTRY} WHERE s.parent_session_db_id = ${sessionDbId} ORDER BY s.started_at, s.id`);
}

/** The agents that have sessions, the most used first. */
export function listAgents(db: Db): string[] {
  return db.column(sql`SELECT agent FROM sessions s WHERE ${isSession()} GROUP BY agent ORDER BY count(*) DESC`);
}

/** For tab completion: ids that begin with `prefix`, newest first. Faster than listSessions, which also counts rows. */
export function recentSessionIds(
  db: Db,
  prefix: string,
  limit: number,
): Pick<SessionRow, "session_id" | "title" | "last_at">[] {
  return db.all(sql`SELECT session_id, title, last_at FROM sessions s
    WHERE ${isSession()} AND substr(session_id, 1, length(${prefix})) = ${prefix} ORDER BY last_at DESC LIMIT ${limit}`);
}
