// All writes use BEGIN IMMEDIATE. After a plain BEGIN, a write that follows a read fails at once if another process
// writes, without waiting for the busy timeout.
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
 * Begins a transaction. Throws if the database was replaced while this process waited for the lock: a commit would go
 * to the quarantined file. A swap writes its marker before it waits for the lock, so it cannot begin after this check.
 */
function begin(db: Db): void {
  db.exec("BEGIN IMMEDIATE");
  if (!db.isReplaced()) return;
  rollBack(db);
  throw replacedError();
}

/** Ignores errors: on a full disk SQLite has rolled back already, and the caller throws the original error. */
function rollBack(db: Db): void {
  try {
    db.exec("ROLLBACK");
  } catch {}
}

/** Must run inside a transaction. If `work` throws, only its own changes are rolled back. */
export function nested<T>(db: Db, work: () => T): T {
  db.exec("SAVEPOINT nested");
  let result: T;
  try {
    result = work();
  } catch (error) {
    // On a full disk SQLite has rolled back the whole transaction, including the savepoint.
    if (!isStorageError(error)) db.exec("ROLLBACK TO nested; RELEASE nested");
    throw error;
  }
  db.exec("RELEASE nested");
  return result;
}

/**
 * Runs many small pieces of work in one transaction. Each piece is stored completely or not at all, but without
 * savepoints, which are slow: at each one FTS5 flushes and SQLite copies every changed page. Instead, if a piece throws
 * (rare), the transaction is rolled back and the earlier pieces run again, so they must do the same the second time.
 * `sharing.start` creates the state that the pieces of a transaction share; `sharing.end` runs before its commit.
 */
export function startGroup<Shared>(db: Db, maxBytes: number, sharing: { start(): Shared; end(shared: Shared): void }) {
  type Work = (shared: Shared) => void;
  let open: { shared: Shared; done: Work[]; bytes: number } | undefined;
  /** Set if a piece failed when it ran again: storing later pieces would leave a gap. */
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
    // Set before the commit: if it fails, a second attempt would hide the cause.
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

/** How long a batch holds the write lock. */
export const LOCK_HOLD_MS = 50;
/** Pause between batches. Waiting SQLite writers poll the lock: if it is free for less time, they may never get it. */
export const LOCK_PAUSE_MS = 15;

/** Runs many small steps in transactions of LOCK_HOLD_MS. A page that several steps change is written only once. */
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
