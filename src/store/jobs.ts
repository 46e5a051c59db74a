// jobs: the one queue for all background work.
import type { Db } from "./driver.ts";

export interface JobSeed {
  kind: "turn" | "session";
  /** Names the work: asking for the same work again changes nothing while it waits, and wakes it once it is done. */
  key: string;
  runAfter: number;
}

export function enqueueJob(db: Db, job: JobSeed, at: number): void {
  db.run(
    `INSERT INTO jobs (kind, key, run_after, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET run_after = excluded.run_after, status = 'pending', attempts = 0, last_error = NULL
     WHERE status IN ('done', 'failed')`,
    job.kind,
    job.key,
    job.runAfter,
    at,
  );
}
