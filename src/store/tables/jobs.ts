// jobs: the queue for background work. A worker claims a job with a lease; if the worker dies, the job is queued again.
import type { Db } from "../db/driver.ts";
import { sql, type Sql } from "../db/sql.ts";
import { isRunning, updateFailedStatuses, updateStatus } from "./session-status.ts";

export type JobKind = "session" | "enrich" | "embed" | "commits";

/** When a hook reports the end of a turn, the transcript is not complete yet. Session jobs wait this long. */
const SETTLE_MS = 3_000;

/** Enqueues a job that reads new parts of the session's transcript and derives memory. */
export function enqueueSession(db: Db, sessionId: string, at: number): void {
  enqueueJob(db, { kind: "session", key: sessionKey(sessionId), runAfter: at + SETTLE_MS }, at);
  updateStatus(db, [sessionId]);
}

const EMBED_KEY = "embed:all";

/** Enqueues the job that embeds all new items. A running one is not enqueued again: it runs until all are embedded. */
export function enqueueEmbed(db: Db, now: number, { isRepaired = false } = {}): void {
  // A failed job is only retried if its cause was repaired.
  if (isRepaired) retryJobs(db, now, EMBED_KEY);
  const status = db.value<string>(sql`SELECT status FROM jobs WHERE key = ${EMBED_KEY}`);
  if (status === undefined || status === "done") enqueueJob(db, { kind: "embed", key: EMBED_KEY, runAfter: now }, now);
}

/** Enqueues the job that compares the project's repository with its sessions. */
export function enqueueCommits(db: Db, projectId: number, now: number): void {
  enqueueJob(db, { kind: "commits", key: `commits:${projectId}`, runAfter: now }, now);
}

export function sessionKey(sessionId: string): string {
  return `session:${sessionId}`;
}

/** The part of a job's key after ":": an agent's session id, or the row id of a session or project. */
export function idInKey(key: string): string {
  return key.slice(key.indexOf(":") + 1);
}

/** Each key has one job. A pending one is delayed, a running one runs once more, a finished one starts over. */
export function enqueueJob(db: Db, job: Pick<Job, "kind" | "key"> & { runAfter: number }, at: number): void {
  const { kind, key, runAfter } = job;
  db.run(sql`INSERT INTO jobs (kind, key, run_after, created_at) VALUES (${kind}, ${key}, ${runAfter}, ${at})
    ON CONFLICT (key) DO UPDATE SET
      run_after = CASE WHEN status = 'pending' THEN max(run_after, excluded.run_after) ELSE excluded.run_after END,
      again = status = 'running',
      attempts = CASE WHEN status IN ('done', 'failed') THEN 0 ELSE attempts END,
      deaths = CASE WHEN status IN ('done', 'failed') THEN 0 ELSE deaths END,
      last_error = CASE WHEN status IN ('done', 'failed') THEN NULL ELSE last_error END,
      status = CASE WHEN status = 'running' THEN 'running' ELSE 'pending' END`);
}

/** Enqueues sessions with stale memory of ended turns but no job, e.g. after a sync was killed. Newest first. */
export function enqueueStaleSessions(db: Db, now: number): number {
  const sessions = db.column<string>(sql`SELECT s.session_id
    FROM stale_memory m JOIN prompts p ON p.id = m.prompt_db_id JOIN sessions s ON s.id = p.session_db_id
    WHERE NOT ${isRunning()}
      AND NOT EXISTS (SELECT 1 FROM jobs WHERE key = 'session:' || s.session_id AND status <> 'done')
    GROUP BY s.id ORDER BY s.last_at DESC, s.id`);
  // A job that is enqueued again keeps its id, so the order is that of their times.
  for (const [index, sessionId] of sessions.entries()) enqueueSession(db, sessionId, now + index);
  return sessions.length;
}

export interface Job {
  id: number;
  kind: JobKind;
  key: string;
  attempts: number;
}

