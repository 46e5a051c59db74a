// Writes happen here and nowhere else. BEGIN IMMEDIATE: a plain BEGIN that reads first fails at once under
// contention, busy timeout or not.
import { type Db, isStoreTrouble } from "./driver.ts";
import { replacedError } from "./swap.ts";

export function transaction<T>(db: Db, work: () => T): T {
  begin(db);
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(db);
    throw error;
  }
}

/**
 * The file may have been replaced while this one waited for the lock. Whoever replaces it says so first and then waits for
 * the lock, so after this look nothing is committed to a file that is no longer the database.
 */
function begin(db: Db): void {
  db.exec("BEGIN IMMEDIATE");
  if (!db.isReplaced()) return;
  rollBack(db);
  throw replacedError();
}

/** A transaction shared by small pieces of work, each of which is there as a whole or not at all. */
export interface TransactionGroup {
  add(bytes: number, work: () => void): void;
  end(): void;
}

export function startGroup(db: Db, maxBytes: number): TransactionGroup {
  let isOpen = false;
  let bytesIn = 0;
  const end = () => {
    if (!isOpen) return;
    // Before it is tried: what could not be committed is not tried again, which would only hide why.
    isOpen = false;
    try {
      db.exec("COMMIT");
    } catch (error) {
      rollBack(db);
      throw error;
    }
  };
  return {
    add(bytes, work) {
      if (!isOpen) begin(db);
      if (!isOpen) bytesIn = 0;
      isOpen = true;
      db.exec("SAVEPOINT piece");
      try {
        work();
      } catch (error) {
        if (isStoreTrouble(error)) {
          isOpen = false;
          rollBack(db);
        } else db.exec("ROLLBACK TO piece; RELEASE piece");
        throw error;
      }
      db.exec("RELEASE piece");
      bytesIn += bytes;
      if (bytesIn >= maxBytes) end();
    },
    end,
  };
}

/** On a full disk SQLite has rolled back by itself; what matters then is why, not that there is nothing left to undo. */
function rollBack(db: Db): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // Said by the error that brought us here.
  }
}
