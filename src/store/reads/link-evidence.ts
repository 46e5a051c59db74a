// Reads the evidence for links between sessions: a session's texts and files, and earlier sessions with the same files.
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";
import type { Target } from "../tables/links.ts";
import { family } from "../tables/sessions.ts";
import { LINK_WINDOW_MS } from "../tables/stale-links.ts";
import { outputOf } from "../tables/tool-uses.ts";
import type { SessionEntry } from "./session-list.ts";

export interface LinkedSession extends Pick<
  SessionEntry,
  "id" | "session_id" | "project_id" | "git_branch" | "started_at" | "last_at"
> {
  remote: string | null;
  plan: string | null;
  forked_from: string | null;
}

export function sessionToLink(db: Db, sessionDbId: number): LinkedSession | undefined {
  return db.get(sql`SELECT s.id, s.session_id, s.project_id, p.remote, s.git_branch, s.plan, s.forked_from, s.started_at, s.last_at
    FROM sessions s JOIN projects p ON p.id = s.project_id
    WHERE s.id = ${sessionDbId} AND s.parent_session_db_id IS NULL AND s.prompt_count > 0`);
}

export type EarlierSession = Pick<LinkedSession, "id" | "session_id" | "started_at" | "last_at" | "plan">;

/** The sessions of the project that began up to 30 days before this one, newest first. */
export function earlierSessions(db: Db, session: LinkedSession, limit: number): EarlierSession[] {
  const { session_id: id, project_id, started_at: start } = session;
  return db.all(sql`SELECT id, session_id, started_at, last_at, plan FROM sessions
    WHERE project_id = ${project_id} AND started_at BETWEEN ${start - LINK_WINDOW_MS} AND ${start}
      AND (started_at < ${start} OR session_id < ${id}) AND parent_session_db_id IS NULL AND prompt_count > 0
    ORDER BY started_at DESC, session_id DESC LIMIT ${limit}`);
}

export interface TimedText {
  text: string;
  at: number;
}

export function promptTexts(db: Db, sessionDbId: number, limit: number): TimedText[] {
  return db.all(sql`SELECT text, created_at AS at FROM prompts WHERE session_db_id = ${sessionDbId}
    ORDER BY prompt_number LIMIT ${limit}`);
}

/** The time of the session's last activity before `before`. */
export function lastActivityBefore(db: Db, sessionDbId: number, before: number): number | undefined {
  return db.value(sql`SELECT max(min(coalesce(ended_at, created_at), ${before})) FROM prompts
    WHERE session_db_id = ${sessionDbId} AND created_at <= ${before}`);
}

export interface TouchedPath {
  path: string;
  is_changed: number;
}

/** Files of the session and its subagents: first those it changed, then those it only read. */
export function touchedPaths(db: Db, sessionDbId: number, limit: number): TouchedPath[] {
  return db.all(sql`SELECT f.path, max(f.kind <> 'read') AS is_changed FROM sessions s JOIN file_touches f ON f.session_db_id = s.id
    WHERE s.id = ${sessionDbId} OR s.parent_session_db_id = ${sessionDbId}
    GROUP BY f.path ORDER BY is_changed DESC, min(f.created_at), f.path LIMIT ${limit}`);
}

/** Rows to read for one file or target, newest first. One that has more is too common to relate sessions. */
const MAX_ROWS = 400;

/** Sessions that changed the file before this one began. */
export function earlierChangers(db: Db, session: LinkedSession, path: string): number[] {
  const { project_id, started_at: start } = session;
  return db.column(sql`SELECT DISTINCT coalesce(s.parent_session_db_id, s.id)
    FROM (SELECT session_db_id FROM file_touches
      WHERE path = ${path} AND kind <> 'read' AND created_at BETWEEN ${start - LINK_WINDOW_MS} AND ${start}
      ORDER BY created_at DESC LIMIT ${MAX_ROWS}) f JOIN sessions s ON s.id = f.session_db_id
    WHERE s.project_id = ${project_id}`);
}

/** Session ids of the sessions that named the target before this one began. A link has the time of the mention. */
export function earlierMentions(db: Db, { started_at: start }: LinkedSession, { type, id }: Target): string[] {
  return db.column(sql`SELECT DISTINCT source_id FROM links
    WHERE target_type = ${type} AND target_id = ${id} AND created_at BETWEEN ${start - LINK_WINDOW_MS} AND ${start}
      AND source_type = 'session'
    ORDER BY created_at DESC, source_id LIMIT ${MAX_ROWS}`);
}

/** Outputs of commands that opened a pull request or an issue. They contain its URL. */
export function pullRequestOutputs(db: Db, sessionDbId: number, limit: number): TimedText[] {
  return db.all(sql`SELECT ${outputOf("t")} AS text, t.created_at AS at FROM sessions s JOIN tool_uses t ON t.session_db_id = s.id
    WHERE (s.id = ${sessionDbId} OR s.parent_session_db_id = ${sessionDbId}) AND t.name = 'Bash' AND t.is_error = 0
      AND coalesce(t.output, t.packed) IS NOT NULL
      AND (instr(t.input, 'gh pr create') > 0 OR instr(t.input, 'gh issue create') > 0 OR instr(t.input, 'glab mr create') > 0)
    ORDER BY t.created_at, t.id LIMIT ${limit}`);
}

/** Whether the session or a subagent changed a file or made a commit. */
export function madeChanges(db: Db, sessionDbId: number): boolean {
  return db.has(sql`SELECT 1 WHERE EXISTS (SELECT 1 FROM commits WHERE session_db_id = ${sessionDbId})
    OR EXISTS (SELECT 1 FROM file_touches WHERE session_db_id IN (${family(sessionDbId)}) AND kind <> 'read')`);
}

export function isKnownSession(db: Db, sessionId: string): boolean {
  return db.has(sql`SELECT 1 FROM sessions WHERE session_id = ${sessionId} AND parent_session_db_id IS NULL`);
}
