// MiniLM in a thread of its own, for a process that stays: nobody waits while it computes, and when nothing was asked
// for a while the thread ends and its memory with it. A thread and not a process: it ends as cleanly (measured, see
// bench/embed.ts) and starts without another Node's fifty megabytes.
import { Worker } from "node:worker_threads";
import type { Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import type { Embedder } from "./embedder.ts";

export interface ThreadRequest {
  request: number;
  texts: readonly string[];
}

export type ThreadAnswer =
  | { kind: "ready"; id: string; dimensions: number; note: string | undefined }
  | { kind: "failed"; code: string; message: string; hint: string | undefined }
  | { kind: "vectors"; request: number; vectors: Float32Array[] };

export interface ThreadedEmbedder extends Embedder {
  /** What had to be put right when the model was loaded. */
  readonly note: string | undefined;
  /** Whether the thread is there, and its memory taken. */
  readonly isRunning: boolean;
}

export interface ThreadedOptions {
  /** The thread ends when nothing was asked for so long; the next request starts it again. */
  idleMs?: number;
}

const DEFAULT_IDLE_MS = 30_000;

/** Starts the thread once to see that the model is there and whole; throws what there is to say if not. */
export async function openThreaded(paths: Paths, options: ThreadedOptions = {}): Promise<ThreadedEmbedder> {
  const { idleMs = DEFAULT_IDLE_MS } = options;
  let thread: Thread | undefined;
  let idle: NodeJS.Timeout | undefined;
  let busy = 0;

  const rest = async (): Promise<void> => {
    clearTimeout(idle);
    const ending = thread;
    thread = undefined;
    await ending?.end();
  };
  const running = (): Thread => {
    if (thread !== undefined) return thread;
    const started = startThread(paths, () => {
      if (thread === started) thread = undefined;
    });
    thread = started;
    return started;
  };
  const use = async <T>(work: (thread: Thread) => Promise<T>): Promise<T> => {
    clearTimeout(idle);
    busy++;
    try {
      return await work(running());
    } finally {
      busy--;
      if (busy === 0 && thread !== undefined) idle = setTimeout(() => void rest(), idleMs).unref();
    }
  };

  const { id, dimensions, note } = await use((each) => each.ready);
  return {
    id,
    dimensions,
    note,
    get isRunning() {
      return thread !== undefined;
    },
    embed: (texts) => (texts.length === 0 ? Promise.resolve([]) : use((each) => each.ask(texts))),
    close: rest,
  };
}

interface Thread {
  ready: Promise<Extract<ThreadAnswer, { kind: "ready" }>>;
  ask(texts: readonly string[]): Promise<Float32Array[]>;
  end(): Promise<void>;
}

/** From source in tests, from dist/ in what users run. */
function entry(): URL {
  return new URL(import.meta.url.endsWith(".ts") ? "./thread.ts" : "./embed-thread.mjs", import.meta.url);
}

function startThread(paths: Paths, onEnd: () => void): Thread {
  const worker = new Worker(entry(), { workerData: paths, name: "c-mem embedding" });
  const waiting = new Map<number, PromiseWithResolvers<Float32Array[]>>();
  const ready = Promise.withResolvers<Extract<ThreadAnswer, { kind: "ready" }>>();
  let requests = 0;

  /** A thread with nothing to do does not keep the process alive. */
  const restIfDone = (): void => {
    if (waiting.size === 0) worker.unref();
  };
  const fail = (error: Error): void => {
    ready.reject(error);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    onEnd();
  };
  // Handled where it is awaited; a thread that ends while nobody waits is no error.
  ready.promise.catch(() => undefined);
  worker.on("message", (answer: ThreadAnswer) => {
    switch (answer.kind) {
      case "ready":
        ready.resolve(answer);
        restIfDone();
        break;
      case "failed":
        fail(new AppError(answer.code, answer.message, answer.hint === undefined ? {} : { hint: answer.hint }));
        break;
      case "vectors":
        waiting.get(answer.request)?.resolve(answer.vectors);
        waiting.delete(answer.request);
        restIfDone();
        break;
    }
  });
  worker.on("error", (error) => fail(error instanceof Error ? error : new Error(String(error))));
  worker.on("exit", () => fail(new Error("The embedding thread has ended")));

  return {
    ready: ready.promise,
    ask(texts) {
      const answer = Promise.withResolvers<Float32Array[]>();
      const request = requests++;
      waiting.set(request, answer);
      worker.ref();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
      worker.postMessage({ request, texts } satisfies ThreadRequest);
      return answer.promise;
    },
    async end() {
      await worker.terminate();
    },
  };
}
