// Lets the worker sleep for a time, or until a file changes in a watched folder or wake() is called.
import { mkdirSync, watch } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

interface WatchedFolder {
  folder: string;
  /** Whether a changed file of this name ends the sleep. */
  matters(name: string): boolean;
}

/** Hooks run in bursts: the worker wakes once for all of them. */
const COLLECT_MS = 300;

export class WakeSignal {
  readonly #closing = new AbortController();
  #waking = new AbortController();
  #collecting: NodeJS.Timeout | undefined;
  /** False if folders cannot be watched (some file systems, no watches left): the worker polls. */
  isWatching = true;

  constructor(watched: readonly WatchedFolder[]) {
    for (const { folder, matters } of watched) {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        watch(folder, { persistent: false, signal: this.#closing.signal }, (_event, name) => {
          if (name === null || matters(name)) this.#collecting ??= setTimeout(this.wake, COLLECT_MS);
        }).on("error", () => (this.isWatching = false));
      } catch {
        this.isWatching = false;
      }
    }
  }

  readonly wake = (): void => {
    clearTimeout(this.#collecting);
    this.#collecting = undefined;
    this.#waking.abort();
  };

  /** Returns at once if wake() was called since the last sleep. */
  async sleep(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#waking.signal }).catch(() => {});
    this.#waking = new AbortController();
  }

  close(): void {
    clearTimeout(this.#collecting);
    this.#closing.abort();
  }
}
