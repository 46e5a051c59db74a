// Reads transcripts in a thread, which parses and filters while the main thread writes.
import { once } from "node:events";
import { setImmediate, setTimeout } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { AGENTS } from "../../agents/spec.ts";
import type { TranscriptFile } from "../../agents/transcript.ts";
import { type ReadContext, type ReadRequest, type ReadStep, readTranscript } from "./read-transcript.ts";

/** Limit of pieces waiting to be stored: bounds the memory, and is enough to keep both threads busy. */
const MAX_WAITING = 8;
/** `onWait` is called after this long without a piece. Pieces arrive every 10 ms; to commit each takes 25% longer. */
const IDLE_MS = 25;
/** Limit of requests sent to the thread and not finished. */
const MAX_SENT = 16;
/** Limit of V8's young generation, which would otherwise grow to 100 MB of garbage. */
const YOUNG_MB = 16;

const READERS = AGENTS.flatMap(({ sources }) => sources.map(({ reader }) => reader));

/** A request with its reader by number, because code cannot be sent. */
interface Message extends Omit<ReadRequest, "transcript"> {
  file: TranscriptFile;
  reader: number;
}

/** Yields the steps of all requests. `onWait` is called when no piece has come for a while. */
export async function* readInThread(
  requests: Iterator<ReadRequest>,
  context: ReadContext,
  { thread, onWait }: { thread: URL; onWait: () => void },
): AsyncGenerator<ReadStep, void> {
  // Only these fields are copied: a SyncContext has others that cannot be sent to a thread.
  const { settings, force, project, excludePaths, privateIds } = context;
  const data = { settings, force, project, excludePaths, privateIds };
  const workerContext: ReadContext = { ...data, env: { ...context.env }, places: new Map() };
  const worker = new Worker(thread, {
    workerData: workerContext,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const steps: ReadStep[] = [];
  const sent: ReadRequest[] = [];
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
  const send = () => {
    while (sent.length < MAX_SENT) {
      const next = requests.next();
      if (next.done) return;
      const { transcript, ...rest } = next.value;
      sent.push(next.value);
      const message: Message = { ...rest, file: transcript.file, reader: READERS.indexOf(transcript.reader) };
      worker.postMessage(message);
    }
  };
  try {
    for (send(); sent.length > 0; send()) {
      const step = steps.shift();
      if (step !== undefined) {
        worker.postMessage("taken");
        if ("error" in step || step.piece.isLast) sent.shift();
        if ("piece" in step) for (const id of step.piece.privateIds) context.privateIds.add(id);
        yield step;
      } else if (failure !== undefined) {
        break;
      } else {
        const woken = new Promise<false>((resolve) => (wake = () => resolve(false)));
        const isLate = await Promise.race([woken, setTimeout(IDLE_MS, true, { ref: false })]);
        if (!isLate) continue;
        onWait();
        await woken;
      }
    }
  } finally {
    await worker.terminate();
  }
  // The thread has died: report the file that it was reading as failed and read the others on this thread.
  const [culprit, ...others] = sent;
  if (culprit === undefined) return;
  yield { file: culprit.transcript.file, error: failure?.message ?? "" };
  for (const request of others) yield* readTranscript(request, context);
  for (let next = requests.next(); !next.done; next = requests.next()) yield* readTranscript(next.value, context);
}

/** The thread's main loop. */
async function serve(port: NonNullable<typeof parentPort>, context: ReadContext): Promise<void> {
  const messages: Message[] = [];
  const state = { waiting: 0 };
  port.on("message", (message: Message | "taken") => {
    if (message === "taken") state.waiting -= 1;
    else messages.push(message);
  });
  for (;;) {
    const message = messages.shift();
    if (message === undefined) {
      await once(port, "message");
      continue;
    }
    const { file, reader: number, ...rest } = message;
    const reader = READERS[number];
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
