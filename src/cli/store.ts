// How every command gets at the data; when it is through, a worker is started for what is left to do.
import { openDrained } from "../answers/store.ts";
import type { Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { type Db, isDamage } from "../store/driver.ts";
import { explain } from "../store/open.ts";
import { repairNow } from "./repair-store.ts";
import { statOf } from "../config/read.ts";
import { wake } from "./worker-control.ts";

export interface StoreOptions {
  /** Leaves the worker alone: for commands that tell how it is. */
  onlyLook?: boolean;
}

/** The same for work that lets others have a turn. */
export async function withStoreAsync<T>(paths: Paths, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openWhole(paths);
  try {
    return await work(db);
  } catch (error) {
    throw afterRepair(paths, db, error);
  } finally {
    leave(db, paths);
    // After the work: what it leaves to be done in the background is in the database then.
    wake(paths);
  }
}

export function withStore<T>(paths: Paths, work: (db: Db) => T, options: StoreOptions = {}): T {
  const db = openWhole(paths);
  try {
    return work(db);
  } catch (error) {
    throw afterRepair(paths, db, error);
  } finally {
    leave(db, paths);
    if (!options.onlyLook) wake(paths);
  }
}

/** Read again by whoever opens the database next: so much takes less than a millisecond. */
const SHORT_LOG_BYTES = 512 * 1024;

/** The last one to close a database writes its log back and waits for the disk. A short log is left to the next: the process ends anyway. */
function leave(db: Db, paths: Paths): void {
  if ((statOf(`${paths.database}-wal`)?.size ?? 0) > SHORT_LOG_BYTES) db.close();
}

/** Repairs a damaged database before anybody looks at it; what else may be wrong, whoever looks will say. */
export function mendStore(paths: Paths): void {
  try {
    openWhole(paths).close();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

function openWhole(paths: Paths): Db {
  try {
    return openDrained(paths);
  } catch (error) {
    if (!isDamage(error)) throw error;
    repairNow(paths);
    return openDrained(paths);
  }
}

/** Damage may show only when a page is read. */
function afterRepair(paths: Paths, db: Db, error: unknown): unknown {
  if (!isDamage(error)) return explain(error, paths.database);
  db.close();
  repairNow(paths);
  return new AppError("store_repaired", "The database was damaged, and is repaired.", { hint: "Run it once more." });
}
