// The embedding process, started by spawned.ts. Loads the model and answers requests until its parent ends or stops it.
import { resolvePaths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { embedInPasses } from "./local.ts";
import { loadMiniLm } from "./minilm.ts";
import type { Answer, Request } from "./spawned.ts";

interface OpenRequest {
  request: number;
  passes: Generator<number, Float32Array[]>;
  /** Number of texts without a vector. */
  left: number;
}

process.on("disconnect", () => process.exit(0));
process.on("uncaughtException", (error) => fail(error));

const engine = loadMiniLm(resolvePaths({ C_MEM_HOME: process.argv[2] }));
const open: OpenRequest[] = [];
process.on("message", ({ request, texts }: Request) => {
  open.push({ request, passes: embedInPasses(engine, texts), left: texts.length });
  if (open.length === 1) setImmediate(runPass);
});
send({ ready: { id: engine.id, dimensions: engine.shape.hidden } });

/** Runs one pass of the shortest request, so that a query does not wait for a long batch. */
function runPass(): void {
  const [shortest] = open.toSorted((a, b) => a.left - b.left);
  if (shortest === undefined) return;
  const { done, value } = shortest.passes.next();
  if (done === true) {
    open.splice(open.indexOf(shortest), 1);
    send({ request: shortest.request, vectors: value });
  } else shortest.left = value;
  if (open.length > 0) setImmediate(runPass);
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
