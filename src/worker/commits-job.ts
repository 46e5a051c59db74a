// Compares a project's repository with its sessions, to link new commits to the sessions behind them.
import { findCaptureContext } from "../capture/capture-context.ts";
import { findGitTree } from "../platform/git-tree.ts";
import { count } from "../core/text.ts";
import { linkNewCommits } from "../memory/commits/link-commits.ts";
import { statOf } from "../platform/read-file.ts";
import type { Db } from "../store/db/driver.ts";
import { enqueueCommits, extendLease, finishJob, idInKey, type Job } from "../store/tables/jobs.ts";
import { projectById } from "../store/tables/projects.ts";
import { projectsToRead } from "../store/tables/repository-reads.ts";
import { failOrRethrow, type JobContext } from "./background-job.ts";

const DAY_MS = 24 * 60 * 60_000;
/** Projects without a session for so long are not read each day. */
const ACTIVE_MS = 60 * DAY_MS;

/** Enqueues the projects whose repository was not read for a day. */
export function requestCommits(db: Db, now: number): void {
  for (const project of projectsToRead(db, { activeSince: now - ACTIVE_MS, readBefore: now - DAY_MS }))
    requestCommitsOf(db, project, now);
}

/** Only if the project's folder is on this machine and has a repository. */
export function requestCommitsOf(db: Db, project: { id: number; root: string } | undefined, now: number): void {
  if (project !== undefined && findGitTree(project.root) !== undefined) enqueueCommits(db, project.id, now);
}

/** Throws only temporary errors. */
export async function runCommitsJob(db: Db, job: Job, context: JobContext, signal: AbortSignal): Promise<void> {
  const { paths, env, owner, log } = context;
  try {
    const project = projectById(db, Number(idInKey(job.key)));
    // A folder that is gone, or of another machine.
    const isHere = project !== undefined && statOf(project.root)?.isDirectory() === true;
    if (!isHere || findCaptureContext(project.root, paths.config, env).isExcluded)
      return finishJob(db, job, owner, Date.now());
    const done = await linkNewCommits(db, project, { env, signal, now: Date.now() });
    if (signal.aborted || !extendLease(db, job, owner, Date.now())) return;
    finishJob(db, job, owner, Date.now());
    if (done === undefined) return;
    if (done.hasMore) enqueueCommits(db, project.id, Date.now());
    if (done.linked > 0) log(`${job.key}: linked ${count(done.linked, "commit")} of ${project.name} to sessions`);
  } catch (error) {
    failOrRethrow(db, job, context, error);
  }
}
