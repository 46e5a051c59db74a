// The store as a server keeps it: opened when a question comes, kept while questions come, let go when none do.
import { drainSpool, spoolCounts } from "../capture/live/drain.ts";
import type { Paths } from "../config/paths.ts";
import { statOf } from "../platform/read-file.ts";
import { AppError } from "../core/error.ts";
import { type Db, isStoreTrouble } from "../store/db/driver.ts";
import { explain, openStore } from "../store/db/open.ts";

/** Somebody waits for the answer: a database that is written to for longer is read as it is. */
const BUSY_TIMEOUT_MS = 1_000;
const DRAIN_MS = 300;
/** After this long nobody keeps the file from being moved away. */
const IDLE_MS = 30_000;

export interface UseOptions {
  isWriting?: boolean;
  /** Nothing is brought in first. */
  asIs?: boolean;
}

export interface Store {
  /** `notes` are what the asker has to know of the state the store is in. Throws an AppError where it cannot be used. */
  use<T>(work: (db: Db, notes: string[]) => T, options?: UseOptions): T;
  close(): void;
}

/** What is done before each question; returns what the asker has to know. */
export type Prepare = (db: Db, paths: Paths) => string[];

export function createStore(paths: Paths, prepare: Prepare): Store {
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
    use(work, { isWriting = false, asIs = false } = {}) {
      const fail = (error: unknown): never => {
        if (isStoreTrouble(error)) close();
        throw explain(error, paths.database);
      };
      try {
        const db = open(isWriting);
        const result = work(db, asIs ? [] : tryPrepare(db, paths, prepare));
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

/** What happened last is brought in first, as far as that is quick and nobody else is writing. */
export function bringIn(db: Db, paths: Paths): string[] {
  const { remaining } = drainSpool(db, paths.spool, { maxMs: DRAIN_MS });
  return remaining > 0 ? [`${remaining} events of the last minutes are not in yet.`] : [];
}

function tryPrepare(db: Db, paths: Paths, prepare: Prepare): string[] {
  try {
    return prepare(db, paths);
  } catch (error) {
    if (!isStoreTrouble(error)) throw error;
    const reason = explain(error, paths.database);
    return [`What happened last may be missing: ${reason instanceof Error ? reason.message : String(reason)}`];
  }
}
