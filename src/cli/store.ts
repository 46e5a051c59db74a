// How every command gets at the data; when it is through, a worker is started for what is left to do.
import { openDrained } from "../capture/open-drained.ts";
import type { Paths } from "../config/paths.ts";
import { closeToOthers } from "../platform/private-file.ts";
import { AppError } from "../core/error.ts";
import { type Db, isDamage } from "../store/db/driver.ts";
import { explain } from "../store/db/open.ts";
import { statOf } from "../platform/read-file.ts";
import { wake } from "./worker-control.ts";

export interface StoreOptions {
  /** Leaves the worker alone: for commands that tell how it is. */
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

/** The same for work that lets others have a turn. */
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

/** Read again by whoever opens the database next: so much takes less than a millisecond. */
const SHORT_LOG_BYTES = 512 * 1024;

/** The last one to close a database writes its log back and waits for the disk. A short log is left to the next: the process ends anyway. */
function leave(db: Db, paths: Paths, { onlyLook = false }: StoreOptions = {}): void {
  if ((statOf(`${paths.database}-wal`)?.size ?? 0) > SHORT_LOG_BYTES) db.close();
  // After the work: what it leaves to be done in the background is in the database then.
  if (!onlyLook) wake(paths);
}

/** Damage may show only when a page is read. Whoever repairs it must have the database alone. */
function failed(db: Db, paths: Paths, error: unknown, options?: StoreOptions): unknown {
  if (isDamage(error)) {
    db.close();
    return new DamagedStore(paths, { hasBegun: true, cause: error });
  }
  leave(db, paths, options);
  return explain(error, paths.database);
}

/** What `withRepair` repairs: to load what does takes longer than most commands. */
export class DamagedStore extends AppError {
  readonly paths: Paths;
  /** Part of the work was done: nobody knows which. */
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
