// Tells whether the database was written to since it was looked at.
import type { Db } from "./driver.ts";

/** Another number when somebody else has written since it was asked for last. */
export function dataVersion(db: Db): number {
  return (db.get<{ data_version: number }>("PRAGMA data_version") as { data_version: number }).data_version;
}

/** Another text when anybody, this connection included, has written since it was asked for last. */
export function writeVersion(db: Db): string {
  const own = db.get<{ n: number }>("SELECT total_changes() AS n")?.n ?? 0;
  return `${dataVersion(db)} ${own}`;
}
