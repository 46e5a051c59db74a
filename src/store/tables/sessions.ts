// sessions: one row per conversation, and one per subagent below it.
import type { Db } from "../db/driver.ts";
import { remembered } from "../fts/query-cache.ts";
import { markLinksStale } from "./stale-links.ts";
import { markTurnEnded } from "./stale-turns.ts";
import { isSession } from "../reads/what-counts.ts";

export interface SessionSeed {
  sessionId: string;
  agent: string;
  projectId: number;
  parentId?: number | undefined;
  subtitle?: string | undefined;
  cwd: string;
  branch?: string | undefined;
  transcriptPath?: string | undefined;
  version?: string | undefined;
  at: number;
}

export interface UpsertedSession {
  id: number;
  projectId: number;
  /** The newest that is known of it: of what is older, only what was not known yet has been noted. */
  lastAt: number;
  /** What was reported up to then was taken out to save room. */
  purgedAt: number | null;
}

/** Creates the session or notes that it was seen again; times only ever widen, so order of arrival does not matter. */
export function upsertSession(db: Db, seed: SessionSeed): UpsertedSession {
  const row = db.get<UpsertedSession>(
    `INSERT INTO sessions
       (session_id, agent, project_id, parent_session_db_id, subtitle, cwd, git_branch, transcript_path, version, started_at, last_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10)
     ON CONFLICT (session_id) DO UPDATE SET
       git_branch = CASE WHEN excluded.last_at >= last_at THEN coalesce(excluded.git_branch, git_branch) ELSE git_branch END,
       transcript_path = coalesce(transcript_path, excluded.transcript_path),
       version = coalesce(version, excluded.version),
       parent_session_db_id = coalesce(parent_session_db_id, excluded.parent_session_db_id),
       started_at = min(started_at, excluded.started_at),
       last_at = max(last_at, excluded.last_at)
     RETURNING id, project_id AS projectId, last_at AS lastAt, purged_at AS purgedAt`,
    seed.sessionId,
    seed.agent,
    seed.projectId,
    seed.parentId ?? null,
    seed.subtitle ?? null,
    seed.cwd,
    seed.branch ?? null,
    seed.transcriptPath ?? null,
    seed.version ?? null,
    seed.at,
  );
  return row as UpsertedSession;
}

export function widenSession(db: Db, id: number, firstAt: number, lastAt: number): void {
  db.run(
    "UPDATE sessions SET started_at = min(started_at, ?2), last_at = max(last_at, ?3) WHERE id = ?1",
    id,
    firstAt,
    lastAt,
  );
}

/** A prompt or a resume after the reported end: the session goes on. Its status follows from its turns. */
export function reopenSession(db: Db, id: number, at: number): void {
  db.run(
    "UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ? AND end_reason IS NOT NULL AND coalesce(ended_at, 0) < ?",
    id,
    at,
  );
}

/** An async hook may start a moment after the end that it belongs before. */
const LATE_MS = 5_000;

/** Notes the reported end, which also ends the last turn, unless the session is known to have gone on. */
export function endSession(db: Db, id: number, end: { at: number; reason: string }): void {
  const { changes } = db.run(
    "UPDATE sessions SET ended_at = ?2, end_reason = ?3 WHERE id = ?1 AND last_at <= ?2 + ?4",
    id,
    end.at,
    end.reason,
    LATE_MS,
  );
  if (changes > 0) endOpenTurn(db, id, end.at);
}

function endOpenTurn(db: Db, sessionDbId: number, at: number): void {
  const turn = db.get<{ prompt_number: number }>(
    `UPDATE prompts SET ended_at = max(created_at, ?2)
     WHERE session_db_id = ?1 AND ended_at IS NULL
       AND prompt_number = (SELECT prompt_count FROM sessions WHERE id = ?1) RETURNING prompt_number`,
    sessionDbId,
    at,
  );
  if (turn !== undefined) markTurnEnded(db, sessionDbId, turn.prompt_number);
}

export function setModel(db: Db, id: number, model: string): void {
  db.run("UPDATE sessions SET model = ?1 WHERE id = ?2 AND model IS NOT ?1", model, id);
}