/** How long a lease lasts. Jobs extend their lease more often than this. */
export const LEASE_MS = 5 * 60_000;
/** A run_after later than this from now means that the clock was wrong when it was written: the job is due now. */
const MAX_WAIT_MS = 10_000;
/** The same for jobs that wait for their next attempt. */
const MAX_RETRY_WAIT_MS: Readonly<Record<JobKind, number>> = {
  session: 10 * 60_000,
  enrich: 65 * 60_000,
  embed: 65 * 60_000,
  commits: 65 * 60_000,
};
/** Model jobs wait for more turns, and for the end of the session. */
const waitFor = (kind: JobKind): number => (kind === "enrich" ? MAX_RETRY_WAIT_MS.enrich : MAX_WAIT_MS);

/** SQL: when a pending job of this kind is due. */
function dueAt(kind: JobKind, now: number): Sql {
  return sql`CASE WHEN run_after > ${now} + iif(last_error IS NULL, ${waitFor(kind)}, ${MAX_RETRY_WAIT_MS[kind]})
    THEN ${now} ELSE run_after END`;
}

/** Claims the job that has been due longest. `owner` identifies this process. */
export function claimJob(db: Db, kind: JobKind, owner: string, now: number): Job | undefined {
  const pending = sql`SELECT id FROM jobs WHERE status = 'pending' AND kind = ${kind}`;
  // Reads first, because an UPDATE takes the write lock even if no row matches.
  const due =
    db.value<number>(sql`${pending} AND run_after <= ${now} ORDER BY run_after, id LIMIT 1`) ??
    // Scans for jobs that were written while the clock was wrong.
    db.value<number>(sql`${pending} AND ${dueAt(kind, now)} <= ${now} ORDER BY id LIMIT 1`);
  if (due === undefined) return undefined;
  return db.get(sql`UPDATE jobs SET status = 'running', owner = ${owner}, lease_until = ${now + LEASE_MS}, again = 0
    WHERE id = ${due} AND status = 'pending' RETURNING id, kind, key, attempts`);
}

/** When the next job is due. Undefined if no job is pending. */
export function nextDueAt(db: Db, kind: JobKind, now: number): number | undefined {
  return db.value(sql`SELECT min(${dueAt(kind, now)}) FROM jobs WHERE status = 'pending' AND kind = ${kind}`);
}

const heldBy = (owner: string, job: Job): Sql => sql`id = ${job.id} AND status = 'running' AND owner = ${owner}`;
const UNCLAIMED = sql`again = 0, owner = NULL, lease_until = NULL`;

/** False if the owner no longer holds the job. */
export function extendLease(db: Db, job: Job, owner: string, now: number): boolean {
  return db.run(sql`UPDATE jobs SET lease_until = ${now + LEASE_MS} WHERE ${heldBy(owner, job)}`).changes === 1;
}

/** `note` is why a job had no result. It is stored as last_error. */
export function finishJob(db: Db, job: Job, owner: string, now: number, note?: string): void {
  db.run(sql`UPDATE jobs SET status = CASE again WHEN 1 THEN 'pending' ELSE 'done' END, attempts = 0, deaths = 0,
    last_error = ${note}, done_at = ${now}, ${UNCLAIMED} WHERE ${heldBy(owner, job)}`);
}

export const MAX_ATTEMPTS = 3;
const FIRST_RETRY_MS = 10_000;
const RETRY_FACTOR = 6;

/**
 * Retries the job later. After three failures it stays failed, with the reason, until it is enqueued again. If it was
 * enqueued while it ran, it starts over with three attempts.
 */
export function failJob(
  db: Db,
  job: Job,
  owner: string,
  { now, reason, notBefore = 0 }: { now: number; reason: string; notBefore?: number },
): void {
  const attempts = job.attempts + 1;
  const runAfter = Math.max(notBefore, now + FIRST_RETRY_MS * RETRY_FACTOR ** job.attempts);
  db.run(sql`UPDATE jobs SET status = iif(again = 1, 'pending', ${attempts >= MAX_ATTEMPTS ? "failed" : "pending"}),
      attempts = iif(again = 1, 0, ${attempts}), run_after = ${runAfter}, last_error = ${reason}, ${UNCLAIMED}
    WHERE ${heldBy(owner, job)}`);
  if (job.kind === "session") updateStatus(db, [idInKey(job.key)]);
}

