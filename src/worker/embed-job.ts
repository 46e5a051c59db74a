// Embeds turns and observations in batches until all are done. A model on this machine runs in its own process, which
// ends with the job.
import { userSettings } from "../config/load.ts";
import { type EmbedSource, embedSource, isFromSource, openEmbedder } from "../embed/source.ts";
import { embedAll } from "../memory/embed.ts";
import type { Db } from "../store/db/driver.ts";
import { enqueueEmbed, extendLease, failJob, finishJob, type Job, postponeJob } from "../store/tables/jobs.ts";
import { embeddingModels, nextToEmbed } from "../store/vectors/vectors.ts";
import { isTemporary, type JobContext } from "./background-job.ts";
import { reasonOf } from "./log.ts";

const RETRY_UNREACHABLE_MS = 10 * 60_000;
const RETRY_TEMPORARY_MS = 60_000;

/** Enqueues the job if some rows have no vector, or only one by another model. */
export function requestEmbedding(db: Db, context: Pick<JobContext, "paths" | "env">): void {
  const source = currentSource(context);
  const [model] = embeddingModels(db);
  const isOther = model !== undefined && !isFromSource(source, model.name);
  if (source.kind !== "none" && (isOther || nextToEmbed(db, 1).length > 0)) enqueueEmbed(db, Date.now());
}

/** Reads the settings again for each job: they may have changed, or the model may have been installed. */
function currentSource({ paths, env }: Pick<JobContext, "paths" | "env">): EmbedSource {
  return embedSource(userSettings(paths, env), env, paths);
}

export async function runEmbedJob(db: Db, job: Job, context: JobContext, signal: AbortSignal): Promise<void> {
  const { owner, log, paths } = context;
  try {
    const source = currentSource(context);
    if (source.kind === "none") return finishJob(db, job, owner, Date.now(), source.why);
    const embedder = await openEmbedder(source, paths);
    const close = (): void => void embedder.close();
    signal.addEventListener("abort", close);
    let done = 0;
    try {
      for await (const items of embedAll(db, embedder)) {
        done += items;
        if (signal.aborted || !extendLease(db, job, owner, Date.now())) return;
      }
    } finally {
      signal.removeEventListener("abort", close);
      await embedder.close();
      if (done > 0) log(`${job.key}: embedded ${done} turns and observations with ${embedder.id}`);
    }
    finishJob(db, job, owner, Date.now());
  } catch (error) {
    if (signal.aborted) return;
    const reason = reasonOf(error);
    log(`${job.key} failed: ${reason}`);
    const isUnreachable = (error as { code?: unknown }).code === "endpoint_unreachable";
    const waitMs = isUnreachable ? RETRY_UNREACHABLE_MS : isTemporary(error) ? RETRY_TEMPORARY_MS : undefined;
    if (waitMs === undefined) failJob(db, job, owner, { now: Date.now(), reason });
    else postponeJob(db, job, owner, Date.now() + waitMs, reason);
  }
}
