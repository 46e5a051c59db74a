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
    rollBack(db);
    throw error;
  }
}

/** On a full disk SQLite has rolled back by itself; what matters then is why, not that there is nothing left to undo. */
function rollBack(db: Db): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // Said by the error that brought us here.
  }
}
