// Finds relations between sessions: files changed by both, links, commits named by both, work on the same branch.
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";
import { isSession, type SessionRow } from "../tables/sessions.ts";

/** Sessions of the project that changed a file that this session changed. Includes the session itself. */
export function sharedChanges(
  db: Db,
  { id, project_id }: { id: number; project_id: number },
): { session_db_id: number; path: string }[] {
  return db.all(sql`WITH mine AS (
      SELECT DISTINCT f.path FROM sessions s JOIN file_touches f ON f.session_db_id = s.id
      WHERE (s.id = ${id} OR s.parent_session_db_id = ${id}) AND f.kind <> 'read')
    SELECT DISTINCT coalesce(s.parent_session_db_id, s.id) AS session_db_id, f.path
    FROM mine JOIN file_touches f ON f.path = mine.path JOIN sessions s ON s.id = f.session_db_id
    WHERE f.kind <> 'read' AND s.project_id = ${project_id}`);
}

export interface SessionLink {
  session_db_id: number;
  relationship: string;
  weight: number;
  /** 1 if the link is from the other session to this one. */
  is_incoming: number;
}

export function linkedSessions(db: Db, sessionId: string): SessionLink[] {
  return db.all(sql`SELECT s.id AS session_db_id, l.relationship, l.weight, 0 AS is_incoming
    FROM links l JOIN sessions s ON s.session_id = l.target_id
    WHERE l.source_type = 'session' AND l.source_id = ${sessionId} AND l.target_type = 'session'
    UNION
    SELECT s.id, l.relationship, l.weight, 1 FROM links l JOIN sessions s ON s.session_id = l.source_id
    WHERE l.target_type = 'session' AND l.target_id = ${sessionId} AND l.source_type = 'session'`);
}

/** For each term (a word stem from its first prompt) of this session: the other sessions of the project that have the same term. */
export function sharedTerms(
  db: Db,
  { session_id, project_id }: { session_id: string; project_id: number },
): { term: string; session_id: string }[] {
  return db.all(sql`SELECT own.target_id AS term, s.session_id FROM links own
      JOIN links l ON l.target_type = 'term' AND l.target_id = own.target_id AND l.source_type = 'session'
      JOIN sessions s ON s.session_id = l.source_id
    WHERE own.source_type = 'session' AND own.source_id = ${session_id} AND own.target_type = 'term'
      AND l.source_id <> ${session_id} AND s.project_id = ${project_id}
    ORDER BY own.id, s.last_at DESC`);
}

/** The sessions that fixed an error of this one, oldest first. */
export function fixingSessions(db: Db, sessionDbId: number): number[] {
  return db.column(sql`SELECT s.id FROM sessions own
    JOIN links l ON l.target_type = 'session' AND l.target_id = own.session_id
    JOIN sessions s ON s.session_id = l.source_id
    WHERE own.id = ${sessionDbId} AND l.source_type = 'session' AND l.relationship = 'fixes' ORDER BY s.started_at`);
}

/** The stored sessions that this one continues, highest weight first. */
export function continuedSessions(db: Db, sessionId: string): { session_id: string; weight: number }[] {
  return db.all(sql`SELECT s.session_id, l.weight FROM links l JOIN sessions s ON s.session_id = l.target_id
    WHERE l.source_type = 'session' AND l.source_id = ${sessionId} AND l.target_type = 'session' AND l.relationship = 'continues'
    ORDER BY l.weight DESC, s.started_at DESC`);
}

export interface SharedTarget {
  session_db_id: number;
  type: "commit" | "issue" | "url";
  target: string;
  /** "references" if the other session made the target, "mentions" if it only named it. */
  relationship: string;
  /** The same for this session. */
  own_relationship: string;
}

/** Targets with this many links or more are too common to relate sessions. */
const MAX_MENTIONS = 20;

/** Commits, issues and URLs that this session and another one name. */
export function sharedTargets(db: Db, sessionId: string): SharedTarget[] {
  return db.all(sql`SELECT DISTINCT s.id AS session_db_id, own.target_type AS type, own.target_id AS target,
      other.relationship, own.relationship AS own_relationship
    FROM links own
    JOIN links other ON other.target_type = own.target_type AND other.target_id = own.target_id AND other.source_type = 'session'
    JOIN sessions s ON s.session_id = other.source_id
    WHERE own.source_type = 'session' AND own.source_id = ${sessionId} AND own.target_type IN ('commit', 'issue', 'url')
      AND other.source_id <> ${sessionId}
      AND (SELECT count(*) FROM (SELECT 1 FROM links n
        WHERE n.target_type = own.target_type AND n.target_id = own.target_id LIMIT ${MAX_MENTIONS})) < ${MAX_MENTIONS}`);
}

/** Files that prompts of this session name and a session, also this one, changed; and the reverse (`is_incoming`). */
export function mentionedChanges(
  db: Db,
  { id, session_id, project_id }: { id: number; session_id: string; project_id: number },
): { session_db_id: number; path: string; is_incoming: number }[] {
  return db.all(sql`SELECT DISTINCT coalesce(s.parent_session_db_id, s.id) AS session_db_id, f.path, 0 AS is_incoming
    FROM links l JOIN file_touches f ON f.path = l.target_id JOIN sessions s ON s.id = f.session_db_id
    WHERE l.source_type = 'session' AND l.source_id = ${session_id} AND l.target_type = 'file' AND f.kind <> 'read'
      AND s.project_id = ${project_id}
    UNION
    SELECT DISTINCT s.id, f.path, 1
    FROM sessions own JOIN file_touches f ON f.session_db_id = own.id
    JOIN links l ON l.target_type = 'file' AND l.target_id = f.path JOIN sessions s ON s.session_id = l.source_id
    WHERE (own.id = ${id} OR own.parent_session_db_id = ${id}) AND f.kind <> 'read' AND s.project_id = ${project_id}`);
}

export function sessionsOnBranch(
  db: Db,
  { project_id, git_branch }: { project_id: number; git_branch: string },
  { from, to }: { from: number; to: number },
): Pick<SessionRow, "id" | "started_at" | "last_at">[] {
  return db.all(sql`SELECT id, started_at, last_at FROM sessions s
    WHERE project_id = ${project_id} AND git_branch = ${git_branch} AND ${isSession()}
      AND last_at >= ${from} AND started_at <= ${to}`);
}
