// How every command gets at the data: the store opened, and what the hooks left in the spool brought in first.
import { drainSpool } from "../capture/drain.ts";
import type { Paths } from "../config/paths.ts";
import type { Db } from "../store/driver.ts";
import { openStore } from "../store/open.ts";

export function withStore<T>(paths: Paths, work: (db: Db) => T): T {
  const db = openStore(paths.database);
  try {
    drainSpool(db, paths.spool);
    return work(db);
  } finally {
    db.close();
  }
}
