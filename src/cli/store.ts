// Opens the store for a command; afterwards starts a worker for background jobs.
import { openDrained } from "../capture/open-drained.ts";
import type { Paths } from "../config/paths.ts";
import { closeToOthers } from "../platform/private-file.ts";
import { AppError } from "../core/error.ts";
import { type Db, isDamage } from "../store/db/driver.ts";
import { explain } from "../store/db/open.ts";
import { statOf } from "../platform/read-file.ts";
import { wake } from "./worker-control.ts";

export interface StoreOptions {
  /** Do not start a worker: for commands that report its state. */
  onlyLook?: boolean;
}

export function withStore<T>(paths: Paths, work: (db: Db) => T, options: StoreOptions = {}): T {
  if (!options.onlyLook) closeToOthers(paths.home);
  const db = openWhole(paths);
  try {
    const done = work(db);
    leave(db, paths, options);
    return done;
  } catch (error) {
    throw failed(db, paths, error, options);
  }
}

/** The same for asynchronous work. */
export async function withStoreAsync<T>(
  paths: Paths,
  work: (db: Db) => Promise<T>,
  options: StoreOptions = {},
): Promise<T> {
  if (!options.onlyLook) closeToOthers(paths.home);
  const db = openWhole(paths);
  try {
    const done = await work(db);
    leave(db, paths, options);
    return done;
  } catch (error) {
    throw failed(db, paths, error, options);
  }
}

/** The next process to open the database reads this much log in under a millisecond. */
const SHORT_LOG_BYTES = 512 * 1024;

/** Closing writes the log back and waits for the disk. A short log is left to the next process: this one exits anyway. */
function leave(db: Db, paths: Paths, { onlyLook = false }: StoreOptions = {}): void {
  if ((statOf(`${paths.database}-wal`)?.size ?? 0) > SHORT_LOG_BYTES) db.close();
  // Last, because the work may have added jobs.
  if (!onlyLook) wake(paths);
}

/** Damage may only show when a page is read. The repair needs the database closed. */
function failed(db: Db, paths: Paths, error: unknown, options?: StoreOptions): unknown {
  if (isDamage(error)) {
    db.close();
    return new DamagedStore(paths, { hasBegun: true, cause: error });
  }
  leave(db, paths, options);
  return explain(error, paths.database);
}

/** `withRepair` repairs it: loading the repair takes longer than most commands. */
export class DamagedStore extends AppError {
  readonly paths: Paths;
  /** Part of the work may be done. */
  readonly hasBegun: boolean;

  constructor(paths: Paths, { hasBegun, cause }: { hasBegun: boolean; cause: unknown }) {
    const { message, hint } = explain(cause, paths.database) as AppError;
    super("store_damaged", message, { ...(hint !== undefined && { hint }), cause });
    this.paths = paths;
    this.hasBegun = hasBegun;
  }
}

export function openWhole(paths: Paths): Db {
  try {
    return openDrained(paths);
  } catch (error) {
    throw isDamage(error) ? new DamagedStore(paths, { hasBegun: false, cause: error }) : error;
  }
}
