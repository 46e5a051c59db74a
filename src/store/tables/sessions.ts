// sessions: one row per conversation, and one per subagent.
//
// Lists and counts use these definitions:
//   session   a conversation with at least one prompt; a conversation without a prompt is stored but not counted
//   subagent  a session that another session started; counted separately and shown inside its conversation
//   project   a code base with at least one session
import type { Db } from "../db/driver.ts";
import { raw, sql, type Sql } from "../db/sql.ts";
import { cachedQuery } from "../db/query-cache.ts";
import { markLinksStale } from "./stale-links.ts";
import { markTurnEnded } from "./stale-turns.ts";
import type { SessionStatus } from "./session-status.ts";

/** SQL: whether a row of `sessions` counts as a session. */
export function isSession(session = "s"): Sql {
  return sql`(${raw(session)}.parent_session_db_id IS NULL AND ${raw(session)}.prompt_count > 0)`;
}

/** SQL: whether a row of `sessions` is a subagent's. */
export function isSubagent(session = "s"): Sql {
  return sql`(${raw(session)}.parent_session_db_id IS NOT NULL)`;
}

/** SQL: ids of a session and its subagents. Rows of subagents have the turn numbers of the session. */
export function family(sessionDbId: number): Sql {
  return sql`SELECT id FROM sessions WHERE id = ${sessionDbId} OR parent_session_db_id = ${sessionDbId}`;
}

export interface NewSession {
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
  /** The time of the session's newest event. Older events only fill in missing values. */
  lastAt: number;
  /** Evidence from before this time was purged. */
  purgedAt: number | null;
}

/** Creates the session, or extends its time span and fills in missing values. Events may arrive in any order. */
export function upsertSession(db: Db, session: NewSession): UpsertedSession {
  const { sessionId, agent, projectId, parentId, subtitle, cwd, branch, transcriptPath, version, at } = session;
  return db.get(sql`INSERT INTO sessions (session_id, agent, project_id, parent_session_db_id, subtitle, cwd,
      git_branch, transcript_path, version, started_at, last_at, status)
    VALUES (${sessionId}, ${agent}, ${projectId}, ${parentId}, ${subtitle}, ${cwd},
      ${branch}, ${transcriptPath}, ${version}, ${at}, ${at}, 'completed')
    ON CONFLICT (session_id) DO UPDATE SET
      git_branch = CASE WHEN excluded.last_at >= last_at THEN coalesce(excluded.git_branch, git_branch) ELSE git_branch END,
      transcript_path = coalesce(transcript_path, excluded.transcript_path),
      version = coalesce(version, excluded.version),
      parent_session_db_id = coalesce(parent_session_db_id, excluded.parent_session_db_id),
      started_at = min(started_at, excluded.started_at),
      last_at = max(last_at, excluded.last_at)
    RETURNING id, project_id AS projectId, last_at AS lastAt, purged_at AS purgedAt`) as UpsertedSession;
}

export function extendTimeSpan(db: Db, id: number, firstAt: number, lastAt: number): void {
  db.run(
    sql`UPDATE sessions SET started_at = min(started_at, ${firstAt}), last_at = max(last_at, ${lastAt}) WHERE id = ${id}`,
  );
}

/** Removes the reported end if a prompt or a resume at `at` came after it. */
export function reopenSession(db: Db, id: number, at: number): void {
  db.run(sql`UPDATE sessions SET ended_at = NULL, end_reason = NULL
    WHERE id = ${id} AND end_reason IS NOT NULL AND coalesce(ended_at, 0) < ${at}`);
}

/** An async hook may report an event up to this long after the end of its session. */
const LATE_MS = 5_000;

/** Records the reported end and ends the last turn. Ignores the end if the session has later events. */
export function endSession(db: Db, id: number, end: { at: number; reason: string }): void {
  const { changes } = db.run(sql`UPDATE sessions SET ended_at = ${end.at}, end_reason = ${end.reason}
    WHERE id = ${id} AND last_at <= ${end.at} + ${LATE_MS}`);
  if (changes > 0) endOpenTurn(db, id, end.at);
}

function endOpenTurn(db: Db, sessionDbId: number, at: number): void {
  const ended = db.value<number>(sql`UPDATE prompts SET ended_at = max(created_at, ${at})
    WHERE session_db_id = ${sessionDbId} AND ended_at IS NULL
      AND prompt_number = (SELECT prompt_count FROM sessions WHERE id = ${sessionDbId}) RETURNING prompt_number`);
  if (ended !== undefined) markTurnEnded(db, sessionDbId, ended);
}

export function sessionIdOf(db: Db, id: number): string | undefined {
  return db.value(sql`SELECT session_id FROM sessions WHERE id = ${id}`);
}

