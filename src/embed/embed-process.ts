// The embedding process, started by spawned.ts. Loads the model and answers requests until its parent ends or stops it.
import { resolvePaths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { embedInPasses } from "./local.ts";
import { loadMiniLm } from "./minilm.ts";
import type { Answer, Request } from "./spawned.ts";

interface Job {
  request: number;
  passes: Generator<number, Float32Array[]>;
  left: number;
}

process.on("disconnect", () => process.exit(0));
process.on("uncaughtException", (error) => fail(error));

const engine = loadMiniLm(resolvePaths({ C_MEM_HOME: process.argv[2] }));
const jobs: Job[] = [];
process.on("message", ({ request, texts }: Request) => {
  jobs.push({ request, passes: embedInPasses(engine, texts), left: texts.length });
  if (jobs.length === 1) setImmediate(runPass);
});
send({ ready: { id: engine.id, dimensions: engine.shape.hidden } });

/** Runs one pass of the shortest job, so that a query does not wait for a long batch. */
function runPass(): void {
  const [job] = jobs.toSorted((a, b) => a.left - b.left);
  if (job === undefined) return;
  const { done, value } = job.passes.next();
  if (done === true) {
    jobs.splice(jobs.indexOf(job), 1);
    send({ request: job.request, vectors: value });
  } else job.left = value;
  if (jobs.length > 0) setImmediate(runPass);
}

/** A message cannot contain an Error, so it has the fields of an AppError, or the stack of any other error. */
function fail(error: Error): void {
  const { code, hint } = error instanceof AppError ? error : { code: undefined, hint: undefined };
  const message = code === undefined ? (error.stack ?? error.message) : error.message;
  send({ failed: { code, message, hint } }, () => process.exit(1));
}

function send(answer: Answer, onSent?: () => void): void {
  process.send?.(answer, undefined, undefined, onSent);
}
