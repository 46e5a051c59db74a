// Asks a model about one turn; the outcome finishes, postpones or fails the job.
import { findCaptureContext } from "../capture/capture-context.ts";
import { loadSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import { openProvider } from "../llm/providers.ts";
import { enrichTurn } from "../memory/enrich/enrich-turn.ts";
import type { Db } from "../store/db/driver.ts";
import { failJob, finishJob, type Job, postponeJob, subjectOf } from "../store/tables/jobs.ts";
import { isMachineError } from "./background-job.ts";
import { type Log, reasonOf } from "./log.ts";

interface EnrichContext {
  paths: Paths;
  env: Env;
  owner: string;
  log: Log;
}

/** Read each time: the settings may have changed since the worker started. */
export function currentSettings({ paths, env }: { paths: Paths; env: Env }): Settings {
  return loadSettings({ user: paths.config }, env).values;
}

/** Throws only errors of the machine. An aborted question is asked again by the next worker. */
export async function runEnrichJob(db: Db, job: Job, context: EnrichContext, signal: AbortSignal): Promise<void> {
  const { paths, env, owner, log } = context;
  try {
    const settings = currentSettings(context);
    const provider = openProvider(settings, env);
    if (provider === undefined) return finishJob(db, job, owner, Date.now(), "no model is configured");
    const isExcluded = (cwd: string): boolean => findCaptureContext(cwd, paths.config, env).isExcluded;
    const outcome = await enrichTurn(db, provider, Number(subjectOf(job.key)), { settings, signal, isExcluded });
    const now = Date.now();
    switch (outcome.kind) {
      case "saved":
        finishJob(db, job, owner, now);
        return log(`${job.key}: a model's version with ${outcome.observations} observations`);
      case "kept":
        finishJob(db, job, owner, now, outcome.message);
        return log(`${job.key}: the extractor's version stays: ${outcome.message}`);
      case "later": {
        const until = now + outcome.afterMs;
        if (outcome.counts) failJob(db, job, owner, { now, reason: outcome.message, notBefore: until });
        else postponeJob(db, job, owner, until, outcome.message);
        return log(`${job.key} waits: ${outcome.message}`);
      }
    }
  } catch (error) {
    if (isMachineError(error)) throw error;
    failJob(db, job, owner, { now: Date.now(), reason: reasonOf(error) });
    log(`${job.key} failed: ${reasonOf(error)}`);
  }
}
