// What a session's links are made of: what it says and touches, and who before it said and touched the same.
import type { Db } from "../db/driver.ts";
import { outputOf } from "../tables/packed.ts";
import { LINK_WINDOW_MS } from "../tables/stale-links.ts";
import type { Target } from "../tables/links.ts";

export interface LinkedSession {
  id: number;
  session_id: string;
  project_id: number;
  remote: string | null;
  git_branch: string | null;
  plan: string | null;
  forked_from: string | null;
  started_at: number;
  last_at: number;
}

export function sessionToLink(db: Db, sessionDbId: number): LinkedSession | undefined {
  return db.get(
    `SELECT s.id, s.session_id, s.project_id, p.remote, s.git_branch, s.plan, s.forked_from, s.started_at, s.last_at
     FROM sessions s JOIN projects p ON p.id = s.project_id
     WHERE s.id = ? AND s.parent_session_db_id IS NULL AND s.prompt_count > 0`,
    sessionDbId,
  );
}

export interface EarlierSession {
  id: number;
  session_id: string;
  started_at: number;
  last_at: number;
  plan: string | null;
}

/** The conversations of the project that began before this one, the newest first. */
export function earlierSessions(db: Db, session: LinkedSession, limit: number): EarlierSession[] {
  return db.all(
    `SELECT id, session_id, started_at, last_at, plan FROM sessions
     WHERE project_id = ?1 AND started_at BETWEEN ?2 - ?3 AND ?2 AND (started_at < ?2 OR session_id < ?4)
       AND parent_session_db_id IS NULL AND prompt_count > 0
     ORDER BY started_at DESC, session_id DESC LIMIT ?5`,
    session.project_id,
    session.started_at,
    LINK_WINDOW_MS,
    session.session_id,
    limit,
  );
}

export interface Said {
  text: string;
  at: number;
}

export function promptTexts(db: Db, sessionDbId: number, limit: number): Said[] {
  return db.all(
    "SELECT text, created_at AS at FROM prompts WHERE session_db_id = ? ORDER BY prompt_number LIMIT ?",
    sessionDbId,
    limit,
  );
}

/** When the session was last heard of before that moment. */
export function lastHeardOf(db: Db, sessionDbId: number, before: number): number | undefined {
  const row = db.get<{ at: number | null }>(
    "SELECT max(min(coalesce(ended_at, created_at), ?2)) AS at FROM prompts WHERE session_db_id = ?1 AND created_at <= ?2",
    sessionDbId,
    before,
  );
  return row?.at ?? undefined;
}

export interface TouchedPath {
  path: string;
  is_changed: number;
}

/** What it changed first, then what it only read, subagents included. */
export function touchedPaths(db: Db, sessionDbId: number, limit: number): TouchedPath[] {
  return db.all(
    `SELECT f.path, max(f.kind <> 'read') AS is_changed FROM sessions s JOIN file_touches f ON f.session_db_id = s.id
     WHERE s.id = ?1 OR s.parent_session_db_id = ?1
     GROUP BY f.path ORDER BY is_changed DESC, min(f.created_at), f.path LIMIT ?2`,
    sessionDbId,
    limit,
  );
}

/** Rows of one file or target that are looked at, the newest first: what is met that often is not rare anyway. */
const MAX_ROWS = 400;

/** Conversations that changed the file before this one began. */
export function earlierChangers(db: Db, session: LinkedSession, path: string): number[] {
  const rows = db.all<{ id: number }>(
    `SELECT DISTINCT coalesce(s.parent_session_db_id, s.id) AS id
     FROM (SELECT session_db_id FROM file_touches
       WHERE path = ?1 AND kind <> 'read' AND created_at BETWEEN ?2 - ?3 AND ?2
       ORDER BY created_at DESC LIMIT ?4) f JOIN sessions s ON s.id = f.session_db_id
     WHERE s.project_id = ?5`,
    path,
    session.started_at,
    LINK_WINDOW_MS,
    MAX_ROWS,
    session.project_id,
  );
  return rows.map(({ id }) => id);
}

/** Sessions, by the agent's ids, that had the target by then: links carry the time it was named. */
export function earlierNamers(db: Db, session: LinkedSession, target: Target): string[] {
  const rows = db.all<{ source_id: string }>(
    `SELECT DISTINCT source_id FROM links
     WHERE target_type = ? AND target_id = ? AND created_at BETWEEN ? AND ? AND source_type = 'session'
     ORDER BY created_at DESC, source_id LIMIT ?`,
    target.type,
    target.id,
    session.started_at - LINK_WINDOW_MS,
    session.started_at,
    MAX_ROWS,
  );
  return rows.map(({ source_id }) => source_id);
}

export function commitsToLink(db: Db, sessionDbId: number): { sha: string; branch: string | null; at: number }[] {
  return db.all(
    "SELECT sha, branch, created_at AS at FROM commits WHERE session_db_id = ? ORDER BY created_at, id",
    sessionDbId,
  );
}

/** What was printed where a pull request or an issue was opened: the address of it. */
export function forgeOutputs(db: Db, sessionDbId: number, limit: number): Said[] {
  return db.all(
    `SELECT ${outputOf("t")} AS text, t.created_at AS at FROM sessions s JOIN tool_uses t ON t.session_db_id = s.id
     WHERE (s.id = ?1 OR s.parent_session_db_id = ?1) AND t.name = 'Bash' AND t.is_error = 0 AND coalesce(t.output, t.packed) IS NOT NULL
       AND (instr(t.input, 'gh pr create') > 0 OR instr(t.input, 'gh issue create') > 0 OR instr(t.input, 'glab mr create') > 0)
     ORDER BY t.created_at, t.id LIMIT ?2`,
    sessionDbId,
    limit,
  );
}

export function branchesOf(db: Db, sessionId: string): string[] {
  const rows = db.all<{ target_id: string }>(
    "SELECT target_id FROM links WHERE source_type = 'session' AND source_id = ? AND target_type = 'branch'",
    sessionId,
  );
  return rows.map(({ target_id }) => target_id);
}

/** Something came of it: a file was changed or a commit made. */
export function hasWork(db: Db, sessionDbId: number): boolean {
  const row = db.get<{ is: number }>(
    `SELECT EXISTS (SELECT 1 FROM commits WHERE session_db_id = ?1)
       OR EXISTS (SELECT 1 FROM sessions s JOIN file_touches f ON f.session_db_id = s.id AND f.kind <> 'read'
         WHERE s.id = ?1 OR s.parent_session_db_id = ?1) AS "is"`,
    sessionDbId,
  );
  return row?.is === 1;
}

export function isKnownSession(db: Db, sessionId: string): boolean {
  return (
    db.get("SELECT 1 FROM sessions WHERE session_id = ? AND parent_session_db_id IS NULL", sessionId) !== undefined
  );
}