/** The session's id, the id of the session it was forked from, and so on. */
export function withForkSources(db: Db, sessionId: string): string[] {
  return db.column(sql`WITH RECURSIVE origin(id) AS (
      VALUES (${sessionId}) UNION SELECT s.forked_from FROM origin JOIN sessions s ON s.session_id = origin.id)
    SELECT id FROM origin WHERE id IS NOT NULL`);
}

export function forkSource(db: Db, sessionId: string): string | undefined {
  return db.value(sql`SELECT forked_from FROM sessions WHERE session_id = ${sessionId}`);
}

/** Fills in the plan and the session it was forked from. Values that are set already do not change. */
export function setPlanAndForkSource(
  db: Db,
  id: number,
  { plan, forkedFrom }: { plan?: string | undefined; forkedFrom?: string | undefined },
): void {
  const { changes } = db.run(sql`UPDATE sessions
    SET plan = coalesce(plan, ${plan}), forked_from = coalesce(forked_from, ${forkedFrom})
    WHERE id = ${id}
      AND ((plan IS NULL AND ${plan} IS NOT NULL) OR (forked_from IS NULL AND ${forkedFrom} IS NOT NULL))`);
  if (changes > 0) markLinksStale(db, id);
}

/** `agent_title` is the agent's own title. It takes precedence over the derived title. */
export function sessionTitles(db: Db, id: number): { title: string | null; agent_title: string | null } {
  return db.get(sql`SELECT title, agent_title FROM sessions WHERE id = ${id}`) ?? { title: null, agent_title: null };
}

type SettableColumn = "title" | "agent_title" | "subtitle" | "model" | "report";

export function updateSession(db: Db, id: number, values: Partial<Record<SettableColumn, string | null>>): void {
  for (const [column, value] of Object.entries(values))
    db.run(sql`UPDATE sessions SET ${raw(column)} = ${value} WHERE id = ${id} AND ${raw(column)} IS NOT ${value}`);
}

export interface SessionRow {
  id: number;
  session_id: string;
  agent: string;
  title: string | null;
  status: SessionStatus;
  prompt_count: number;
  git_branch: string | null;
  transcript_path: string | null;
  started_at: number;
  last_at: number;
}

const ROW = sql`SELECT id, session_id, agent, title, status, prompt_count, git_branch, transcript_path, started_at, last_at
  FROM sessions s`;

/** The project's sessions that are not marked as wrong, newest first. */
export function recentSessions(db: Db, projectId: number, options: { limit: number; after?: number }): SessionRow[] {
  return db.all(sql`${ROW} WHERE project_id = ${projectId} AND ${isSession()} AND last_at > ${options.after ?? 0}
      AND NOT EXISTS (SELECT 1 FROM wrong_items WHERE item = 'session:' || s.id)
    ORDER BY last_at DESC LIMIT ${options.limit}`);
}

export function findSession(db: Db, sessionId: string): SessionRow | undefined {
  return db.get(sql`${ROW} WHERE session_id = ${sessionId}`);
}

/** A session as a model is asked about it. */
export interface ModelSession {
  id: number;
  project_id: number;
  project: string;
  cwd: string;
  status: SessionStatus;
  end_reason: string | null;
  last_at: number;
  /** Whether the agent compacted its context after the last written summary. */
  has_checkpoint: number;
}

/** SQL: whether the agent compacted the context of the session `s` after the last written summary. */
export const HAS_NEW_CHECKPOINT = sql`EXISTS (
  SELECT 1 FROM prompts p WHERE p.session_db_id = s.id AND p.checkpoint_at > (
    SELECT coalesce(max(u.created_at), 0) FROM summaries u
    WHERE u.session_db_id = s.id AND u.prompt_number = 0 AND u.last_prompt > 0))`;

export function sessionForModel(db: Db, id: number): ModelSession | undefined {
  return db.get(sql`SELECT s.id, s.project_id, p.name AS project, s.cwd, s.status, s.end_reason, s.last_at,
      ${HAS_NEW_CHECKPOINT} AS has_checkpoint
    FROM sessions s JOIN projects p ON p.id = s.project_id WHERE s.id = ${id} AND s.parent_session_db_id IS NULL`);
}

/** One JSON text instead of rows: reading 10,000 rows takes almost three times as long. */
export function sessionIdsOf(db: Db, projectId: number): ReadonlySet<number> {
  return cachedQuery(db, `sessions of ${projectId}`, () => {
    const ids = db.value<string>(sql`SELECT json_group_array(id) FROM sessions WHERE project_id = ${projectId}`);
    return new Set(JSON.parse(ids ?? "[]") as number[]);
  });
}
