// sessions.status and the state of a turn, derived from evidence. This is the only place that decides either.
//
//   active       the last turn has not ended
//   completed    the last turn ended, or the agent reported the end of the session
//   interrupted  the transcript shows that the last turn was interrupted, or it has no end after 24 hours
//   failed       memory of the session failed three times and was not retried
import type { Db } from "../db/driver.ts";
import { markTurnEnded } from "./stale-turns.ts";
import { transaction } from "../db/transaction.ts";

export type SessionStatus = "active" | "completed" | "interrupted" | "failed";

/** After this long without a sign of life a turn without an end counts as interrupted. */
const IDLE_MS = 24 * 60 * 60_000;

/** What a reported end of a subagent is stored as where its transcript shows that it was interrupted. */
export const INTERRUPTED = "interrupted";

/** SQL: whether a turn of the session `s` is running. Only its last turn can be. */
export function isRunning(prompt = "p"): string {
  return `(${prompt}.ended_at IS NULL AND ${prompt}.prompt_number = s.prompt_count AND s.status = 'active')`;
}

/** SQL: when a turn ended: as reported, else when the next prompt came. NULL while it runs. */
export function endedAt(prompt = "p"): string {
  return `coalesce(${prompt}.ended_at, (
    SELECT next.created_at FROM prompts next
    WHERE next.session_db_id = ${prompt}.session_db_id AND next.prompt_number = ${prompt}.prompt_number + 1))`;
}

export type TurnState = "running" | "completed" | "interrupted";

/** SQL: the state of a turn of the session `s`. */
export function turnState(prompt = "p"): string {
  return `CASE
    WHEN ${isRunning(prompt)} THEN 'running'
    WHEN ${prompt}.is_interrupted = 1 THEN 'interrupted'
    WHEN ${prompt}.ended_at IS NULL AND ${prompt}.prompt_number = s.prompt_count AND s.end_reason IS NULL THEN 'interrupted'
    ELSE 'completed' END`;
}

/** ?1 is the time before which a session without an end counts as interrupted. */
const STATUS = `CASE
  WHEN turn.is_open AND s.last_at >= ?1 THEN 'active'
  WHEN EXISTS (SELECT 1 FROM jobs WHERE key = 'session:' || s.session_id AND status = 'failed') THEN 'failed'
  WHEN turn.is_interrupted THEN 'interrupted'
  -- Nothing was asked in it, so nothing was interrupted.
  WHEN turn.is_open AND NOT (s.prompt_count = 0 AND s.parent_session_db_id IS NULL) THEN 'interrupted'
  ELSE 'completed' END`;

/** The last turn of each session; a session without prompts (a subagent's, for example) is open until its end is reported. */
const LAST_TURN = `
  SELECT s.id AS session_db_id,
    s.end_reason IS NULL AND p.ended_at IS NULL AND (p.id IS NOT NULL OR s.purged_at IS NULL) AS is_open,
    coalesce(p.is_interrupted, 0) OR (s.parent_session_db_id IS NOT NULL AND s.end_reason IS '${INTERRUPTED}') AS is_interrupted
  FROM sessions s LEFT JOIN prompts p ON p.session_db_id = s.id AND p.prompt_number = s.prompt_count`;

/** The project of the turn that was heard of last, among those that run. */
export function runningProject(db: Db): string | undefined {
  return db.get<{ name: string }>(
    `SELECT j.name FROM sessions s JOIN prompts p ON p.session_db_id = s.id AND p.prompt_number = s.prompt_count
       JOIN projects j ON j.id = s.project_id
     WHERE s.status = 'active' AND p.ended_at IS NULL ORDER BY s.last_at DESC LIMIT 1`,
  )?.name;
}

/** Brings the status of these sessions up to their evidence. */
export function updateStatus(db: Db, sessionDbIds: Iterable<number>, now = Date.now()): void {
  const ids = JSON.stringify([...sessionDbIds]);
  update(db, now, "s.id IN (SELECT value FROM json_each(?2))", ids);
}

/** The same for the session a job is about, after the job failed or was retried. */
export function updateStatusOf(db: Db, sessionId: string, now = Date.now()): void {
  update(db, now, "s.session_id = ?2", sessionId);
}

/** After an import: rows of an older store carry statuses that were not derived from evidence. */
export function updateAllStatuses(db: Db, now: number): void {
  update(db, now, "?2", 1);
}

/** The same for all sessions whose memory failed. */
export function updateFailedStatuses(db: Db, now: number): void {
  update(db, now, "s.status = ?2", "failed");
}

/** Ends what has been idle for a day. Returns the sessions that count as interrupted now: their memory is stale. */
export function updateIdleStatuses(db: Db, now: number): string[] {
  return transaction(db, () => {
    const changed = update(db, now, "s.status = ?2", "active");
    // That nothing more will come changes what is derived from the last turn.
    const open = changed.filter(({ status }) => status === "interrupted");
    for (const { id, prompt_count } of open) markTurnEnded(db, id, prompt_count);
    return open.map(({ session_id }) => session_id);
  });
}

interface Updated {
  id: number;
  session_id: string;
  status: string;
  prompt_count: number;
}

function update(db: Db, now: number, condition: string, param: string | number): Updated[] {
  return db.all<Updated>(
    `UPDATE sessions SET status = found.status, ended_at = found.ended_at
     FROM (
       SELECT id, status, CASE WHEN end_reason IS NOT NULL THEN ended_at WHEN status = 'interrupted' THEN last_at END AS ended_at
       FROM (
         SELECT s.id, s.end_reason, s.ended_at, s.last_at, ${STATUS} AS status
         FROM sessions s JOIN (${LAST_TURN}) turn ON turn.session_db_id = s.id WHERE ${condition})
     ) found
     WHERE sessions.id = found.id AND (sessions.status, sessions.ended_at) IS NOT (found.status, found.ended_at)
     RETURNING sessions.id, session_id, sessions.status, prompt_count`,
    now - IDLE_MS,
    param,
  );
}
