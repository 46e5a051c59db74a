// Reads transcripts in a thread of its own: parsing and filtering there, writing here, each half of the work.
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { AGENTS } from "../agents/spec.ts";
import type { TranscriptFile } from "../agents/transcript.ts";
import { type ReadContext, type ReadRequest, type ReadStep, readTranscript } from "./read-transcript.ts";

/** Pieces that may wait to be stored: enough that neither side waits for long, few enough to bound memory. */
const MAX_WAITING = 3;
/** Files asked for ahead of what has been read. */
const MAX_ORDERS = 16;
/** Left to itself, the young generation grows until 100 MB of garbage lie about. */
const YOUNG_MB = 16;

/** A request without its reader, which is code and cannot be sent: the agent table has it. */
interface Order extends Omit<ReadRequest, "transcript"> {
  file: TranscriptFile;
  agent: number;
  source: number;
}

/** While nothing has been read yet `idle` is called; false means that it has nothing to do either. */
export async function* readInThread(
  requests: Iterator<ReadRequest>,
  context: ReadContext,
  { thread, idle }: { thread: URL; idle: () => boolean },
): AsyncGenerator<ReadStep, void> {
  const { env, settings, force, project, privateIds } = context;
  const worker = new Worker(thread, {
    workerData: { env: { ...env }, settings, force, project, privateIds, places: new Map() } satisfies ReadContext,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const steps: ReadStep[] = [];
  const asked: ReadRequest[] = [];
  let failure: Error | undefined;
  let wake = () => {};
  worker.on("message", (step: ReadStep) => {
    steps.push(step);
    wake();
  });
  worker.on("error", (error) => (failure = error));
  worker.on("exit", () => {
    failure ??= new Error("the thread that read it has ended");
    wake();
  });
  const ask = () => {
    while (asked.length < MAX_ORDERS) {
      const next = requests.next();
      if (next.done) return;
      asked.push(next.value);
      worker.postMessage(orderOf(next.value));
    }
  };
  try {
    for (ask(); asked.length > 0; ask()) {
      const step = steps.shift();
      if (step !== undefined) {
        worker.postMessage("taken");
        if ("error" in step || step.piece.isLast) asked.shift();
        if ("piece" in step) for (const id of step.piece.privateIds) context.privateIds.add(id);
        yield step;
      } else if (failure !== undefined) {
        break;
      } else if (idle()) {
        await setImmediate();
      } else {
        await new Promise<void>((resolve) => (wake = resolve));
      }
    }
  } finally {
    await worker.terminate();
  }
  yield* readOn(asked, requests, context, failure);
}

/** The file that killed the thread has failed; the others are read here. */
function* readOn(
  asked: readonly ReadRequest[],
  requests: Iterator<ReadRequest>,
  context: ReadContext,
  failure: Error | undefined,
): Generator<ReadStep, void> {
  const [culprit, ...others] = asked;
  if (culprit === undefined) return;
  yield { file: culprit.transcript.file, error: failure?.message ?? "" };
  for (const request of others) yield* readTranscript(request, context);
  for (let next = requests.next(); !next.done; next = requests.next()) yield* readTranscript(next.value, context);
}

function orderOf({ transcript, ...rest }: ReadRequest): Order {
  const { file, reader } = transcript;
  const agent = AGENTS.findIndex(({ sources }) => sources.some((source) => source.reader === reader));
  const source = AGENTS[agent]?.sources.findIndex((one) => one.reader === reader) ?? -1;
  return { ...rest, file, agent, source };
}

/** What the thread runs. */
async function serve(port: NonNullable<typeof parentPort>, context: ReadContext): Promise<void> {
  const orders: Order[] = [];
  const state = { waiting: 0 };
  port.on("message", (message: Order | "taken") => {
    if (message === "taken") state.waiting -= 1;
    else orders.push(message);
  });
  for (;;) {
    const order = orders.shift();
    if (order === undefined) {
      await once(port, "message");
      continue;
    }
    const { file, agent, source, ...rest } = order;
    const reader = AGENTS[agent]?.sources[source]?.reader;
    if (reader === undefined) throw new Error(`No reader for ${file.path}`);
    for (const step of readTranscript({ ...rest, transcript: { file, reader } }, context)) {
      port.postMessage(step);
      state.waiting += 1;
      while (state.waiting >= MAX_WAITING) await once(port, "message");
      await setImmediate();
    }
  }
}

if (!isMainThread && parentPort !== null) void serve(parentPort, workerData as ReadContext);
