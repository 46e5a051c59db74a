// How the background work is: who does it, what waits, what is in trouble, what was said about it.
import { spoolCounts } from "../capture/live/drain.ts";
import { readServer } from "../platform/state/server-record.ts";
import { findWorker } from "../platform/worker-lock.ts";
import { AppError } from "../core/error.ts";
import { iso } from "../core/time.ts";
import { countJobs, type JobCounts, retryJobs, type TroubledJob, troubledJobs } from "../store/tables/jobs.ts";
import { clearPauses } from "../store/tables/model-pauses.ts";
import type { Asked } from "./legacy.ts";
import type { Answer } from "./envelope.ts";
import { logEntries } from "../health/log-entries.ts";
import { positiveInteger } from "./legacy.ts";

const JOBS_SHOWN = 20;

export interface WorkerAnswer extends Answer {
  worker: ReturnType<typeof findWorker>;
  jobs: JobCounts;
  troubled: TroubledJob[];
}

export function answerWorker({ db, paths }: Pick<Asked, "db" | "paths">): WorkerAnswer {
  const worker = findWorker(paths.workerLock, Date.now());
  const server = readServer(paths.server);
  const jobs = countJobs(db);
  const troubled = troubledJobs(db, JOBS_SHOWN);
  const data = {
    running: worker !== undefined,
    pid: worker?.pid ?? null,
    version: worker?.version ?? null,
    started_at: iso(worker?.startedAt),
    last_beat: iso(worker?.beatenAt),
    jobs,
    spool: spoolCounts(paths.spool),
    troubled: troubled.map(({ run_after: runAfter, ...job }) => ({
      ...job,
      next_try: job.status === "failed" ? null : iso(runAfter),
    })),
    log: paths.workerLog,
    port: worker !== undefined && server?.pid === worker.pid ? server.port : null,
  };
  return { data, worker, jobs, troubled };
}

const LINES = 20;

export interface LogEntry {
  at: string;
  pid: number;
  message: string;
}

export function answerLogs({ paths, flags }: Pick<Asked, "paths" | "flags">): Answer & { entries: LogEntry[] } {
  const wanted = positiveInteger("--lines", flags["lines"] ?? LINES);
  const entries = logEntries<LogEntry>(paths.workerLog, wanted);
  if (entries.length === 0) throw new AppError("nothing_found", "The worker has not said anything yet.");
  return { data: { results: entries }, entries };
}

/** All that failed, or the job with this key. */
export function retryWork({ db }: Pick<Asked, "db">, key: string | undefined): Answer & { retried: number } {
  const retried = retryJobs(db, Date.now(), key);
  // A model that is left alone after trouble is asked again as well.
  const models = key === undefined ? clearPauses(db) : 0;
  if (retried + models === 0) {
    throw new AppError("nothing_found", key === undefined ? "Nothing has failed." : `No failed job is called ${key}.`);
  }
  return { data: { retried, models }, retried };
}
