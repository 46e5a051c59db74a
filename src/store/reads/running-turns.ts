// Turns that are running, and the last turn of a session: an agent's call of a memory tool belongs to one of them.
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";
import { isRunning } from "../tables/session-status.ts";

export interface LastTurn {
  sessionDbId: number;
  sessionId: string;
  projectId: number;
  cwd: string;
  promptNumber: number;
  /** The prompt's id: "p12". */
  promptItem: string;
  running: number;
  /** The agent reported the end of the session. */
  over: number;
  lastAt: number;
}

const LAST_TURN = sql`SELECT s.id AS sessionDbId, s.session_id AS sessionId, s.project_id AS projectId, s.cwd,
    p.prompt_number AS promptNumber, 'p' || p.id AS promptItem, ${isRunning()} AS running,
    s.end_reason IS NOT NULL AS over, s.last_at AS lastAt
  FROM sessions s JOIN prompts p ON p.session_db_id = s.id AND p.prompt_number = s.prompt_count
  WHERE s.parent_session_db_id IS NULL`;

/** Undefined for an unknown session, and for one without a prompt. */
export function lastTurnOf(db: Db, sessionId: string): LastTurn | undefined {
  return db.get(sql`${LAST_TURN} AND s.session_id = ${sessionId}`);
}

/** The running turns of sessions in this folder, the latest activity first. */
export function runningTurnsIn(db: Db, projectKey: string, cwd: string): LastTurn[] {
  return db.all(sql`${LAST_TURN} AND ${isRunning()} AND s.cwd = ${cwd}
      AND s.project_id = (SELECT id FROM projects WHERE key = ${projectKey})
    ORDER BY s.last_at DESC LIMIT 5`);
}
