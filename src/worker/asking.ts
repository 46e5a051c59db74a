// The one question a model is being asked, in the background: all else goes on meanwhile.
import type { Db } from "../store/db/driver.ts";
import { claimJob, extendLease, type Job, LEASE_MS, releaseJobs } from "../store/tables/jobs.ts";
import { type EnrichContext, runEnrichJob } from "./enrich-job.ts";
import { reasonOf } from "./log.ts";

export interface Asking {
  isBusy(): boolean;
  /** Takes the next job that waits for a model; false when there is none, or one is being done. */
  start(db: Db): boolean;
  /** To be called now and then while it lasts: a question may take longer than a lease. */
  keep(db: Db): void;
  /** Waits a while for the answer, which is paid for, then gives it up; puts back what is not done. */
  stop(db: Db): Promise<void>;
}

const KEEP_MS = LEASE_MS / 5;
const ANSWER_MS = 20_000;

export function createAsking(context: Omit<EnrichContext, "signal">, onEnd: () => void): Asking {
  const { owner } = context;
  const stopping = new AbortController();
  let isInterrupted = false;
  let current: { job: Job; done: Promise<void>; keptAt: number } | undefined;
  return {
    isBusy: () => current !== undefined,
    start(db) {
      if (current !== undefined) return false;
      // What trouble has interrupted is still marked as being done here.
      if (isInterrupted) releaseJobs(db, owner, Date.now());
      isInterrupted = false;
      const job = claimJob(db, "enrich", owner, Date.now());
      if (job === undefined) return false;
      const done = runEnrichJob(db, job, { ...context, signal: stopping.signal })
        .catch((error: unknown) => {
          context.log(`trouble: ${reasonOf(error)}`);
          isInterrupted = true;
        })
        .finally(() => {
          current = undefined;
          onEnd();
        });
      current = { job, done, keptAt: performance.now() };
      return true;
    },
    keep(db) {
      if (current === undefined || performance.now() - current.keptAt < KEEP_MS) return;
      current.keptAt = performance.now();
      extendLease(db, current.job, owner, Date.now());
    },
    async stop(db) {
      const timer = setTimeout(() => stopping.abort(), ANSWER_MS);
      await current?.done;
      clearTimeout(timer);
      releaseJobs(db, owner, Date.now());
    },
  };
}
