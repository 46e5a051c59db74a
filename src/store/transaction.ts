// Writes happen here and nowhere else. BEGIN IMMEDIATE: a plain BEGIN that reads first fails at once under
// contention, busy timeout or not.
import type { Db } from "./driver.ts";

export function transaction<T>(db: Db, work: () => T): T {
  db.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}
