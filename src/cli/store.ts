// How every command gets at the data: the store opened, and what the hooks left in the spool brought in first.
import { drainSpool } from "../capture/drain.ts";
import { forgetOldPrivateTurns } from "../capture/private-turn.ts";
import type { Paths } from "../config/paths.ts";
import type { Db } from "../store/driver.ts";
import { explain, openStore } from "../store/open.ts";

export function withStore<T>(paths: Paths, work: (db: Db) => T): T {
  const db = openStore(paths.database);
  try {
    drainSpool(db, paths.spool);
    forgetOldPrivateTurns(paths.privateTurns, Date.now());
    return work(db);
  } catch (error) {
    throw explain(error, paths.database);
  } finally {
    db.close();
  }
}
