// How every command gets at the data: the store opened, and what the hooks left in the spool brought in first.
import { drainSpool } from "../capture/drain.ts";
import { forgetOldSessionFiles } from "../capture/private-turn.ts";
import type { Paths } from "../config/paths.ts";
import { withLockNow } from "../config/take-lock.ts";
import { VERSION } from "../core/version.ts";
import { AppError } from "../core/error.ts";
import { type Db, isDamage } from "../store/driver.ts";
import { repairNow } from "./repair-store.ts";
import { explain, openStore } from "../store/open.ts";
import { isSwapping, settleSwap } from "../store/swap.ts";
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
    db.close();
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
    db.close();
    if (!options.onlyLook) wake(paths);
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

function openDrained(paths: Paths): Db {
  if (isSwapping(paths.database)) withLockNow(paths, VERSION, () => settleSwap(paths.database));
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
