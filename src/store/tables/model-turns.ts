// model_turns: turns that wait for a model, and the jobs that send them. A session has one job for its turns
// ("enrich:12") and one for its own summary ("handover:12").
import type { Db } from "../db/driver.ts";
import { anyOf, sql } from "../db/sql.ts";
import { isRunning } from "./session-status.ts";
import { HAS_NEW_CHECKPOINT } from "./sessions.ts";

/** Turns that ended earlier are not sent to a model: imported history would use up today's budget. */
const MAX_AGE_MS = 24 * 60 * 60_000;
/** How long a turn waits for more turns of its session, so that they share a request. */
const SHARE_MS = 10 * 60_000;
/** With this many tool uses and messages, a request is large enough. */
const ENOUGH_ITEMS = 24;
/** After this idle time a session counts as finished. */
export const SESSION_IDLE_MS = 10 * 60_000;

const turnsKey = (sessionDbId: number): string => `enrich:${sessionDbId}`;
const handoverKey = (sessionDbId: number): string => `handover:${sessionDbId}`;
export const isHandover = (key: string): boolean => key.startsWith("handover:");

/** Adds the turn to the waiting ones, if it ended recently and no model has seen it as it is. */
export function enqueueTurn(db: Db, promptDbId: number, now: number): void {
  db.run(sql`INSERT INTO model_turns (prompt_db_id, enqueued_at)
    SELECT p.id, ${now} FROM prompts p JOIN sessions s ON s.id = p.session_db_id
    WHERE p.id = ${promptDbId} AND s.parent_session_db_id IS NULL AND NOT ${isRunning()}
      AND ${now} - coalesce(p.ended_at, s.last_at) < ${MAX_AGE_MS}
      AND NOT EXISTS (SELECT 1 FROM summaries u
        WHERE u.session_db_id = p.session_db_id AND u.prompt_number = p.prompt_number AND u.producer <> 'extractor'
          AND u.created_at >= coalesce(p.ended_at, p.created_at))
    ON CONFLICT (prompt_db_id) DO UPDATE SET enqueued_at = excluded.enqueued_at, failed_at = NULL
      WHERE failed_at < (SELECT coalesce(ended_at, created_at) FROM prompts WHERE id = prompt_db_id)`);
}

/** Adds turns however old they are, also those whose request failed. Returns how many were added. */
export function enqueueTurns(db: Db, promptDbIds: readonly number[], now: number): number {
  return db.run(sql`INSERT INTO model_turns (prompt_db_id, enqueued_at)
    SELECT id, ${now} FROM prompts WHERE id IN ${anyOf(promptDbIds)}
    ON CONFLICT (prompt_db_id) DO UPDATE SET enqueued_at = excluded.enqueued_at, failed_at = NULL
      WHERE failed_at IS NOT NULL`).changes;
}

export interface UnsentTurn {
  id: number;
  session_db_id: number;
  prompt_number: number;
}

/** Turns that ended since a time and have no version by this producer, newest session first. */
export function unsentTurns(
  db: Db,
  { projectId, since, producer }: { projectId: number | undefined; since: number; producer: string },
): UnsentTurn[] {
  return db.all(sql`SELECT p.id, p.session_db_id, p.prompt_number FROM prompts p JOIN sessions s ON s.id = p.session_db_id
    WHERE s.parent_session_db_id IS NULL AND (${projectId} IS NULL OR s.project_id = ${projectId})
      AND coalesce(p.ended_at, p.created_at) >= ${since} AND NOT ${isRunning()}
      AND NOT EXISTS (SELECT 1 FROM summaries u WHERE u.session_db_id = p.session_db_id
        AND u.prompt_number = p.prompt_number AND u.producer = ${producer})
    ORDER BY s.last_at DESC, s.id, p.prompt_number`);
}

/** The row ids of a session's waiting prompts, in the order of its turns. */
export function waitingTurns(db: Db, sessionDbId: number): number[] {
  return db.column(sql`SELECT p.id FROM model_turns w JOIN prompts p ON p.id = w.prompt_db_id
    WHERE p.session_db_id = ${sessionDbId} AND w.failed_at IS NULL ORDER BY p.prompt_number`);
}

/** Their requests had no usable reply: the same ones would be paid for again. */
export function failTurns(db: Db, promptDbIds: readonly number[], now: number): void {
  db.run(sql`UPDATE model_turns SET failed_at = ${now} WHERE prompt_db_id IN ${anyOf(promptDbIds)}`);
}

export function deleteWaiting(db: Db, promptDbIds: readonly number[]): void {
  db.run(sql`DELETE FROM model_turns WHERE prompt_db_id IN ${anyOf(promptDbIds)}`);
}

export function deleteAllWaiting(db: Db): void {
  db.run(sql`DELETE FROM model_turns`);
}

/**
 * Enqueues the session's jobs. Its turns are sent once they are enough for a request, ten minutes after the first one
 * ended, or when the session ends. Its summary is requested ten minutes after its last turn (later if it has summaries
 * already), or when the session ends or the agent compacts its context.
 */
