// MiniLM in a process of its own, for one that stays: nobody waits while it computes, and when nothing was asked for a
// while it ends. A thread would do the same, but leaves some 40 MB behind in the process it ran in (measured).
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import type { Embedder } from "./embedder.ts";

export interface Request {
  request: number;
  texts: readonly string[];
}

export type Answer = Ready | Failed | { kind: "vectors"; request: number; vectors: Float32Array[] };

interface Ready {
  kind: "ready";
  id: string;
  dimensions: number;
  note: string | undefined;
}

interface Failed {
  kind: "failed";
  code: string | undefined;
  message: string;
  hint: string | undefined;
}

export interface SpawnedEmbedder extends Embedder {
  /** What had to be put right when the model was loaded. */
  readonly note: string | undefined;
  /** Of the process, while there is one. */
  readonly pid: number | undefined;
}

export interface SpawnOptions {
  /** The process ends when nothing was asked for so long; the next request starts it again. */
  idleMs?: number;
}

const DEFAULT_IDLE_MS = 30_000;

/** Starts the process once to see that the model is there and whole; throws what there is to say if not. */
export async function openSpawned(paths: Paths, options: SpawnOptions = {}): Promise<SpawnedEmbedder> {
  const { idleMs = DEFAULT_IDLE_MS } = options;
  let current: ModelProcess | undefined;
  let idle: NodeJS.Timeout | undefined;
  let busy = 0;

  const end = async (): Promise<void> => {
    clearTimeout(idle);
    const ending = current;
    current = undefined;
    await ending?.end();
  };
  const running = (): ModelProcess => {
    if (current !== undefined) return current;
    const started = start(paths, () => {
      if (current === started) current = undefined;
    });
    current = started;
    return started;
  };
  const use = async <T>(work: (each: ModelProcess) => Promise<T>): Promise<T> => {
    clearTimeout(idle);
    busy++;
    try {
      return await work(running());
    } finally {
      busy--;
      if (busy === 0 && current !== undefined) idle = setTimeout(() => void end(), idleMs).unref();
    }
  };

  const { id, dimensions, note } = await use((each) => each.ready);
  return {
    id,
    dimensions,
    note,
    get pid() {
      return current?.pid;
    },
    embed: (texts) => (texts.length === 0 ? Promise.resolve([]) : use((each) => each.ask(texts))),
    close: end,
  };
}

/** One process, from its start to its end. */
interface ModelProcess {
  pid: number | undefined;
  ready: Promise<Ready>;
  ask(texts: readonly string[]): Promise<Float32Array[]>;
  end(): Promise<void>;
}

function start(paths: Paths, onEnd: () => void): ModelProcess {
  const child = fork(entry(), [paths.home], {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    execArgv: [],
  });
  const ready = Promise.withResolvers<Ready>();
  const ended = Promise.withResolvers<void>();
  const waiting = new Map<number, PromiseWithResolvers<Float32Array[]>>();
  let requests = 0;

  const fail = (error: Error): void => {
    ready.reject(error);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    onEnd();
    ended.resolve();
  };
  // Handled where it is awaited; a process that ends while nobody waits is no error.
  ready.promise.catch(() => undefined);
  child.on("message", (message) => {
    const answer = message as Answer;
    switch (answer.kind) {
      case "ready":
        ready.resolve(answer);
        break;
      case "failed":
        fail(errorOf(answer));
        break;
      case "vectors":
        waiting.get(answer.request)?.resolve(answer.vectors);
        waiting.delete(answer.request);
        break;
    }
    if (waiting.size === 0) holdParent(child, false);
  });
  child.on("error", fail);
  child.on("exit", () => fail(new Error("The embedding process has ended")));

  return {
    pid: child.pid,
    ready: ready.promise,
    ask(texts) {
      const answer = Promise.withResolvers<Float32Array[]>();
      const request = requests++;
      waiting.set(request, answer);
      holdParent(child, true);
      child.send({ request, texts } satisfies Request, (error) => {
        if (error !== null) fail(error);
      });
      return answer.promise;
    },
    async end() {
      // Whoever waits for the end must live to see it.
      child.ref();
      child.kill();
      await ended.promise;
    },
  };
}

/** A process with nothing to do does not keep its parent alive. */
function holdParent(child: ChildProcess, hold: boolean): void {
  if (hold) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}

function errorOf({ code, message, hint }: Failed): Error {
  if (code === undefined) return new Error(message);
  return new AppError(code, message, hint === undefined ? {} : { hint });
}

/** From source in tests; in what users run it lies beside the bundle: dist/ or plugin/dist/. */
function entry(): string {
  const file = import.meta.url.endsWith(".ts") ? "./embed-process.ts" : "./embed-process.cjs";
  return fileURLToPath(new URL(file, import.meta.url));
}
