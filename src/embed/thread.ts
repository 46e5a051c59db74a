// The thread that embeds: loads the model, answers requests until it is ended. Only threaded.ts starts it.
import { parentPort, workerData } from "node:worker_threads";
import type { Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { type Batch, createBatch } from "./batch.ts";
import { loadMiniLm } from "./minilm.ts";
import type { ThreadAnswer, ThreadRequest } from "./threaded.ts";

interface Job {
  request: number;
  batch: Batch;
}

if (parentPort !== null) serve(parentPort, workerData as Paths);

function serve(port: NonNullable<typeof parentPort>, paths: Paths): void {
  const send = (answer: ThreadAnswer, vectors: Float32Array[] = []): void =>
    port.postMessage(
      answer,
      vectors.map((vector) => vector.buffer as ArrayBuffer),
    );
  const { engine, note } = attempt(() => loadMiniLm(paths), send);
  const jobs: Job[] = [];

  /** One pass, then a look at what came in: a question must not wait for a long batch to end. */
  const work = (): void => {
    const job = jobs.reduce((least, next) => (next.batch.left < least.batch.left ? next : least), jobs[0] as Job);
    job.batch.step();
    if (job.batch.left === 0) {
      jobs.splice(jobs.indexOf(job), 1);
      send({ kind: "vectors", request: job.request, vectors: job.batch.vectors }, job.batch.vectors);
    }
    if (jobs.length > 0) setImmediate(work);
  };

  port.on("message", ({ request, texts }: ThreadRequest) => {
    jobs.push({ request, batch: createBatch(engine, texts) });
    if (jobs.length === 1) setImmediate(work);
  });
  send({ kind: "ready", id: engine.id, dimensions: engine.shape.hidden, note });
}

/** An error loses its class on the way to the other thread: what a person can act on is sent as words. */
function attempt<T>(load: () => T, send: (answer: ThreadAnswer) => void): T {
  try {
    return load();
  } catch (error) {
    if (error instanceof AppError) send({ kind: "failed", code: error.code, message: error.message, hint: error.hint });
    throw error;
  }
}
