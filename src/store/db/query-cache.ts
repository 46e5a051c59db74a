// A cache of query results in a long-lived process, valid until the database is written to.
import type { Db } from "./driver.ts";
import { sql } from "./sql.ts";

/** Changes when another connection writes. */
export function dataVersion(db: Db): number {
  return db.value<number>(sql`PRAGMA data_version`) as number;
}

/** Numbers the connections: each counts its versions from the start, so those of two cannot be compared. */
const connections = new WeakMap<Db, number>();
let opened = 0;

/** Changes when any connection writes, this one included; different for each connection. */
export function writeVersion(db: Db): string {
  const connection = connections.get(db) ?? ++opened;
  connections.set(db, connection);
  return `${connection} ${dataVersion(db)} ${db.value<number>(sql`SELECT total_changes()`)}`;
}

const MAX_ANSWERS = 100;
const answers = new WeakMap<Db, { version: string; byQuestion: Map<string, unknown> }>();

/** Computes the answer again only after the database was written to. */
export function cachedQuery<T>(db: Db, question: string, compute: () => T): T {
  const version = writeVersion(db);
  let known = answers.get(db);
  if (known?.version !== version || known.byQuestion.size >= MAX_ANSWERS)
    answers.set(db, (known = { version, byQuestion: new Map() }));
  if (!known.byQuestion.has(question)) known.byQuestion.set(question, compute());
  return known.byQuestion.get(question) as T;
}
