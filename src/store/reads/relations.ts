// What ties sessions together: files both changed, links between them, commits both name, a branch at about the same time.
import type { Db } from "../db/driver.ts";
import { isSession } from "./what-counts.ts";

/** Every conversation of the project that changed a file this one changed too, itself included. */
export function sharedChanges(
  db: Db,
  session: { id: number; project_id: number },
): { session_db_id: number; path: string }[] {
  return db.all(
    `WITH mine AS (
       SELECT DISTINCT f.path FROM sessions s JOIN file_touches f ON f.session_db_id = s.id
       WHERE (s.id = ?1 OR s.parent_session_db_id = ?1) AND f.kind <> 'read')
     SELECT DISTINCT coalesce(s.parent_session_db_id, s.id) AS session_db_id, f.path
     FROM mine JOIN file_touches f ON f.path = mine.path JOIN sessions s ON s.id = f.session_db_id
     WHERE f.kind <> 'read' AND s.project_id = ?2`,
    session.id,
    session.project_id,
  );
}

export interface SessionLink {
  session_db_id: number;
  relationship: string;
  weight: number;
  /** True where the other session points at this one. */
  is_incoming: number;
}

export function linkedSessions(db: Db, sessionId: string): SessionLink[] {
  return db.all(
    `SELECT s.id AS session_db_id, l.relationship, l.weight, 0 AS is_incoming FROM links l JOIN sessions s ON s.session_id = l.target_id
     WHERE l.source_type = 'session' AND l.source_id = ?1 AND l.target_type = 'session'
     UNION
     SELECT s.id, l.relationship, l.weight, 1 FROM links l JOIN sessions s ON s.session_id = l.source_id
     WHERE l.target_type = 'session' AND l.target_id = ?1 AND l.source_type = 'session'`,
    sessionId,
  );
}

/** The terms of this session, each with the other conversations of its project that have it. */
export function sharedTerms(
  db: Db,
  session: { session_id: string; project_id: number },
): { term: string; session_id: string }[] {
  return db.all(
    `SELECT own.target_id AS term, s.session_id FROM links own
       JOIN links l ON l.target_type = 'term' AND l.target_id = own.target_id AND l.source_type = 'session'
       JOIN sessions s ON s.session_id = l.source_id
     WHERE own.source_type = 'session' AND own.source_id = ?1 AND own.target_type = 'term'
       AND l.source_id <> ?1 AND s.project_id = ?2
     ORDER BY own.id, s.last_at DESC`,
    session.session_id,
    session.project_id,
  );
}

/** The sessions that ended an error of this one, the first first. */
export function fixingSessions(db: Db, sessionDbId: number): number[] {
  const rows = db.all<{ id: number }>(
    `SELECT s.id FROM sessions own JOIN links l ON l.target_type = 'session' AND l.target_id = own.session_id
     JOIN sessions s ON s.session_id = l.source_id
     WHERE own.id = ? AND l.source_type = 'session' AND l.relationship = 'fixes' ORDER BY s.started_at`,
    sessionDbId,
  );
  return rows.map(({ id }) => id);
}

/** What this one goes on with and is known, the surest first. */
export function continuedSessions(db: Db, sessionId: string): { session_id: string; weight: number }[] {
  return db.all(
    `SELECT s.session_id, l.weight FROM links l JOIN sessions s ON s.session_id = l.target_id
     WHERE l.source_type = 'session' AND l.source_id = ? AND l.target_type = 'session' AND l.relationship = 'continues'
     ORDER BY l.weight DESC, s.started_at DESC`,
    sessionId,
  );
}

export interface SharedTarget {
  session_db_id: number;
  type: "commit" | "issue" | "url";
  target: string;
  /** How the other session has it: what it made is "references", what it names "mentions". */
  relationship: string;
  own_relationship: string;
}

/** What many sessions name ties none of them together. */
const MAX_NAMERS = 20;

/** Commits, issues and addresses both name. */
export function sharedTargets(db: Db, sessionId: string): SharedTarget[] {
  return db.all(
    `SELECT DISTINCT s.id AS session_db_id, own.target_type AS type, own.target_id AS target, other.relationship,
       own.relationship AS own_relationship
     FROM links own
     JOIN links other ON other.target_type = own.target_type AND other.target_id = own.target_id AND other.source_type = 'session'
     JOIN sessions s ON s.session_id = other.source_id
     WHERE own.source_type = 'session' AND own.source_id = ?1 AND own.target_type IN ('commit', 'issue', 'url') AND other.source_id <> ?1
       AND (SELECT count(*) FROM (SELECT 1 FROM links n WHERE n.target_type = own.target_type AND n.target_id = own.target_id LIMIT ?2)) < ?2`,
    sessionId,
    MAX_NAMERS,
  );
}

/** Files this session's prompts name and others changed, and the other way round. */
export function mentionedChanges(
  db: Db,
  session: { id: number; session_id: string; project_id: number },
): { session_db_id: number; path: string; is_incoming: number }[] {
  return db.all(
    `SELECT DISTINCT coalesce(s.parent_session_db_id, s.id) AS session_db_id, f.path, 0 AS is_incoming
     FROM links l JOIN file_touches f ON f.path = l.target_id JOIN sessions s ON s.id = f.session_db_id
     WHERE l.source_type = 'session' AND l.source_id = ?2 AND l.target_type = 'file' AND f.kind <> 'read' AND s.project_id = ?3
     UNION
     SELECT DISTINCT s.id, f.path, 1
     FROM sessions own JOIN file_touches f ON f.session_db_id = own.id
     JOIN links l ON l.target_type = 'file' AND l.target_id = f.path JOIN sessions s ON s.session_id = l.source_id
     WHERE (own.id = ?1 OR own.parent_session_db_id = ?1) AND f.kind <> 'read' AND s.project_id = ?3`,
    session.id,
    session.session_id,
    session.project_id,
  );
}

export interface NearSession {
  id: number;
  started_at: number;
  last_at: number;
}

export function sessionsOnBranch(
  db: Db,
  session: { project_id: number; git_branch: string },
  span: { from: number; to: number },
): NearSession[] {
  return db.all(
    `SELECT id, started_at, last_at FROM sessions s
     WHERE project_id = ? AND git_branch = ? AND ${isSession()} AND last_at >= ? AND started_at <= ?`,
    session.project_id,
    session.git_branch,
    span.from,
    span.to,
  );
}

export function countConversations(db: Db, projectId: number): number {
  const row = db.get<{ count: number }>(
    `SELECT count(*) AS count FROM sessions s WHERE project_id = ? AND ${isSession()}`,
    projectId,
  );
  return row?.count ?? 0;
}
