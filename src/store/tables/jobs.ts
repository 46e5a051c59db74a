// jobs: the one queue for all background work. A job is taken with a lease, so that a worker may die over it.
import type { Db } from "../db/driver.ts";
import { isRunning, updateFailedStatuses, updateStatusOf } from "./session-status.ts";

export type JobKind = "session" | "enrich" | "embed";

export interface JobSeed {
  kind: JobKind;
  /** Names the work: one row for it, however often it is asked for. */
  key: string;
  runAfter: number;
}

/** The transcript is stale while a turn's end is reported; work that reads it waits this long. */
const SETTLE_MS = 3_000;

/** A session's transcript is read once more and memory derived from what is new. */
export function enqueueSession(db: Db, sessionId: string, at: number): void {
  enqueueJob(db, { kind: "session", key: sessionKey(sessionId), runAfter: at + SETTLE_MS }, at);
  updateStatusOf(db, sessionId);
}

/** What happened longer ago is not sent to a model: history would use up the budget of what is done now. */
const ENRICH_AGE_MS = 24 * 60 * 60_000;

/** A model is to look at a turn that has ended lately: where memory of it is new, or it was never asked before. */
export function enqueueEnrich(db: Db, promptDbId: number, options: { isChanged: boolean; now: number }): void {
  const { isChanged, now } = options;
  const key = `enrich:${promptDbId}`;
  if (!isChanged && db.get("SELECT 1 FROM jobs WHERE key = ?", key) !== undefined) return;
  const turn = db.get<{ at: number }>(
    `SELECT coalesce(p.ended_at, s.last_at) AS at FROM prompts p JOIN sessions s ON s.id = p.session_db_id
     WHERE p.id = ? AND NOT ${isRunning()}`,
    promptDbId,
  );
  if (turn !== undefined && now - turn.at < ENRICH_AGE_MS) enqueueJob(db, { kind: "enrich", key, runAfter: now }, now);
}

const EMBED_KEY = "embed:all";

/** What is new is to be embedded; where that goes on already, it goes on until nothing is left. */
export function enqueueEmbed(db: Db, now: number, { isMended = false } = {}): void {
  // What has failed stays so until what it failed by is mended.
  if (isMended) retryJobs(db, now, EMBED_KEY);
  const known = db.get<{ status: string }>("SELECT status FROM jobs WHERE key = ?", EMBED_KEY);
  if (known === undefined || known.status === "done") {
    enqueueJob(db, { kind: "embed", key: EMBED_KEY, runAfter: now }, now);
  }
}

export function sessionKey(sessionId: string): string {
  return `session:${sessionId}`;
}

/** What a job's key names: an agent's session id, or a prompt's row. */
export function subjectOf(key: string): string {
  return key.slice(key.indexOf(":") + 1);
}

/** Asked for while it waits: it waits a little longer. While it runs: it runs once more. After that: it begins anew. */
export function enqueueJob(db: Db, job: JobSeed, at: number): void {
  db.run(
    `INSERT INTO jobs (kind, key, run_after, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET
       run_after = CASE WHEN status = 'pending' THEN max(run_after, excluded.run_after) ELSE excluded.run_after END,
       again = status = 'running',
       attempts = CASE WHEN status IN ('done', 'failed') THEN 0 ELSE attempts END,
       deaths = CASE WHEN status IN ('done', 'failed') THEN 0 ELSE deaths END,
       last_error = CASE WHEN status IN ('done', 'failed') THEN NULL ELSE last_error END,
       status = CASE WHEN status = 'running' THEN 'running' ELSE 'pending' END`,
    job.kind,
    job.key,
    job.runAfter,
    at,
  );
}

/** Sessions with turns that have ended and whose memory is stale, should nobody have asked: a late hook, a killed sync. */
export function enqueueStaleSessions(db: Db, now: number): number {
  const sessions = db.all<{ session_id: string }>(
    `SELECT DISTINCT s.session_id FROM stale_memory m JOIN prompts p ON p.id = m.prompt_db_id JOIN sessions s ON s.id = p.session_db_id
     WHERE NOT ${isRunning()}
       AND NOT EXISTS (SELECT 1 FROM jobs WHERE key = 'session:' || s.session_id AND status <> 'done')`,
  );
  for (const row of sessions) enqueueSession(db, row.session_id, now);
  return sessions.length;
}

