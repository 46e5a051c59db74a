// The store as a server keeps it: opened when a question comes, kept while questions come, let go when none do.
import { drainSpool, spoolCounts } from "../capture/drain.ts";
import type { Paths } from "../config/paths.ts";
import { statOf } from "../config/read.ts";
import { AppError } from "../core/error.ts";
import { deriveNewest } from "../memory/derive.ts";
import { type Db, isStoreTrouble } from "../store/driver.ts";
import { explain, openStore } from "../store/open.ts";
import { updateSearchIndex } from "../store/search-index.ts";

/** Somebody waits for the answer: a database that is written to for longer is read as it is. */
const BUSY_TIMEOUT_MS = 1_000;
const DRAIN_MS = 300;
const INDEX_MS = 2_000;
const DERIVE_MS = 500;
/** After this long nobody keeps the file from being moved away. */
const IDLE_MS = 30_000;

export interface Store {
  /** `notes` are what the asker has to know of the state the store is in. Throws an AppError where it cannot be used. */
  use<T>(work: (db: Db, notes: string[]) => T | Promise<T>, options?: { isWriting?: boolean }): Promise<T>;
  close(): void;
}

export function createStore(paths: Paths): Store {
  let kept: { db: Db; file: string } | undefined;
  let timer: NodeJS.Timeout | undefined;
  const close = (): void => {
    clearTimeout(timer);
    const { db } = kept ?? {};
    kept = undefined;
    db?.close();
  };
  const open = (isWriting: boolean): Db => {
    const file = fileId(paths.database);
    // It was moved away, or deleted, or another was put in its place.
    if (kept !== undefined && kept.file !== file) close();
    if (kept !== undefined) return kept.db;
    if (file === "" && !isWriting && spoolCounts(paths.spool).waiting === 0) {
      throw new AppError("no_memory", `There is no memory on this machine yet (${paths.database}).`, {
        hint: "It grows with every session; `c-mem sync` brings in the sessions from before.",
      });
    }
    const db = openStore(paths.database, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    kept = { db, file: fileId(paths.database) };
    return db;
  };
  return {
    async use(work, { isWriting = false } = {}) {
      try {
        const db = open(isWriting);
        return await work(db, catchUp(db, paths));
      } catch (error) {
        if (isStoreTrouble(error)) close();
        throw explain(error, paths.database);
      } finally {
        clearTimeout(timer);
        timer = setTimeout(close, IDLE_MS).unref();
      }
    },
    close,
  };
}

function fileId(path: string): string {
  const stat = statOf(path);
  return stat === undefined ? "" : `${stat.dev}:${stat.ino}`;
}

/** What happened last is brought in first, as far as that is quick and nobody else is writing. */
function catchUp(db: Db, paths: Paths): string[] {
  try {
    const { remaining } = drainSpool(db, paths.spool, { maxMs: DRAIN_MS });
    updateSearchIndex(db, { maxMs: INDEX_MS });
    const left = deriveNewest(db, undefined, DERIVE_MS);
    return [
      ...(remaining > 0 ? [`${remaining} events of the last minutes are not in yet.`] : []),
      ...(left > 0 ? [`Of ${left} sessions no observations were made yet; search finds their turns.`] : []),
    ];
  } catch (error) {
    if (!isStoreTrouble(error)) throw error;
    const reason = explain(error, paths.database);
    return [`What happened last may be missing: ${reason instanceof Error ? reason.message : String(reason)}`];
  }
}
