// Runs MiniLM in a separate process, which does not block a long-running process and exits when idle. A worker thread
// would leave 40 MB behind in the long-running process (measured).
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import type { Embedder } from "./embedder.ts";

export interface Request {
  request: number;
  texts: readonly string[];
}

type Ready = Pick<Embedder, "id" | "dimensions">;

export type Answer = { ready: Ready } | { request: number; vectors: Float32Array[] } | { failed: Failure };

interface Failure {
  /** The code of an AppError; undefined for any other error. */
  code: string | undefined;
  message: string;
  hint: string | undefined;
}

const IDLE_MS = 30_000;

/**
 * Starts the process at once, so that a missing or damaged model fails here. The process stops after `idleMs` without a
 * request, and starts again with the next one.
 */
export async function openSpawned(paths: Paths, { idleMs = IDLE_MS } = {}) {
  let current: ModelProcess | undefined;
  let idleTimer: NodeJS.Timeout | undefined;
  let running = 0;

  const stop = async (): Promise<void> => {
    clearTimeout(idleTimer);
    const stopping = current;
    current = undefined;
    await stopping?.stop();
  };
  const use = async <T>(work: (model: ModelProcess) => Promise<T>): Promise<T> => {
    clearTimeout(idleTimer);
    running++;
    try {
      return await work(
        (current ??= startProcess(paths, (ended) => {
          if (current === ended) current = undefined;
        })),
      );
    } finally {
      running--;
      if (running === 0 && current !== undefined) idleTimer = setTimeout(() => void stop(), idleMs).unref();
    }
  };

  const { id, dimensions } = await use((model) => model.ready);
  return {
    id,
    dimensions,
    /** Undefined while the process is stopped. */
    get pid() {
      return current?.pid;
    },
    embed: (texts: readonly string[]) =>
      texts.length === 0 ? Promise.resolve([]) : use((model) => model.embed(texts)),
    close: stop,
  } satisfies Embedder & { pid: number | undefined };
}

interface ModelProcess {
  pid: number | undefined;
  ready: Promise<Ready>;
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  stop(): Promise<void>;
}

function startProcess(paths: Paths, onEnd: (ended: ModelProcess) => void): ModelProcess {
  // Tests run the source. In dist/ and plugin/dist/ the file is next to the bundle.
  const file = import.meta.url.endsWith(".ts") ? "./embed-process.ts" : "./embed-process.cjs";
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [paths.home], {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    execArgv: [],
  });
  const ready = Promise.withResolvers<Ready>();
  const ended = Promise.withResolvers<void>();
  const waiting = new Map<number, PromiseWithResolvers<Float32Array[]>>();
  let requests = 0;

  const fail = (error: Error): void => {
    for (const { reject } of [ready, ...waiting.values()]) reject(error);
    waiting.clear();
    onEnd(model);
    ended.resolve();
  };
  /** Only a process with a request keeps its parent alive. */
  const keepAlive = (method: "ref" | "unref"): void => {
    child[method]();
    child.channel?.[method]();
  };
  // Prevents an unhandled rejection if the process exits while no caller waits for it.
  ready.promise.catch(() => undefined);
  child.on("message", (message) => {
    const answer = message as Answer;
    if ("ready" in answer) ready.resolve(answer.ready);
    else if ("failed" in answer) fail(toError(answer.failed));
    else {
      waiting.get(answer.request)?.resolve(answer.vectors);
      waiting.delete(answer.request);
    }
    if (waiting.size === 0) keepAlive("unref");
  });
  child.on("error", fail);
  child.on("exit", () => fail(new Error("The embedding process has ended")));

  const model: ModelProcess = {
    pid: child.pid,
    ready: ready.promise,
    embed(texts) {
      const answer = Promise.withResolvers<Float32Array[]>();
      const request = requests++;
      waiting.set(request, answer);
      keepAlive("ref");
      child.send({ request, texts } satisfies Request, (error) => {
        if (error !== null) fail(error);
      });
      return answer.promise;
    },
    async stop() {
      // Keep the parent alive until the process has exited.
      child.ref();
      child.kill();
      await ended.promise;
    },
  };
  return model;
}

function toError({ code, message, hint }: Failure): Error {
  return code === undefined ? new Error(message) : new AppError(code, message, { hint });
}
