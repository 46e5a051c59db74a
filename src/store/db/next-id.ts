// Ids of rows that users see (o78, p12, m34, t56) are given once: SQLite alone gives the highest again after its row was deleted.
import type { Db } from "./driver.ts";
import { raw, sql, type Sql } from "./sql.ts";

/** Tables with a trigger that notes the highest deleted id in `last_ids`. */
export const NUMBERED_TABLES = ["observations", "prompts", "messages", "tool_uses"] as const;
export type NumberedTable = (typeof NUMBERED_TABLES)[number];

/** SQL for the id of a new row. */
export function nextId(table: NumberedTable): Sql {
  return sql`max((SELECT coalesce(max(id), 0) FROM ${raw(table)}),
    (SELECT coalesce(max(last_id), 0) FROM last_ids WHERE name = '${raw(table)}')) + 1`;
}

export type LastIds = readonly (readonly [table: NumberedTable, id: number])[];

/** The highest ids this database has given, without those of tables that cannot be read. */
export function lastIds(db: Db): LastIds {
  return NUMBERED_TABLES.flatMap((table) => {
    try {
      return [[table, (db.value<number>(sql`SELECT ${nextId(table)}`) ?? 1) - 1] as const];
    } catch {
      return [];
    }
  });
}

/** After a restore: ids of the database that was there before are not given again. */
export function keepLastIds(db: Db, ids: LastIds): void {
  for (const [table, id] of ids)
    db.run(sql`INSERT INTO last_ids VALUES (${table}, ${id})
      ON CONFLICT (name) DO UPDATE SET last_id = max(last_id, excluded.last_id)`);
}

/** Whether a deleted row had this id. */
export function wasGiven(db: Db, table: string, id: number): boolean {
  return db.has(sql`SELECT 1 FROM last_ids WHERE name = ${table} AND last_id >= ${id}`);
}
