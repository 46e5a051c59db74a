// Asks a model about a session's waiting turns, or about the whole session; the outcome finishes, postpones or fails the
// job.
import { findCaptureContext } from "../capture/capture-context.ts";
import { isModelOff, userSettings } from "../config/load.ts";
import { count } from "../core/text.ts";
import type { Provider } from "../llm/provider.ts";
import { openProvider } from "../llm/providers.ts";
import type { Enriched } from "../memory/enrich/ask-model.ts";
import { enrichSession } from "../memory/enrich/enrich-session.ts";
import { type EnrichOptions, enrichTurns, type Recording } from "../memory/enrich/enrich-turns.ts";
import type { Db } from "../store/db/driver.ts";
import { failJob, finishJob, type Job, nextDueAt, postponeJob, idInKey } from "../store/tables/jobs.ts";
import { deleteAllWaiting, isHandover, waitingTurns } from "../store/tables/model-turns.ts";
import { failOrRethrow, type JobContext } from "./background-job.ts";

/** How long a job waits until the user has fixed the settings. */
const BROKEN_SETTINGS_MS = 10 * 60_000;

/** Throws only temporary errors. If the worker stops during the request, the next worker sends it again. */
export async function runEnrichJob(db: Db, job: Job, context: JobContext, signal: AbortSignal): Promise<void> {
  const { paths, env, owner, log } = context;
  try {
    const settings = userSettings(paths, env);
    const provider = openProvider(settings, env);
    if (provider === undefined) {
      const isOff = isModelOff(paths, env);
      if (isOff) deleteAllWaiting(db);
      if (isOff) return finishJob(db, job, owner, Date.now(), "no model is configured");
      return postponeJob(db, job, owner, Date.now() + BROKEN_SETTINGS_MS, "the settings cannot be read");
    }
    const recording = (cwd: string): Recording => {
      const { isExcluded, isBlocked } = findCaptureContext(cwd, paths.config, env);
      return isBlocked ? "unknown" : isExcluded ? "off" : "on";
    };
    const outcome = await ask(db, provider, job, {
      settings,
      signal,
      recording,
      isRepeated: (nextDueAt(db, "enrich", Date.now()) ?? Infinity) <= Date.now(),
    });
    const now = Date.now();
    switch (outcome.kind) {
      case "saved":
        finishJob(db, job, owner, now);
        return log(`${job.key}: the model wrote ${what(outcome.observations, job)}`);
      case "kept":
        finishJob(db, job, owner, now, outcome.message);
        return log(`${job.key}: saved nothing: ${outcome.message}`);
      case "later": {
        const until = now + outcome.afterMs;
        if (outcome.counts) failJob(db, job, owner, { now, reason: outcome.message, notBefore: until });
        // Jobs with an error keep their time, others are due when the session ends.
        else postponeJob(db, job, owner, until, outcome.isWaiting ? null : outcome.message);
        return log(`${job.key} postponed: ${outcome.message}`);
      }
    }
  } catch (error) {
    failOrRethrow(db, job, context, error);
  }
}

function what(observations: number, { key }: Job): string {
  return isHandover(key) ? "the session's summary" : count(observations, "observation");
}

/** A session's summary is based on the model's notes about its turns: turns that still wait are sent first. */
async function ask(db: Db, provider: Provider, job: Job, options: EnrichOptions): Promise<Enriched> {
  const sessionDbId = Number(idInKey(job.key));
  if (!isHandover(job.key) || waitingTurns(db, sessionDbId).length > 0) {
    const outcome = await enrichTurns(db, provider, sessionDbId, options);
    if (!isHandover(job.key) || outcome.kind === "later") return outcome;
  }
  const outcome = await enrichSession(db, provider, sessionDbId, options);
  if (outcome.kind !== "later") await provider.close?.(String(sessionDbId));
  return outcome;
}