/** A title the agent gave is better than any that is derived. */
export function setAgentTitle(db: Db, id: number, title: string): void {
  db.run("UPDATE sessions SET agent_title = ?1, title = ?1 WHERE id = ?2", title, id);
}

/** The first that is said of it holds. */
export function noteOrigin(
  db: Db,
  id: number,
  { plan, forkedFrom }: { plan?: string | undefined; forkedFrom?: string | undefined },
): void {
  const { changes } = db.run(
    `UPDATE sessions SET plan = coalesce(plan, ?2), forked_from = coalesce(forked_from, ?3)
     WHERE id = ?1 AND ((plan IS NULL AND ?2 IS NOT NULL) OR (forked_from IS NULL AND ?3 IS NOT NULL))`,
    id,
    plan ?? null,
    forkedFrom ?? null,
  );
  if (changes > 0) markLinksStale(db, id);
}

/** The session, and those that its history was copied from. */
export function originsOf(db: Db, sessionId: string): string[] {
  const sql = `WITH RECURSIVE origin(id) AS (VALUES (?) UNION SELECT s.forked_from FROM origin JOIN sessions s ON s.session_id = origin.id)
    SELECT id FROM origin WHERE id IS NOT NULL`;
  return db.all<{ id: string }>(sql, sessionId).map((row) => row.id);
}

export function getOrigin(db: Db, sessionId: string): string | undefined {
  const sql = "SELECT forked_from AS id FROM sessions WHERE session_id = ?";
  return db.get<{ id: string | null }>(sql, sessionId)?.id ?? undefined;
}

export function getAgentTitle(db: Db, id: number): string | null {
  return (
    db.get<{ agent_title: string | null }>("SELECT agent_title FROM sessions WHERE id = ?", id)?.agent_title ?? null
  );
}

export function setReport(db: Db, id: number, report: string): void {
  db.run("UPDATE sessions SET report = ? WHERE id = ?", report, id);
}

export function getTitle(db: Db, id: number): string | null {
  return db.get<{ title: string | null }>("SELECT title FROM sessions WHERE id = ?", id)?.title ?? null;
}

export function setSubtitle(db: Db, id: number, subtitle: string | null): void {
  db.run("UPDATE sessions SET subtitle = ?1 WHERE id = ?2 AND subtitle IS NOT ?1", subtitle, id);
}

export function setTitle(db: Db, id: number, title: string): void {
  db.run("UPDATE sessions SET title = ?1 WHERE id = ?2 AND title IS NOT ?1", title, id);
}

export interface SessionRow {
  id: number;
  session_id: string;
  title: string | null;
  status: string;
  prompt_count: number;
  git_branch: string | null;
  started_at: number;
  last_at: number;
}

/** The project's conversations that got somewhere (at least one prompt), newest first; subagents are not listed. */
export function recentSessions(db: Db, projectId: number, options: { limit: number; after?: number }): SessionRow[] {
  return db.all(
    `SELECT id, session_id, title, status, prompt_count, git_branch, started_at, last_at FROM sessions s
     WHERE project_id = ? AND ${isSession()} AND last_at > ?
     ORDER BY last_at DESC LIMIT ?`,
    projectId,
    options.after ?? 0,
    options.limit,
  );
}

export function findSession(db: Db, sessionId: string): SessionRow | undefined {
  return db.get(
    `SELECT id, session_id, title, status, prompt_count, git_branch, started_at, last_at FROM sessions WHERE session_id = ?`,
    sessionId,
  );
}

export interface SessionSource {
  id: number;
  agent: string;
  transcript_path: string | null;
}

/** Where a session's evidence comes from. */
export function sessionSource(db: Db, sessionId: string): SessionSource | undefined {
  return db.get("SELECT id, agent, transcript_path FROM sessions WHERE session_id = ?", sessionId);
}

/** From an index alone, and as one text: row by row, ten thousand take almost three times as long. */
export function sessionIdsOf(db: Db, projectId: number): ReadonlySet<number> {
  return remembered(db, `sessions of ${projectId}`, () => {
    const sql = "SELECT json_group_array(id) AS ids FROM sessions WHERE project_id = ?";
    return new Set(JSON.parse(db.get<{ ids: string }>(sql, projectId)?.ids ?? "[]") as number[]);
  });
}
