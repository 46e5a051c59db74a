// Opens the store for a command; afterwards starts a worker if none runs.
import { openDrained } from "../capture/open-drained.ts";
import type { Paths } from "../config/paths.ts";
import { makePrivate } from "../platform/private-file.ts";
import { AppError } from "../core/error.ts";
import { type Db, isDamage } from "../store/db/driver.ts";
import { toStoreError } from "../store/db/open.ts";
import { statOf } from "../platform/read-file.ts";
import { startWorkerIfEnabled } from "./worker-control.ts";

export interface StoreOptions {
  /** False for commands that report the worker's state. */
  startsWorker?: boolean;
}

/** The work may be asynchronous. */
export function withStore<T>(paths: Paths, work: (db: Db) => T, { startsWorker = true }: StoreOptions = {}): T {
  if (startsWorker) makePrivate(paths.home);
  const db = openForCommand(paths);
  const finish = <Done>(done: Done): Done => {
    release(db, paths, startsWorker);
    return done;
  };
  const fail = (error: unknown): never => {
    throw failed(db, paths, error, startsWorker);
  };
  try {
    const done = work(db);
    return done instanceof Promise ? (done.then(finish).catch(fail) as T) : finish(done);
  } catch (error) {
    return fail(error);
  }
}

/** The next process to open the database reads this much log in under a millisecond. */
const SHORT_LOG_BYTES = 512 * 1024;

/**
 * Closing checkpoints the log and waits for the disk, so a short log is left to the next process: this one exits
 * anyway.
 */
function release(db: Db, paths: Paths, startsWorker: boolean): void {
  if ((statOf(`${paths.database}-wal`)?.size ?? 0) > SHORT_LOG_BYTES) db.close();
  // Last, because the work may have added jobs.
  if (startsWorker) startWorkerIfEnabled(paths);
}

/** Damage may show only when a page is read. The repair needs the database closed. */
function failed(db: Db, paths: Paths, error: unknown, startsWorker: boolean): unknown {
  if (isDamage(error)) {
    db.close();
    return new DamagedStore(paths, { hasBegun: true, cause: error });
  }
  release(db, paths, startsWorker);
  return toStoreError(error, paths.database);
}

/** `withRepair` repairs it. */
export class DamagedStore extends AppError {
  readonly paths: Paths;
  /** Part of the work may be done. */
  readonly hasBegun: boolean;

  constructor(paths: Paths, { hasBegun, cause }: { hasBegun: boolean; cause: unknown }) {
    const { message, hint } = toStoreError(cause, paths.database) as AppError;
    super("store_damaged", message, { ...(hint !== undefined && { hint }), cause });
    this.paths = paths;
    this.hasBegun = hasBegun;
  }
}

export function openForCommand(paths: Paths): Db {
  try {
    return openDrained(paths);
  } catch (error) {
    throw isDamage(error) ? new DamagedStore(paths, { hasBegun: false, cause: error }) : error;
  }
}

/** Repairs the database if the work finds it damaged; runs the work again if it had not begun. */
export async function withRepair<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DamagedStore)) throw error;
    // Loading the repair takes longer than most commands.
    const { repairNow } = await import("./repair-store.ts");
    repairNow(error.paths);
    if (!error.hasBegun) return work();
    startWorkerIfEnabled(error.paths);
    throw new AppError("store_repaired", "The database was damaged and has been repaired.", {
      hint: "Run the command again.",
    });
  }
}
