// Reads transcripts in a thread of its own: parsing and filtering there, writing here, each half of the work.
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { AGENTS } from "../../agents/spec.ts";
import type { TranscriptFile } from "../../agents/transcript.ts";
import type { CapturedEvent } from "../../core/event.ts";
import { type Piece, type ReadContext, type ReadRequest, type ReadStep, readTranscript } from "./read-transcript.ts";

/** Pieces that may wait to be stored: enough that neither side waits for long, few enough to bound memory. */
const MAX_WAITING = 8;
/** Pieces come every 10 ms or so. A commit between any two of them would cost a quarter of all writing. */
const PATIENCE_MS = 25;
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

/** A step on its way. What events of one file say again and again goes once: an object that is sent twice is sent by reference. */
type Parcel =
  | Exclude<ReadStep, { piece: unknown }>
  | { file: TranscriptFile; piece: Omit<Piece, "events"> & { events: Packed[] } };

interface Packed {
  about: Omit<CapturedEvent, "at" | "activity">;
  at: number;
  activity: CapturedEvent["activity"];
}

function pack(step: ReadStep): Parcel {
  if (!("piece" in step)) return step;
  let last: Packed["about"] = {} as Packed["about"];
  const events = step.piece.events.map(({ at, activity, ...about }): Packed => {
    if (!isSame(about, last)) last = about;
    return { about: last, at, activity };
  });
  return { file: step.file, piece: { ...step.piece, events } };
}

function unpack(parcel: Parcel): ReadStep {
  if (!("piece" in parcel)) return parcel;
  const events = parcel.piece.events.map(({ about, at, activity }): CapturedEvent => ({ ...about, at, activity }));
  return { file: parcel.file, piece: { ...parcel.piece, events } };
}

function isSame<T extends object>(a: T, b: T): boolean {
  const keys = Object.keys(a) as (keyof T)[];
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** `onWait` is called when nothing is read for a while. */
export async function* readInThread(
  requests: Iterator<ReadRequest>,
  context: ReadContext,
  { thread, onWait }: { thread: URL; onWait: () => void },
): AsyncGenerator<ReadStep, void> {
  const { settings, force, project, excludePaths, privateIds } = context;
  const [env, places] = [{ ...context.env }, new Map()];
  const worker = new Worker(thread, {
    workerData: { env, settings, force, project, excludePaths, privateIds, places } satisfies ReadContext,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const steps: ReadStep[] = [];
  const asked: ReadRequest[] = [];
  let failure: Error | undefined;
  let wake = () => {};
  worker.on("message", (parcel: Parcel) => {
    steps.push(unpack(parcel));
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
      } else {
        await new Promise<void>((resolve, reject) => {
          const timer = setTimeout(() => {
            try {
              onWait();
            } catch (error) {
              // Thrown from a timer it would end the process.
              reject(error as Error);
            }
          }, PATIENCE_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
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
      port.postMessage(pack(step));
      state.waiting += 1;
      while (state.waiting >= MAX_WAITING) await once(port, "message");
      await setImmediate();
    }
  }
}

if (!isMainThread && parentPort !== null) void serve(parentPort, workerData as ReadContext);
