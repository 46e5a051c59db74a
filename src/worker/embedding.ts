// The embedding that goes on in the background: one job, batch by batch; the model's process ends when nothing is left.
import { loadSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import { type EmbedSource, embedSource, isOf, openEmbedder } from "../embed/source.ts";
import { embedAll } from "../memory/embed.ts";
import type { Db } from "../store/db/driver.ts";
import {
  claimJob,
  enqueueEmbed,
  extendLease,
  failJob,
  finishJob,
  type Job,
  postponeJob,
  releaseJobs,
} from "../store/tables/jobs.ts";
import { embeddingModels, nextToEmbed } from "../store/vectors/vectors.ts";
import { type Log, reasonOf } from "./log.ts";
import { isTrouble } from "./trouble.ts";

export interface EmbedContext {
  paths: Paths;
  env: Env;
  owner: string;
  log: Log;
}

export interface Embedding {
  isBusy(): boolean;
  /** Asks for the job where something is to be embedded and can be. */
  ask(db: Db): void;
  /** Takes the job if it is due; false when there is none, or it is being done. */
  start(db: Db): boolean;
  /** Ends after the batch at hand is given up; what is not done waits. */
  stop(db: Db): Promise<void>;
}

/** A server that does not answer is asked again after this long, for as long as it takes. */
const UNREACHABLE_MS = 10 * 60_000;

export function createEmbedding(context: EmbedContext, onEnd: () => void): Embedding {
  const { owner } = context;
  const stopping = new AbortController();
  let current: Promise<void> | undefined;
  return {
    isBusy: () => current !== undefined,
    ask(db) {
      if (current !== undefined) return;
      const source = sourceOf(context);
      const [model] = embeddingModels(db);
      const isOther = model !== undefined && !isOf(source, model.name);
      if (source.kind !== "none" && (isOther || nextToEmbed(db, 1).length > 0)) enqueueEmbed(db, Date.now());
    },
    start(db) {
      if (current !== undefined) return false;
      const job = claimJob(db, "embed", owner, Date.now());
      if (job === undefined) return false;
      current = runEmbedJob(db, job, { ...context, signal: stopping.signal }).finally(() => {
        current = undefined;
        onEnd();
      });
      return true;
    },
    async stop(db) {
      stopping.abort();
      await current;
      releaseJobs(db, owner, Date.now());
    },
  };
}

/** Read anew each time: settings may have changed since the worker began, and the model may have come. */
function sourceOf({ paths, env }: EmbedContext): EmbedSource {
  return embedSource(loadSettings({ user: paths.config }, env).values, env, paths);
}

async function runEmbedJob(db: Db, job: Job, context: EmbedContext & { signal: AbortSignal }): Promise<void> {
  const { owner, log, paths, signal } = context;
  try {
    const source = sourceOf(context);
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
      if (done > 0) log(`${job.key}: ${done} turns and observations, by ${embedder.id}`);
    }
    finishJob(db, job, owner, Date.now());
  } catch (error) {
    if (!signal.aborted) setAside(db, job, context, error);
  }
}

function setAside(db: Db, job: Job, { owner, log }: EmbedContext, error: unknown): void {
  const reason = reasonOf(error);
  log(`${job.key} waits: ${reason}`);
  try {
    if ((error as { code?: unknown }).code === "endpoint_unreachable")
      postponeJob(db, job, owner, Date.now() + UNREACHABLE_MS, reason);
    // A full disk, a busy database: it goes on when that is over.
    else if (isTrouble(error)) postponeJob(db, job, owner, Date.now() + UNREACHABLE_MS / 10, reason);
    else failJob(db, job, owner, { now: Date.now(), reason });
  } catch (trouble) {
    log(`trouble: ${reasonOf(trouble)}`);
  }
}
