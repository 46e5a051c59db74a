// Moves drops from the spool into the database, each exactly once, in order. Any reader may do it, several at once.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CapturedEvent } from "../core/event.ts";
import type { Db } from "../store/driver.ts";
import { claimDrop, claimedDrops, countHookRun, forgetDrops } from "../store/drops.ts";
import { transaction } from "../store/transaction.ts";
import { applyEvent } from "./apply.ts";
import { statOf } from "./read.ts";
import { DROP_SUFFIX } from "./spool.ts";

export interface DrainResult {
  applied: number;
  /** Drops that could not be read or applied; they are set aside in spool/bad. */
  bad: number;
  remaining: number;
}

/** Drops per transaction: the write lock is held for some 20 ms at most. */
const BATCH = 500;
/** A temporary file this old belongs to a hook that was killed while it wrote. */
const STALE_TEMPORARY_MS = 60 * 60 * 1000;
const BAD_FOLDER = "bad";

export function drainSpool(db: Db, spool: string, options: { maxDrops?: number } = {}): DrainResult {
  const names = listSpool(spool);
  const wanted = names.slice(0, options.maxDrops ?? names.length);
  const result: DrainResult = { applied: 0, bad: 0, remaining: names.length - wanted.length };
  for (let start = 0; start < wanted.length; start += BATCH)
    drainBatch(db, spool, wanted.slice(start, start + BATCH), result);
  forgetGone(db, spool);
  return result;
}

function listSpool(spool: string): string[] {
  let entries: string[];
  try {
    entries = readdirSync(spool);
  } catch {
    return [];
  }
  for (const name of entries) if (name.endsWith(".tmp")) removeStale(join(spool, name));
  return entries.filter((name) => name.endsWith(DROP_SUFFIX)).sort();
}

function removeStale(path: string): void {
  const stat = statOf(path);
  if (stat !== undefined && Date.now() - stat.mtimeMs > STALE_TEMPORARY_MS) rmSync(path, { force: true });
}

function drainBatch(db: Db, spool: string, names: string[], result: DrainResult): void {
  const bad: string[] = [];
  let applied = 0;
  // A drop is read inside the transaction: another reader may have taken it while this one waited for the lock.
  const done = transaction(db, () =>
    names.filter((name) => {
      const outcome = applyDrop(db, spool, name);
      if (outcome === "bad") bad.push(name);
      if (outcome === "applied") applied += 1;
      return outcome === "applied" || outcome === "known";
    }),
  );
  for (const name of done) rmSync(join(spool, name), { force: true });
  for (const name of bad) setAside(spool, name);
  result.applied += applied;
  result.bad += bad.length;
}

function applyDrop(db: Db, spool: string, name: string): "applied" | "known" | "gone" | "bad" {
  let event: CapturedEvent;
  try {
    event = JSON.parse(readFileSync(join(spool, name), "utf8")) as CapturedEvent;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : "bad";
  }
  db.exec("SAVEPOINT one_drop");
  try {
    if (!claimDrop(db, name, Date.now())) return "known";
    applyEvent(db, event, name);
    if (event.hook !== undefined) countHookRun(db, event.hook, event.at);
    return "applied";
  } catch (error) {
    if (isStoreTrouble(error)) throw error;
    db.exec("ROLLBACK TO one_drop");
    return "bad";
  } finally {
    db.exec("RELEASE one_drop");
  }
}

/** Once its file is gone a name cannot come back. Also tidies up after a reader that was killed in between. */
function forgetGone(db: Db, spool: string): void {
  const gone = claimedDrops(db).filter((name) => statOf(join(spool, name)) === undefined);
  if (gone.length > 0) transaction(db, () => forgetDrops(db, gone));
}

/** Busy, full, read-only, I/O: the drop is fine and waits. Constraints, wrong types and our own errors are the drop's. */
function isStoreTrouble(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode;
  if (code === undefined) return false;
  const primary = code & 0xff;
  return ![18, 19, 20, 25].includes(primary); // TOOBIG, CONSTRAINT, MISMATCH, RANGE
}

function setAside(spool: string, name: string): void {
  mkdirSync(join(spool, BAD_FOLDER), { recursive: true, mode: 0o700 });
  renameSync(join(spool, name), join(spool, BAD_FOLDER, name));
}

export function spoolCounts(spool: string): { waiting: number; bad: number } {
  const count = (folder: string): number => {
    try {
      return readdirSync(folder).filter((name) => name.endsWith(DROP_SUFFIX)).length;
    } catch {
      return 0;
    }
  };
  return { waiting: count(spool), bad: count(join(spool, BAD_FOLDER)) };
}
