// How every command gets at the data: the store opened, and what the hooks left in the spool brought in first.
import { drainSpool } from "../capture/drain.ts";
import { forgetOldSessionFiles } from "../capture/private-turn.ts";
import type { Paths } from "../config/paths.ts";
import { statOf } from "../config/read.ts";
import type { Db } from "../store/driver.ts";
import { explain, openStore } from "../store/open.ts";
import { wake } from "./worker-control.ts";

export interface StoreOptions {
  /** Leaves the worker alone: for commands that tell how it is. */
  onlyLook?: boolean;
}

/** The same for work that lets others have a turn. */
export async function withStoreAsync<T>(paths: Paths, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDrained(paths);
  try {
    return await work(db);
  } catch (error) {
    throw explain(error, paths.database);
  } finally {
    leave(db, paths);
    // After the work: what it leaves to be done in the background is in the database then.
    wake(paths);
  }
}

export function withStore<T>(paths: Paths, work: (db: Db) => T, options: StoreOptions = {}): T {
  const db = openDrained(paths);
  try {
    return work(db);
  } catch (error) {
    throw explain(error, paths.database);
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

function openDrained(paths: Paths): Db {
  const db = openStore(paths.database);
  try {
    drainSpool(db, paths.spool);
    forgetOldSessionFiles([paths.privateTurns, paths.shown], Date.now());
    return db;
  } catch (error) {
    db.close();
    throw explain(error, paths.database);
  }
}
