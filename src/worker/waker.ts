// What ends the worker's sleep: a drop in the spool, a request, a signal, or the time it set itself.
import { mkdirSync, watch } from "node:fs";

export interface Waker {
  /** Sleeps for so long, or until something happens. */
  sleep(ms: number): Promise<void>;
  wake(): void;
  /** False where folders cannot be watched: then the worker has to look more often. */
  isWatching(): boolean;
  close(): void;
}

export interface Watched {
  folder: string;
  matters(name: string): boolean;
}

/** Hooks come in flocks: their drops are gathered for a moment. */
const GATHER_MS = 300;

export function createWaker(watched: readonly Watched[]): Waker {
  let resolve: (() => void) | undefined;
  let gathering: NodeJS.Timeout | undefined;
  let isAwake = false;
  const wake = () => {
    clearTimeout(gathering);
    gathering = undefined;
    isAwake = true;
    resolve?.();
  };
  const watchers = watched.map((each) => watchFolder(each, () => (gathering ??= setTimeout(wake, GATHER_MS))));
  return {
    wake,
    isWatching: () => watchers.every((watcher) => watcher.isWorking),
    async sleep(ms) {
      if (!isAwake) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((done) => {
          resolve = done;
          timer = setTimeout(done, ms);
        });
        clearTimeout(timer);
      }
      isAwake = false;
    },
    close() {
      clearTimeout(gathering);
      for (const watcher of watchers) watcher.close();
    },
  };
}

interface FolderWatcher {
  isWorking: boolean;
  close(): void;
}

/** Some file systems cannot be watched, and the system's watches may be used up. */
function watchFolder({ folder, matters }: Watched, onChange: () => void): FolderWatcher {
  const result: FolderWatcher = { isWorking: false, close: () => {} };
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (name === null || matters(name)) onChange();
    });
    watcher.on("error", () => {
      result.isWorking = false;
      watcher.close();
    });
    result.isWorking = true;
    result.close = () => watcher.close();
  } catch {
    // Said by isWorking.
  }
  return result;
}
