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

/** Inside a transaction: work that is undone alone if it fails. */
export function nested<T>(db: Db, work: () => T): T {
  db.exec("SAVEPOINT nested");
  let result: T;
  try {
    result = work();
  } catch (error) {
    // On a full disk SQLite has rolled back the whole transaction: there is no savepoint left to return to.
    if (!isStoreTrouble(error)) db.exec("ROLLBACK TO nested; RELEASE nested");
    throw error;
  }
  db.exec("RELEASE nested");
  return result;
}

/** A transaction shared by small pieces of work, each of which is there as a whole or not at all. */
export interface TransactionGroup<Shared> {
  add(bytes: number, work: (shared: Shared) => void): void;
  end(): void;
}

/** What the pieces of one transaction have in common. */
export interface Sharing<Shared> {
  start(): Shared;
  /** Writes what was held back, before the commit. */
  end(shared: Shared): void;
}

/**
 * Without savepoints: each makes FTS5 write out what it holds, and SQLite copy every page that changes. A piece that fails,
 * which is rare, undoes all; those before it are then done once more, so their work must be the same the second time.
 */
export function startGroup<Shared>(db: Db, maxBytes: number, sharing: Sharing<Shared>): TransactionGroup<Shared> {
  type Work = (shared: Shared) => void;
  let open: { shared: Shared; done: Work[]; bytes: number } | undefined;
  /** What was done once could not be done again: nothing more is, or it would leave a hole. */
  let isBroken = false;
  const start = () => {
    begin(db);
    return { shared: sharing.start(), done: [], bytes: 0 };
  };
  const run = (bytes: number, work: Work) => {
    open ??= start();
    work(open.shared);
    open.done.push(work);
    open.bytes += bytes;
  };
  const redo = (pieces: readonly Work[], bytes: number) => {
    try {
      for (const piece of pieces) run(bytes / pieces.length, piece);
    } catch (error) {
      isBroken = true;
      open = undefined;
      rollBack(db);
      throw error;
    }
  };
  const end = () => {
    if (open === undefined) return;
    const { shared } = open;
    // Before it is tried: what could not be committed is not tried again, which would only hide why.
    open = undefined;
    try {
      sharing.end(shared);
      db.exec("COMMIT");
    } catch (error) {
      rollBack(db);
      throw error;
    }
  };
  return {
    add(bytes, work) {
      if (isBroken) throw new Error("what came before it could not be stored");
      try {
        run(bytes, work);
      } catch (error) {
        const before = open;
        open = undefined;
        rollBack(db);
        if (before !== undefined && !isStoreTrouble(error)) redo(before.done, before.bytes);
        throw error;
      }
      if (open !== undefined && open.bytes >= maxBytes) end();
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

/** How long the write lock is held at a time: whoever else writes waits for that. */
export const HELD_MS = 50;
/** Who waits for the lock looks again every so often: it has to be free for a while, or it is never found so. */
export const LET_GO_MS = 15;

/** Takes many small steps, as many to a transaction as others may be made to wait for; what writes the same pages writes them once. */
export function* inBatches(db: Db, steps: Iterator<unknown>): Generator<void, void> {
  let isDone: boolean;
  do {
    isDone = transaction(db, () => takeSome(steps));
    yield;
  } while (!isDone);
}

/** True when there are no more. */
function takeSome(steps: Iterator<unknown>): boolean {
  for (const until = performance.now() + HELD_MS; performance.now() < until;) if (steps.next().done) return true;
  return false;
}
