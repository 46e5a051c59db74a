// Derives sessions.status and the state of a turn from evidence. No other file decides either of them.
//
//   active       the last turn has not ended
//   completed    the last turn ended, or the agent reported the end of the session
//   interrupted  the transcript shows that the last turn was interrupted, or it was running and has no end after 24
//                hours; of an older session read from a transcript, a missing end shows nothing
//   failed       deriving its memory failed three times and was not retried
import type { Db } from "../db/driver.ts";
import { markTurnEnded } from "./stale-turns.ts";
import { transaction } from "../db/transaction.ts";
import { anyOf, raw, sql, type Sql } from "../db/sql.ts";

export type SessionStatus = "active" | "completed" | "interrupted" | "failed";

/** A turn without an end counts as interrupted after this time without activity. */
const IDLE_MS = 24 * 60 * 60_000;

/** The end reason of a subagent whose transcript shows that it was interrupted. */
export const INTERRUPTED = "interrupted";

/** SQL: whether a turn of the session `s` is running. Only the last turn can be running. */
export function isRunning(prompt = "p"): Sql {
  const p = raw(prompt);
  return sql`(${p}.ended_at IS NULL AND ${p}.prompt_number = s.prompt_count AND s.status = 'active')`;
}

/** SQL: the reported end of a turn, else the time of the next prompt. NULL if there is neither, as while it runs. */
export function endedAt(prompt = "p"): Sql {
  const p = raw(prompt);
  return sql`coalesce(${p}.ended_at, (SELECT next.created_at FROM prompts next
    WHERE next.session_db_id = ${p}.session_db_id AND next.prompt_number = ${p}.prompt_number + 1))`;
}

export type TurnState = "running" | "completed" | "interrupted";

/** SQL: the state of a turn of the session `s`. */
export function turnState(prompt = "p"): Sql {
  const p = raw(prompt);
  return sql`CASE
    WHEN ${isRunning(prompt)} THEN 'running'
    WHEN ${p}.is_interrupted = 1 THEN 'interrupted'
    WHEN ${p}.ended_at IS NULL AND ${p}.prompt_number = s.prompt_count AND s.end_reason IS NULL
      AND s.status = 'interrupted' THEN 'interrupted'
    ELSE 'completed' END`;
}

/**
 * SQL: the status of a session `s` with LAST_TURN as `turn`. An open turn idle since `idleSince` is interrupted if it
 * was seen running: a new session begins as completed.
 */
function statusOf(idleSince: number): Sql {
  return sql`CASE
    WHEN turn.is_open AND s.last_at >= ${idleSince} THEN 'active'
    WHEN EXISTS (SELECT 1 FROM jobs WHERE key = 'session:' || s.session_id AND status = 'failed') THEN 'failed'
    WHEN turn.is_interrupted THEN 'interrupted'
    -- A session without a prompt cannot have been interrupted.
    WHEN turn.is_open AND s.status IN ('active', 'interrupted') AND NOT (s.prompt_count = 0 AND s.parent_session_db_id IS NULL) THEN 'interrupted'
    ELSE 'completed' END`;
}

/** SQL: the last turn of each session. A session without prompts (a subagent) is open until its end is reported. */
const LAST_TURN = sql`
  SELECT s.id AS session_db_id,
    s.end_reason IS NULL AND p.ended_at IS NULL AND (p.id IS NOT NULL OR s.purged_at IS NULL) AS is_open,
    coalesce(p.is_interrupted, 0) OR (s.parent_session_db_id IS NOT NULL AND s.end_reason IS '${raw(INTERRUPTED)}') AS is_interrupted
  FROM sessions s LEFT JOIN prompts p ON p.session_db_id = s.id AND p.prompt_number = s.prompt_count`;

/** The project of the running turn with the latest activity. */
export function runningProject(db: Db): string | undefined {
  return db.value(sql`SELECT j.name FROM sessions s
      JOIN prompts p ON p.session_db_id = s.id AND p.prompt_number = s.prompt_count JOIN projects j ON j.id = s.project_id
    WHERE s.status = 'active' AND p.ended_at IS NULL ORDER BY s.last_at DESC LIMIT 1`);
}

/** Derives the status of these sessions again. */
export function updateStatus(db: Db, sessionIds: Iterable<string>, now = Date.now()): void {
  update(db, now, sql`s.session_id IN ${anyOf(sessionIds)}`);
}

/** Derives all statuses again. For imports: older versions did not derive them from evidence. */
export function updateAllStatuses(db: Db, now: number): void {
  update(db, now, sql`1`);
}

/** Derives the status of all failed sessions again. */
export function updateFailedStatuses(db: Db, now: number): void {
  update(db, now, sql`s.status = 'failed'`);
}

/** Derives the status of active sessions again. Returns those interrupted now, after a day idle: memory is stale. */
export function updateIdleStatuses(db: Db, now: number): string[] {
  return transaction(db, () => {
    const interrupted = update(db, now, sql`s.status = 'active'`).filter(({ status }) => status === "interrupted");
    // Memory derived from a turn depends on whether it has ended.
    for (const { id, prompt_count } of interrupted) markTurnEnded(db, id, prompt_count);
    return interrupted.map(({ session_id }) => session_id);
  });
}

interface Updated {
  id: number;
  session_id: string;
  status: string;
  prompt_count: number;
}

function update(db: Db, now: number, condition: Sql): Updated[] {
  return db.all(sql`UPDATE sessions SET status = found.status, ended_at = found.ended_at
    FROM (
      SELECT id, status, CASE WHEN end_reason IS NOT NULL THEN ended_at WHEN status = 'interrupted' THEN last_at END AS ended_at
      FROM (
        SELECT s.id, s.end_reason, s.ended_at, s.last_at, ${statusOf(now - IDLE_MS)} AS status
        FROM sessions s JOIN (${LAST_TURN}) turn ON turn.session_db_id = s.id WHERE ${condition})
    ) found
    WHERE sessions.id = found.id AND (sessions.status, sessions.ended_at) IS NOT (found.status, found.ended_at)
    RETURNING sessions.id, session_id, sessions.status, prompt_count`);
}