/**
 * Puts the job back into the queue without counting a failure: the worker stops, or the model is not available. Without
 * a reason the last error stays; null clears it, because nothing failed.
 */
export function postponeJob(db: Db, job: Job, owner: string, until: number, reason?: string | null): void {
  const error = reason === null ? sql`NULL` : sql`coalesce(${reason}, last_error)`;
  db.run(sql`UPDATE jobs SET status = 'pending', run_after = ${until}, last_error = ${error}, ${UNCLAIMED}
    WHERE ${heldBy(owner, job)}`);
}

/** Puts all jobs of this owner back into the queue without counting a failure. */
export function releaseJobs(db: Db, owner: string, now: number): void {
  db.run(sql`UPDATE jobs SET status = 'pending', run_after = ${now}, ${UNCLAIMED}
    WHERE status = 'running' AND owner = ${owner}`);
}

/** If workers die this often during the same job, the job fails: it is probably the cause. */
const MAX_DEATHS = 10;
const FIRST_DEATH_WAIT_MS = 500;

/** Puts jobs back into the queue if their process died or their lease expired. Returns how many. */
export function recoverJobs(db: Db, isAlive: (owner: string) => boolean, now: number): number {
  const running = db.all<Job & { owner: string | null; lease_until: number | null; deaths: number }>(
    sql`SELECT id, kind, key, attempts, owner, lease_until, deaths FROM jobs WHERE status = 'running'`,
  );
  const lost = running.filter(({ owner, lease_until: until }) => {
    // A lease longer than LEASE_MS was written while the clock was wrong.
    const isLeased = until !== null && until > now && until <= now + LEASE_MS;
    return owner === null || !isLeased || !isAlive(owner);
  });
  for (const job of lost) {
    const deaths = job.deaths + 1;
    db.run(sql`UPDATE jobs SET status = ${deaths >= MAX_DEATHS ? "failed" : "pending"}, deaths = ${deaths},
        run_after = ${deaths === 1 ? now : now + FIRST_DEATH_WAIT_MS * 2 ** job.deaths},
        last_error = ${`the worker died during this job (${deaths})`}, ${UNCLAIMED}
      WHERE id = ${job.id} AND status = 'running'`);
    if (job.kind === "session") updateStatus(db, [idInKey(job.key)]);
  }
  return lost.length;
}

/** Makes failed jobs, and those that wait for their next attempt, due now: all of them, or the one with this key. */
export function retryJobs(db: Db, now: number, key?: string): number {
  const { changes } = db.run(sql`UPDATE jobs SET status = 'pending', attempts = 0, deaths = 0, run_after = ${now}
    WHERE (status = 'failed' OR (status = 'pending' AND last_error IS NOT NULL)) AND (${key} IS NULL OR key = ${key})`);
  updateFailedStatuses(db, now);
  return changes;
}

export type JobCounts = Record<"pending" | "running" | "failed", number>;

export function countJobs(db: Db): JobCounts {
  const rows = db.all<{ status: keyof JobCounts; n: number }>(
    sql`SELECT status, count(*) AS n FROM jobs WHERE status <> 'done' GROUP BY status`,
  );
  return { pending: 0, running: 0, failed: 0, ...Object.fromEntries(rows.map(({ status, n }) => [status, n])) };
}

export interface JobWithError {
  key: string;
  status: string;
  attempts: number;
  last_error: string | null;
  run_after: number;
}

/** Failed jobs first, then jobs that wait for their next attempt. */
export function jobsWithErrors(db: Db, limit: number): JobWithError[] {
  return db.all(sql`SELECT key, status, attempts, last_error, run_after FROM jobs
    WHERE status = 'failed' OR (status = 'pending' AND last_error IS NOT NULL) ORDER BY status, run_after LIMIT ${limit}`);
}

const KEEP_DONE_MS = 30 * 24 * 60 * 60_000;

export function deleteDoneJobs(db: Db, now: number): void {
  db.run(sql`DELETE FROM jobs WHERE status = 'done' AND done_at < ${now - KEEP_DONE_MS}`);
}