export interface Job {
  id: number;
  kind: JobKind;
  key: string;
  attempts: number;
}

/** Longer than any job takes between two signs of life. */
export const LEASE_MS = 5 * 60_000;
/**
 * No job is asked to wait longer: one that nothing has gone wrong with for a few seconds, another until its next try.
 * What says otherwise was written while the clock was wrong, and is due.
 */
const MAX_WAIT_MS = 10_000;
const MAX_TROUBLED_WAIT_MS: Readonly<Record<JobKind, number>> = {
  session: 10 * 60_000,
  enrich: 65 * 60_000,
  embed: 65 * 60_000,
};

/** When a waiting job is due, of this kind (?1), by this clock (?2). */
const DUE_AT = `CASE WHEN run_after > ?2 + iif(last_error IS NULL, ${MAX_WAIT_MS}, ?3) THEN ?2 ELSE run_after END`;
const WAITING = `FROM jobs WHERE status = 'pending' AND kind = ?1`;

/** Takes the job that has waited longest. `owner` names the process that holds it. */
export function claimJob(db: Db, kind: JobKind, owner: string, now: number): Job | undefined {
  // Looked for first: an UPDATE takes the write lock even where there is nothing to write.
  const due =
    db.get<{ id: number }>(`SELECT id ${WAITING} AND run_after <= ?2 ORDER BY run_after, id LIMIT 1`, kind, now) ??
    // By no index: what was written while the clock was wrong.
    db.get<{ id: number }>(
      `SELECT id ${WAITING} AND ${DUE_AT} <= ?2 ORDER BY id LIMIT 1`,
      kind,
      now,
      MAX_TROUBLED_WAIT_MS[kind],
    );
  if (due === undefined) return undefined;
  return db.get<Job>(
    `UPDATE jobs SET status = 'running', owner = ?, lease_until = ?, again = 0 WHERE id = ? AND status = 'pending'
     RETURNING id, kind, key, attempts`,
    owner,
    now + LEASE_MS,
    due.id,
  );
}

/** When the next job is due; undefined when none waits. */
export function nextDueAt(db: Db, kind: JobKind, now: number): number | undefined {
  const row = db.get<{ at: number | null }>(
    `SELECT min(${DUE_AT}) AS at ${WAITING}`,
    kind,
    now,
    MAX_TROUBLED_WAIT_MS[kind],
  );
  return row?.at ?? undefined;
}

/** False when the job is no longer this owner's. */
export function extendLease(db: Db, job: Job, owner: string, now: number): boolean {
  return (
    db.run(
      "UPDATE jobs SET lease_until = ? WHERE id = ? AND status = 'running' AND owner = ?",
      now + LEASE_MS,
      job.id,
      owner,
    ).changes === 1
  );
}

/** `note` says why nothing came of it, where that is worth knowing. */
export function finishJob(db: Db, job: Job, owner: string, now: number, note?: string): void {
  db.run(
    `UPDATE jobs SET status = CASE again WHEN 1 THEN 'pending' ELSE 'done' END, again = 0, attempts = 0, deaths = 0,
       last_error = ?4, done_at = ?3, owner = NULL, lease_until = NULL
     WHERE id = ?1 AND status = 'running' AND owner = ?2`,
    job.id,
    owner,
    now,
    note ?? null,
  );
}

export const MAX_ATTEMPTS = 3;
const FIRST_RETRY_MS = 10_000;
const RETRY_FACTOR = 6;

/**
 * Tried again later; after three failures it stays failed, with the reason, until somebody asks for it anew. Who has asked
 * while it ran has: there is something new in it.
 */
export function failJob(
  db: Db,
  job: Job,
  owner: string,
  { now, reason, notBefore = 0 }: { now: number; reason: string; notBefore?: number },
): void {
  const attempts = job.attempts + 1;
  db.run(
    `UPDATE jobs SET status = iif(again = 1, 'pending', ?3), attempts = iif(again = 1, 0, ?4), run_after = ?5, last_error = ?6, again = 0, owner = NULL, lease_until = NULL
     WHERE id = ?1 AND status = 'running' AND owner = ?2`,
    job.id,
    owner,
    attempts >= MAX_ATTEMPTS ? "failed" : "pending",
    attempts,
    Math.max(notBefore, now + FIRST_RETRY_MS * RETRY_FACTOR ** job.attempts),
    reason,
  );
  if (job.kind === "session") updateStatusOf(db, subjectOf(job.key));
}

