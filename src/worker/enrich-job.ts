// Asks a model about one turn; the outcome finishes, postpones or fails the job.
import { findCaptureContext } from "../capture/capture-context.ts";
import { userSettings } from "../config/load.ts";
import { count } from "../core/text.ts";
import { openProvider } from "../llm/providers.ts";
import { enrichTurn } from "../memory/enrich/enrich-turn.ts";
import type { Db } from "../store/db/driver.ts";
import { failJob, finishJob, type Job, postponeJob, idInKey } from "../store/tables/jobs.ts";
import { failOrRethrow, type JobContext } from "./background-job.ts";

/** Throws only temporary errors. If the worker stops during the request, the next worker sends it again. */
export async function runEnrichJob(db: Db, job: Job, context: JobContext, signal: AbortSignal): Promise<void> {
  const { paths, env, owner, log } = context;
  try {
    const settings = userSettings(paths, env);
    const provider = openProvider(settings, env);
    if (provider === undefined) return finishJob(db, job, owner, Date.now(), "no model is configured");
    const isExcluded = (cwd: string): boolean => findCaptureContext(cwd, paths.config, env).isExcluded;
    const outcome = await enrichTurn(db, provider, Number(idInKey(job.key)), { settings, signal, isExcluded });
    const now = Date.now();
    switch (outcome.kind) {
      case "saved":
        finishJob(db, job, owner, now);
        return log(`${job.key}: the model wrote ${count(outcome.observations, "observation")}`);
      case "kept":
        finishJob(db, job, owner, now, outcome.message);
        return log(`${job.key}: kept the extractor's version: ${outcome.message}`);
      case "later": {
        const until = now + outcome.afterMs;
        if (outcome.counts) failJob(db, job, owner, { now, reason: outcome.message, notBefore: until });
        else postponeJob(db, job, owner, until, outcome.message);
        return log(`${job.key} postponed: ${outcome.message}`);
      }
    }
  } catch (error) {
    failOrRethrow(db, job, context, error);
  }
}
