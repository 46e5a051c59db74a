// sessions: one row per conversation, and one per subagent below it.
import type { Db } from "./driver.ts";

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

/** Creates the session or notes that it was seen again; times only ever widen, so order of arrival does not matter. */
export function upsertSession(db: Db, seed: SessionSeed): { id: number; projectId: number } {
  const row = db.get<{ id: number; projectId: number }>(
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
     RETURNING id, project_id AS projectId`,
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
  return row as { id: number; projectId: number };
}

export function widenSession(db: Db, id: number, firstAt: number, lastAt: number): void {
  db.run(
    "UPDATE sessions SET started_at = min(started_at, ?2), last_at = max(last_at, ?3) WHERE id = ?1",
    id,
    firstAt,
    lastAt,
  );
}

/** A prompt or a resume after the end means that the session goes on. */
export function reopenSession(db: Db, id: number, at: number): void {
  db.run(
    `UPDATE sessions SET status = 'active', ended_at = NULL, end_reason = NULL
     WHERE id = ? AND status <> 'active' AND coalesce(ended_at, 0) < ?`,
    id,
    at,
  );
}

/** An async hook may start a moment after the end that it belongs before. */
const LATE_MS = 5_000;

/** Marks the session completed, unless it is known to have gone on. */
export function endSession(db: Db, id: number, end: { at: number; reason: string }): void {
  db.run(
    "UPDATE sessions SET status = 'completed', ended_at = ?2, end_reason = ?3 WHERE id = ?1 AND last_at <= ?2 + ?4",
    id,
    end.at,
    end.reason,
    LATE_MS,
  );
}

export function setModel(db: Db, id: number, model: string): void {
  db.run("UPDATE sessions SET model = ?1 WHERE id = ?2 AND model IS NOT ?1", model, id);
}

/** A title the agent gave is better than a first prompt, and is kept beside it. */
export function setAgentTitle(db: Db, id: number, title: string): void {
  db.run("UPDATE sessions SET subtitle = ? WHERE id = ?", title, id);
}

export function setReport(db: Db, id: number, report: string): void {
  db.run("UPDATE sessions SET report = ? WHERE id = ?", report, id);
}

export function getTitle(db: Db, id: number): string | null {
  return db.get<{ title: string | null }>("SELECT title FROM sessions WHERE id = ?", id)?.title ?? null;
}

export function setTitle(db: Db, id: number, title: string): void {
  db.run("UPDATE sessions SET title = ? WHERE id = ?", title, id);
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
    `SELECT id, session_id, title, status, prompt_count, git_branch, started_at, last_at FROM sessions
     WHERE project_id = ? AND parent_session_db_id IS NULL AND prompt_count > 0 AND last_at > ?
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

/** A session nobody has touched for this long will not send its end any more. */
const IDLE_MS = 24 * 60 * 60 * 1000;

export function interruptIdleSessions(db: Db, now: number): void {
  db.run(
    "UPDATE sessions SET status = 'interrupted', ended_at = last_at WHERE status = 'active' AND last_at < ?",
    now - IDLE_MS,
  );
}
