// Tells whether the database was written to since it was looked at.
import type { Db } from "./driver.ts";

/** Another number when somebody else has written since it was asked for last. */
export function dataVersion(db: Db): number {
  return (db.get<{ data_version: number }>("PRAGMA data_version") as { data_version: number }).data_version;
}

/** Another text when anybody, this connection included, has written since it was asked for last; of each connection another. */
export function writeVersion(db: Db): string {
  const own = db.get<{ n: number }>("SELECT total_changes() AS n")?.n ?? 0;
  return `${connectionOf(db)} ${dataVersion(db)} ${own}`;
}

/** Every connection counts from the beginning: what two of them say cannot be compared. */
const connections = new WeakMap<Db, number>();
let opened = 0;

function connectionOf(db: Db): number {
  const known = connections.get(db) ?? ++opened;
  connections.set(db, known);
  return known;
}
