// A turn's second look, by a model: what comes of it decides whether the job is done, waits or has failed.
import { findCaptureContext } from "../capture/capture-context.ts";
import { loadSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import { openProvider } from "../llm/providers.ts";
import { type Enriched, enrichTurn } from "../memory/enrich/enrich-turn.ts";
import type { Db } from "../store/db/driver.ts";
import { failJob, finishJob, type Job, postponeJob, subjectOf } from "../store/tables/jobs.ts";
import { type Log, reasonOf } from "./log.ts";
import { isTrouble } from "./trouble.ts";

export interface EnrichContext {
  paths: Paths;
  env: Env;
  owner: string;
  log: Log;
  /** Aborted: the worker leaves, and the next one asks. */
  signal: AbortSignal;
}

/** Read anew each time: they may have changed since the worker began. */
export function modelSettings({ paths, env }: { paths: Paths; env: Env }): Settings {
  return loadSettings({ user: paths.config }, env).values;
}

/** Throws only what is trouble of the store. */
export async function runEnrichJob(db: Db, job: Job, context: EnrichContext): Promise<void> {
  try {
    const settings = modelSettings(context);
    const provider = openProvider(settings, context.env);
    const outcome: Enriched =
      provider === undefined
        ? { kind: "kept", why: "nothing-to-say", message: "no model is chosen" }
        : await enrichTurn(db, provider, Number(subjectOf(job.key)), {
            settings,
            signal: context.signal,
            isExcluded: (cwd) => findCaptureContext(cwd, context.paths.config, context.env).isExcluded,
          });
    conclude(db, job, outcome, context);
  } catch (error) {
    if (isTrouble(error)) throw error;
    failJob(db, job, context.owner, { now: Date.now(), reason: reasonOf(error) });
    context.log(`${job.key} failed: ${reasonOf(error)}`);
  }
}

function conclude(db: Db, job: Job, outcome: Enriched, { owner, log }: EnrichContext): void {
  const now = Date.now();
  switch (outcome.kind) {
    case "saved":
      finishJob(db, job, owner, now);
      log(`${job.key}: a model's version with ${outcome.observations} observations`);
      return;
    case "kept":
      finishJob(db, job, owner, now, outcome.message);
      log(`${job.key}: the extractor's version stays: ${outcome.message}`);
      return;
    case "later": {
      const until = now + outcome.afterMs;
      if (outcome.counts) failJob(db, job, owner, { now, reason: outcome.message, notBefore: until });
      else postponeJob(db, job, owner, until, outcome.message);
      log(`${job.key} waits: ${outcome.message}`);
      return;
    }
  }
}