export function enqueueModelJobs(db: Db, sessionDbId: number, now: number): void {
  const isOver = isSessionOver(db, sessionDbId);
  const waiting = db.get<{ first: number | null; items: number }>(sql`SELECT min(w.enqueued_at) AS first,
      sum((SELECT count(*) FROM tool_uses t WHERE t.session_db_id = p.session_db_id AND t.prompt_number = p.prompt_number)
        + (SELECT count(*) FROM messages m WHERE m.session_db_id = p.session_db_id AND m.prompt_number = p.prompt_number)
      ) AS items
    FROM model_turns w JOIN prompts p ON p.id = w.prompt_db_id
    WHERE p.session_db_id = ${sessionDbId} AND w.failed_at IS NULL`);
  const first = waiting?.first ?? undefined;
  if (waiting !== undefined && first !== undefined) {
    const isEnough = isOver || waiting.items >= ENOUGH_ITEMS;
    enqueueAt(db, turnsKey(sessionDbId), isEnough ? now : Math.min(now, first) + SHARE_MS, now);
  }
  const lastAt = unsummarisedSince(db, sessionDbId);
  if (lastAt !== undefined && (first !== undefined || now - lastAt < MAX_AGE_MS))
    enqueueAt(db, handoverKey(sessionDbId), isOver ? now : lastAt + idleMs(db, sessionDbId), now);
}

/** Doubles from the third summary on: a day with many pauses would pay for the whole session after each of them. */
function idleMs(db: Db, sessionDbId: number): number {
  const written = db.value<number>(sql`SELECT count(*) FROM summaries
    WHERE session_db_id = ${sessionDbId} AND prompt_number = 0 AND last_prompt > 0`);
  return SESSION_IDLE_MS * 2 ** Math.min(Math.max(0, (written ?? 0) - 1), MAX_DOUBLINGS);
}

const MAX_DOUBLINGS = 5;

/** Enqueues both jobs at once. `order`: jobs with smaller numbers run first. */
export function enqueueModelJobsNow(db: Db, sessionDbId: number, { order, now }: { order: number; now: number }): void {
  enqueueAt(db, turnsKey(sessionDbId), now - 1_000_000 + 2 * order, now);
  enqueueAt(db, handoverKey(sessionDbId), now - 1_000_000 + 2 * order + 1, now);
}

/**
 * When the session was last active, if a turn has ended that no written summary covers. Undefined if a request since
 * its last turn had no usable reply: the same one would be paid for again.
 */
function unsummarisedSince(db: Db, sessionDbId: number): number | undefined {
  return db.value(sql`SELECT s.last_at FROM sessions s WHERE s.id = ${sessionDbId} AND s.parent_session_db_id IS NULL
    AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.key = ${handoverKey(sessionDbId)} AND j.status = 'done'
      AND j.last_error IS NOT NULL AND j.done_at >= (SELECT max(coalesce(p.ended_at, p.created_at)) FROM prompts p
        WHERE p.session_db_id = s.id))
    AND EXISTS (SELECT 1 FROM prompts p WHERE p.session_db_id = s.id AND NOT ${isRunning()}
      AND p.prompt_number > (SELECT coalesce(max(u.last_prompt), 0) FROM summaries u
        WHERE u.session_db_id = s.id AND u.prompt_number = 0))`);
}

/** The agent reported the end of the session, or it compacted its context after the last summary. */
function isSessionOver(db: Db, sessionDbId: number): boolean {
  return db.has(
    sql`SELECT 1 FROM sessions s WHERE s.id = ${sessionDbId} AND (s.end_reason IS NOT NULL OR ${HAS_NEW_CHECKPOINT})`,
  );
}

/** Unlike `enqueueJob`, this also makes a waiting job due earlier. */
function enqueueAt(db: Db, key: string, runAfter: number, now: number): void {
  db.run(sql`INSERT INTO jobs (kind, key, run_after, created_at) VALUES ('enrich', ${key}, ${runAfter}, ${now})
    ON CONFLICT (key) DO UPDATE SET
      run_after = iif(status = 'pending' AND last_error IS NOT NULL, run_after, excluded.run_after),
      again = status = 'running',
      attempts = iif(status IN ('done', 'failed'), 0, attempts), deaths = iif(status IN ('done', 'failed'), 0, deaths),
      last_error = iif(status IN ('done', 'failed'), NULL, last_error),
      status = iif(status = 'running', 'running', 'pending')`);
}

/** Makes the jobs of a project's other sessions due: the next session starts, and nothing is added to them. */
export function requestHandovers(db: Db, projectId: number, except: number, now: number): void {
  db.run(sql`UPDATE jobs SET run_after = ${now}
    WHERE kind = 'enrich' AND status = 'pending' AND last_error IS NULL AND run_after > ${now}
      AND CAST(substr(key, instr(key, ':') + 1) AS INTEGER) IN (
        SELECT id FROM sessions WHERE project_id = ${projectId} AND id <> ${except} AND status <> 'active')`);
}

/** Enqueues the jobs of waiting turns that have none, e.g. after a restore or an update. */
export function enqueueForgottenTurns(db: Db, now: number): void {
  const sessions =
    db.column<number>(sql`SELECT DISTINCT p.session_db_id FROM model_turns w JOIN prompts p ON p.id = w.prompt_db_id
    WHERE w.failed_at IS NULL AND NOT EXISTS (SELECT 1 FROM jobs WHERE key = 'enrich:' || p.session_db_id AND status <> 'done')`);
  for (const id of sessions) enqueueModelJobs(db, id, now);
}