/** Back to the queue without counting it as a failure: the worker leaves, or what the job needs is not there now. */
export function postponeJob(db: Db, job: Job, owner: string, until: number, reason?: string): void {
  db.run(
    `UPDATE jobs SET status = 'pending', run_after = ?3, last_error = coalesce(?4, last_error), again = 0, owner = NULL, lease_until = NULL
     WHERE id = ?1 AND status = 'running' AND owner = ?2`,
    job.id,
    owner,
    until,
    reason ?? null,
  );
}

/** All that this owner holds goes back to the queue, uncounted: it leaves, or lost hold of the store meanwhile. */
export function releaseJobs(db: Db, owner: string, now: number): void {
  db.run(
    `UPDATE jobs SET status = 'pending', run_after = ?2, again = 0, owner = NULL, lease_until = NULL
     WHERE status = 'running' AND owner = ?1`,
    owner,
    now,
  );
}

/** A job over which the process died this often is what kills it. */
const MAX_DEATHS = 10;
const FIRST_DEATH_WAIT_MS = 500;

/** Jobs of processes that are gone, and those whose lease ran out, go back to the queue. */
export function recoverJobs(db: Db, isAlive: (owner: string) => boolean, now: number): number {
  const running = db.all<
    Pick<Job, "id" | "kind" | "key"> & { owner: string | null; lease_until: number | null; deaths: number }
  >("SELECT id, kind, key, owner, lease_until, deaths FROM jobs WHERE status = 'running'");
  const lost = running.filter(({ owner, lease_until: until }) => {
    // A lease that runs longer than any lease does was given while the clock was wrong.
    const isLeased = until !== null && until > now && until <= now + LEASE_MS;
    return owner === null || !isLeased || !isAlive(owner);
  });
  for (const { id, kind, key, deaths } of lost) {
    db.run(
      `UPDATE jobs SET status = ?2, deaths = ?3, run_after = ?4, last_error = ?5, again = 0, owner = NULL, lease_until = NULL
       WHERE id = ?1 AND status = 'running'`,
      id,
      deaths + 1 >= MAX_DEATHS ? "failed" : "pending",
      deaths + 1,
      deaths === 0 ? now : now + FIRST_DEATH_WAIT_MS * 2 ** deaths,
      `the worker died over it (${deaths + 1})`,
    );
    if (kind === "session") updateStatusOf(db, subjectOf(key));
  }
  return lost.length;
}

/** What has failed begins anew, and what waits after trouble waits no longer: all of it, or the job with this key. */
export function retryJobs(db: Db, now: number, key?: string): number {
  const { changes } = db.run(
    `UPDATE jobs SET status = 'pending', attempts = 0, deaths = 0, run_after = ?1
     WHERE (status = 'failed' OR (status = 'pending' AND last_error IS NOT NULL)) AND (?2 IS NULL OR key = ?2)`,
    now,
    key ?? null,
  );
  updateFailedStatuses(db, now);
  return changes;
}

export interface JobCounts {
  pending: number;
  running: number;
  failed: number;
}

export function countJobs(db: Db): JobCounts {
  const rows = db.all<{ status: keyof JobCounts; n: number }>(
    "SELECT status, count(*) AS n FROM jobs WHERE status <> 'done' GROUP BY status",
  );
  return { pending: 0, running: 0, failed: 0, ...Object.fromEntries(rows.map(({ status, n }) => [status, n])) };
}

export interface TroubledJob {
  key: string;
  status: string;
  attempts: number;
  last_error: string | null;
  run_after: number;
}

/** Failed ones first, then those that wait after a failure. */
export function troubledJobs(db: Db, limit: number): TroubledJob[] {
  return db.all(
    `SELECT key, status, attempts, last_error, run_after FROM jobs
     WHERE status = 'failed' OR (status = 'pending' AND last_error IS NOT NULL)
     ORDER BY status, run_after LIMIT ?`,
    limit,
  );
}

const KEEP_DONE_MS = 30 * 24 * 60 * 60_000;

export function forgetDoneJobs(db: Db, now: number): void {
  db.run("DELETE FROM jobs WHERE status = 'done' AND done_at < ?", now - KEEP_DONE_MS);
}
