// All writes use BEGIN IMMEDIATE: a plain BEGIN that reads first fails at once when another process writes, whatever the
// busy timeout.
import { type Db, isStorageError } from "./driver.ts";
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
 * The file may be replaced while this process waits for the lock. A swap is announced before it waits for the lock, so after
 * this check nothing is committed to a file that is no longer the database.
 */
function begin(db: Db): void {
  db.exec("BEGIN IMMEDIATE");
  if (!db.isReplaced()) return;
  rollBack(db);
  throw replacedError();
}

/** On a full disk SQLite has already rolled back, and this fails. The caller throws the original error. */
function rollBack(db: Db): void {
  try {
    db.exec("ROLLBACK");
  } catch {}
}

/** Inside a transaction: if the work fails, only it is rolled back. */
export function nested<T>(db: Db, work: () => T): T {
  db.exec("SAVEPOINT nested");
  let result: T;
  try {
    result = work();
  } catch (error) {
    // On a full disk SQLite has rolled back the whole transaction: there is no savepoint left.
    if (!isStorageError(error)) db.exec("ROLLBACK TO nested; RELEASE nested");
    throw error;
  }
  db.exec("RELEASE nested");
  return result;
}

/**
 * One transaction for many small pieces of work, each of which is stored completely or not at all. Without savepoints,
 * because each makes FTS5 flush and SQLite copy every changed page. A piece that fails, which is rare, rolls back all; the
 * earlier ones run again, so they must do the same the second time. `sharing`: state that the pieces of one transaction
 * share, and writes that are deferred to its end.
 */
export function startGroup<Shared>(db: Db, maxBytes: number, sharing: { start(): Shared; end(shared: Shared): void }) {
  type Work = (shared: Shared) => void;
  let open: { shared: Shared; done: Work[]; bytes: number } | undefined;
  /** Set when a piece failed on its second run: storing later ones would leave a gap. */
  let isBroken = false;
  const run = (bytes: number, work: Work) => {
    if (open === undefined) {
      begin(db);
      open = { shared: sharing.start(), done: [], bytes: 0 };
    }
    work(open.shared);
    open.done.push(work);
    open.bytes += bytes;
  };
  const rerun = (pieces: readonly Work[], bytes: number) => {
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
    // First, so that a failed commit is not tried again: that would hide its cause.
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
    add(bytes: number, work: Work): void {
      if (isBroken) throw new Error("skipped: an earlier part could not be stored");
      try {
        run(bytes, work);
      } catch (error) {
        const before = open;
        open = undefined;
        rollBack(db);
        if (before !== undefined && !isStorageError(error)) rerun(before.done, before.bytes);
        throw error;
      }
      if (open !== undefined && open.bytes >= maxBytes) end();
    },
    end,
  };
}

/** How long a batch holds the write lock, and other writers wait. */
export const LOCK_HOLD_MS = 50;
/** Between batches: SQLite polls the lock while it waits, so it must be free this long for another writer to get it. */
export const LOCK_PAUSE_MS = 15;

/** Runs many small steps, as many in one transaction as fit into LOCK_HOLD_MS: pages that several change are written once. */
export function* inBatches(db: Db, steps: Iterator<unknown>): Generator<void, void> {
  const runBatch = (): boolean => {
    for (const until = performance.now() + LOCK_HOLD_MS; performance.now() < until;) if (steps.next().done) return true;
    return false;
  };
  for (let isDone = false; !isDone;) {
    isDone = transaction(db, runBatch);
    yield;
  }
}
