// Caches query results in memory until the next write to the database.
import type { Db } from "./driver.ts";
import { sql } from "./sql.ts";

/** Changes when another connection writes, but not when this one does. */
export function dataVersion(db: Db): number {
  return db.value<number>(sql`PRAGMA data_version`) as number;
}

/** Numbers the connections: each has its own version counter, so versions of two connections cannot be compared. */
const connections = new WeakMap<Db, number>();
let opened = 0;

/** Changes when any connection writes, including this one. Two connections never return the same version. */
export function writeVersion(db: Db): string {
  const connection = connections.get(db) ?? ++opened;
  connections.set(db, connection);
  return `${connection} ${dataVersion(db)} ${db.value<number>(sql`SELECT total_changes()`)}`;
}

const MAX_RESULTS = 100;
const caches = new WeakMap<Db, { version: string; byKey: Map<string, unknown> }>();

/** Calls `compute` again only after the database was written to. */
export function cachedQuery<T>(db: Db, key: string, compute: () => T): T {
  const version = writeVersion(db);
  let cache = caches.get(db);
  if (cache?.version !== version || cache.byKey.size >= MAX_RESULTS)
    caches.set(db, (cache = { version, byKey: new Map() }));
  if (!cache.byKey.has(key)) cache.byKey.set(key, compute());
  return cache.byKey.get(key) as T;
}
