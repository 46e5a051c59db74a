// What a process that stays need not ask the database for again.
import type { Db } from "../db/driver.ts";
import { writeVersion } from "../db/data-version.ts";

const MAX_KEPT = 100;
const answers = new WeakMap<Db, { version: string; of: Map<string, unknown> }>();

/** The answer to a question, asked again only when the database has been written to. */
export function remembered<T>(db: Db, question: string, ask: () => T): T {
  const version = writeVersion(db);
  let known = answers.get(db);
  if (known?.version !== version || known.of.size >= MAX_KEPT) answers.set(db, (known = { version, of: new Map() }));
  if (!known.of.has(question)) known.of.set(question, ask());
  return known.of.get(question) as T;
}

/** Rows that match something common: as many at least, or estimated. */
interface CommonRows {
  atLeast?: number;
  about?: number;
}

const MAX_COMMON = 5_000;
const COMMON_MS = 3_600_000;
const counts = new WeakMap<Db, { since: number; byTable: Map<string, Map<string, CommonRows>> }>();

/** By what it is matched with. What is common stays so for an hour, whoever writes. */
export function commonRows(db: Db, table: string): Map<string, CommonRows> {
  let kept = counts.get(db);
  if (kept === undefined || performance.now() - kept.since > COMMON_MS)
    counts.set(db, (kept = { since: performance.now(), byTable: new Map() }));
  let known = kept.byTable.get(table);
  if (known === undefined || known.size >= MAX_COMMON) kept.byTable.set(table, (known = new Map()));
  return known;
}
