// The process that embeds: loads the model, answers requests until its parent lets go. Only spawned.ts starts it.
import { type Paths, resolvePaths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { type Batch, createBatch } from "./batch.ts";
import type { Engine } from "./engine.ts";
import { loadMiniLm } from "./minilm.ts";
import type { Answer, Request } from "./spawned.ts";

interface Job {
  request: number;
  batch: Batch;
}

// A parent that has ended, however that came, needs no vectors any more.
process.on("disconnect", () => process.exit(0));
process.on("uncaughtException", (error) => fail(error));
serve(resolvePaths({ C_MEM_HOME: process.argv[2] }));

function serve(paths: Paths): void {
  const { engine, note } = loadMiniLm(paths);
  process.on("message", takeRequests(engine));
  send({ kind: "ready", id: engine.id, dimensions: engine.shape.hidden, note });
}

/** One pass, then a look at what came in meanwhile: a question must not wait for a long batch to end. */
function takeRequests(engine: Engine): (request: Request) => void {
  const jobs: Job[] = [];
  const work = (): void => {
    const shortest = jobs.toSorted((a, b) => a.batch.left - b.batch.left)[0];
    if (shortest === undefined) return;
    shortest.batch.step();
    if (shortest.batch.left === 0) {
      jobs.splice(jobs.indexOf(shortest), 1);
      send({ kind: "vectors", request: shortest.request, vectors: shortest.batch.vectors });
    }
    if (jobs.length > 0) setImmediate(work);
  };
  return ({ request, texts }) => {
    jobs.push({ request, batch: createBatch(engine, texts) });
    if (jobs.length === 1) setImmediate(work);
  };
}

/** An error loses its class on the way: what a person can act on is sent in words, a bug with its stack. */
function fail(error: Error): void {
  const { code, hint } = error instanceof AppError ? error : { code: undefined, hint: undefined };
  const message = code === undefined ? (error.stack ?? error.message) : error.message;
  send({ kind: "failed", code, message, hint }, () => process.exit(1));
}

function send(answer: Answer, then?: () => void): void {
  process.send?.(answer, undefined, undefined, then);
}
