// Keeps the store of a server open: opens it for the first request, closes it when idle.
import { drainSpool, spoolCounts } from "../capture/live/drain.ts";
import type { Paths } from "../config/paths.ts";
import { statOf } from "../platform/read-file.ts";
import { AppError } from "../core/error.ts";
import { count } from "../core/text.ts";
import { type Db, isStorageError } from "../store/db/driver.ts";
import { toStoreError, openStore } from "../store/db/open.ts";

/** If another process writes for longer, the spool is not drained: the reply lacks the latest events. */
const BUSY_TIMEOUT_MS = 1_000;
const DRAIN_MS = 300;
/** The store is closed after this idle time, so that its file can be moved. */
const IDLE_MS = 30_000;

export interface UseOptions {
  isWriting?: boolean;
  /** Do not run `Prepare`, which drains the spool. */
  skipDrain?: boolean;
}

export interface Store {
  /** `notes`: what may be missing in the reply. Throws an AppError if the store cannot be opened. */
  use<T>(work: (db: Db, notes: string[]) => T, options?: UseOptions): T;
  close(): void;
}

/** Runs before each request without `skipDrain`. Returns notes on what may be missing in the reply. */
export type Prepare = (db: Db, paths: Paths) => string[];

export function createStore(paths: Paths, prepare: Prepare): Store {
  let opened: { db: Db; file: string } | undefined;
  let timer: NodeJS.Timeout | undefined;
  const close = (): void => {
    clearTimeout(timer);
    const { db } = opened ?? {};
    opened = undefined;
    db?.close();
  };
  const open = (isWriting: boolean): Db => {
    const file = fileId(paths.database);
    // The database file has been moved, deleted or replaced since it was opened.
    if (opened !== undefined && opened.file !== file) close();
    if (opened !== undefined) return opened.db;
    if (file === "" && !isWriting && spoolCounts(paths.spool).waiting === 0) {
      throw new AppError("no_memory", `Nothing is stored on this machine yet (${paths.database}).`, {
        hint: "Every new session is recorded; `c-mem sync` imports earlier ones.",
      });
    }
    const db = openStore(paths.database, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    opened = { db, file: fileId(paths.database) };
    return db;
  };
  return {
    use(work, { isWriting = false, skipDrain = false } = {}) {
      const fail = (error: unknown): never => {
        if (isStorageError(error)) close();
        throw toStoreError(error, paths.database);
      };
      try {
        const db = open(isWriting);
        const result = work(db, skipDrain ? [] : tryPrepare(db, paths, prepare));
        return result instanceof Promise ? (result.catch(fail) as typeof result) : result;
      } catch (error) {
        return fail(error);
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

/** Drains the spool for at most 300 ms. Returns a note if events remain. */
export function drainBriefly(db: Db, paths: Paths): string[] {
  const { remaining } = drainSpool(db, paths.spool, { maxMs: DRAIN_MS });
  return remaining > 0 ? [`${count(remaining, "recent event")} not stored yet.`] : [];
}

function tryPrepare(db: Db, paths: Paths, prepare: Prepare): string[] {
  try {
    return prepare(db, paths);
  } catch (error) {
    if (!isStorageError(error)) throw error;
    const reason = toStoreError(error, paths.database);
    return [`Recent events may be missing: ${reason instanceof Error ? reason.message : String(reason)}`];
  }
}
