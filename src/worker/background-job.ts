// Runs jobs of one kind in the background, one at a time, while the worker's rounds continue.
import type { Env, Paths } from "../config/paths.ts";
import { type Db, isStorageError } from "../store/db/driver.ts";
import {
  claimJob,
  extendLease,
  failJob,
  type Job,
  type JobKind,
  LEASE_MS,
  nextDueAt,
  releaseJobs,
} from "../store/tables/jobs.ts";
import { type Log, reasonOf } from "./log.ts";

export interface JobContext {
  paths: Paths;
  env: Env;
  owner: string;
  log: Log;
}

interface BackgroundJobOptions extends JobContext {
  kind: JobKind;
  /** Must throw only temporary errors. After one, the job is released and started again. */
  run: (db: Db, job: Job, context: JobContext, signal: AbortSignal) => Promise<void>;
  onEnd: () => void;
  /** How long `stop` waits for the running job before it aborts it. */
  graceMs: number;
}

const RENEW_MS = LEASE_MS / 5;

export class BackgroundJob {
  readonly #options: BackgroundJobOptions;
  readonly #stopping = new AbortController();
  #current: { job: Job; done: Promise<void>; renewedAt: number } | undefined;
  #isInterrupted = false;

  constructor(options: BackgroundJobOptions) {
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  /** Only one job of a kind runs at a time: until it ends, the next one waits even if it is due. */
  nextDueAt(db: Db, now: number): number {
    return this.isBusy ? Infinity : (nextDueAt(db, this.#options.kind, now) ?? Infinity);
  }

  /** Claims and starts the next due job. False if none is due or one is running. */
  start(db: Db): boolean {
    if (this.isBusy) return false;
    const { kind, owner, log, run, onEnd } = this.#options;
    if (this.#isInterrupted) releaseJobs(db, owner, Date.now());
    this.#isInterrupted = false;
    const job = claimJob(db, kind, owner, Date.now());
    if (job === undefined) return false;
    const done = run(db, job, this.#options, this.#stopping.signal)
      .catch((error: unknown) => {
        log(`${job.key} interrupted: ${reasonOf(error)}`);
        this.#isInterrupted = true;
      })
      .finally(() => {
        this.#current = undefined;
        onEnd();
      });
    this.#current = { job, done, renewedAt: performance.now() };
    return true;
  }

  /** Called in every round, because a model may take longer to answer than the lease lasts. */
  renewLease(db: Db): void {
    if (this.#current === undefined || performance.now() - this.#current.renewedAt < RENEW_MS) return;
    this.#current.renewedAt = performance.now();
    extendLease(db, this.#current.job, this.#options.owner, Date.now());
  }

  async stop(db: Db): Promise<void> {
    const { graceMs, owner } = this.#options;
    const timer = setTimeout(() => this.#stopping.abort(), graceMs);
    await this.#current?.done;
    clearTimeout(timer);
    releaseJobs(db, owner, Date.now());
  }
}

const TEMPORARY: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE", "ENOMEM"]);

/** True if the error does not come from the job itself: a full disk, a busy or damaged database. */
export function isTemporary(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return isStorageError(error) || TEMPORARY.has(code) || (cause !== undefined && isTemporary(cause));
}

/** Rethrows a temporary error. Counts any other error as a failure of the job, which is retried or stays failed. */
export function failOrRethrow(
  db: Db,
  job: Job,
  { owner, log }: Pick<JobContext, "owner" | "log">,
  error: unknown,
): void {
  if (isTemporary(error)) throw error;
  const reason = reasonOf(error);
  failJob(db, job, owner, { now: Date.now(), reason });
  log(`${job.key} failed: ${reason}`);
}
