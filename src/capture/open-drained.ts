// Opens the store and drains the spool into it, so that a query finds the newest events.
import type { Paths } from "../config/paths.ts";
import { VERSION } from "../core/version.ts";
import { tryWithLock } from "../platform/take-lock.ts";
import type { Db } from "../store/db/driver.ts";
import { toStoreError, openStore } from "../store/db/open.ts";
import { isSwapping, settleSwap } from "../store/db/swap.ts";
import { drainSpool } from "./live/drain.ts";
import { tidySessionFiles } from "./live/private-turn.ts";

export function withDrained<T>(paths: Paths, work: (db: Db) => T): T {
  const db = openDrained(paths);
  try {
    return work(db);
  } catch (error) {
    throw toStoreError(error, paths.database);
  } finally {
    db.close();
  }
}

export function openDrained(paths: Paths): Db {
  if (isSwapping(paths.database)) tryWithLock(paths, VERSION, () => settleSwap(paths.database));
  const db = openStore(paths.database);
  try {
    drainSpool(db, paths.spool);
    tidySessionFiles([paths.privateTurns, paths.shown], Date.now());
    return db;
  } catch (error) {
    db.close();
    throw toStoreError(error, paths.database);
  }
}
