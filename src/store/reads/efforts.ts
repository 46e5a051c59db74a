// What efforts are made of: the sessions that go on with each other, what was decided in them, what they left open.
import type { Db } from "../db/driver.ts";

export interface EffortEdge {
  source: number;
  target: number;
}

/** Which session goes on with which, as far as that is sure enough. */
export function effortEdges(db: Db, minWeight: number): EffortEdge[] {
  return db.all(
    `SELECT x.id AS source, y.id AS target
     FROM links l JOIN sessions x ON x.session_id = l.source_id JOIN sessions y ON y.session_id = l.target_id
     WHERE l.relationship = 'continues' AND l.source_type = 'session' AND l.target_type = 'session' AND l.weight >= ?
       AND x.parent_session_db_id IS NULL AND y.parent_session_db_id IS NULL`,
    minWeight,
  );
}

export interface EffortMember {
  id: number;
  session_id: string;
  project_id: number;
  agent: string;
  started_at: number;
  last_at: number;
}

/** In the order they began. */
export function effortMembers(db: Db, ids: readonly number[]): EffortMember[] {
  return db.all(
    `SELECT id, session_id, project_id, agent, started_at, last_at FROM sessions
     WHERE id IN (SELECT value FROM json_each(?)) ORDER BY started_at, session_id`,
    JSON.stringify(ids),
  );
}

export function branchesOfSessions(db: Db, sessionIds: readonly string[]): string[] {
  const rows = db.all<{ branch: string }>(
    `SELECT DISTINCT target_id AS branch FROM links
     WHERE source_type = 'session' AND source_id IN (SELECT value FROM json_each(?)) AND target_type = 'branch'
     ORDER BY created_at, target_id`,
    JSON.stringify(sessionIds),
  );
  return rows.map(({ branch }) => branch);
}

export function countSubagents(db: Db, ids: readonly number[]): number {
  const row = db.get<{ n: number }>(
    "SELECT count(*) AS n FROM sessions WHERE parent_session_db_id IN (SELECT value FROM json_each(?))",
    JSON.stringify(ids),
  );
  return row?.n ?? 0;
}

export interface Decision {
  id: number;
  session_id: string;
  title: string;
  narrative: string;
  valid_from: number;
}

/** Decisions that still hold, the newest first. */
export function standingDecisions(db: Db, ids: readonly number[], limit: number): Decision[] {
  return db.all(
    `SELECT o.id, s.session_id, o.title, o.narrative, o.valid_from FROM observations o JOIN sessions s ON s.id = o.session_db_id
     WHERE o.session_db_id IN (SELECT value FROM json_each(?)) AND o.type = 'decision' AND o.is_current = 1 AND o.superseded_by IS NULL
     ORDER BY o.valid_from DESC, o.id DESC LIMIT ?`,
    JSON.stringify(ids),
    limit,
  );
}

export interface SessionOutcome {
  session_db_id: number;
  request: string;
  completed: string;
  next_steps: string;
}

export function outcomesOf(db: Db, ids: readonly number[]): SessionOutcome[] {
  return db.all(
    `SELECT session_db_id, request, completed, next_steps FROM summaries
     WHERE session_db_id IN (SELECT value FROM json_each(?)) AND prompt_number = 0 AND is_current = 1`,
    JSON.stringify(ids),
  );
}
