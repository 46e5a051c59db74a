// Ids of rows that users see (o78, p12, m34, t56) are given once: SQLite alone gives the highest again after its row was deleted.
import type { Db } from "./driver.ts";

/** Tables with a trigger that notes the highest deleted id in `last_ids`. */
export const NUMBERED_TABLES = ["observations", "prompts", "messages", "tool_uses"] as const;
export type NumberedTable = (typeof NUMBERED_TABLES)[number];

/** SQL for the id of a new row. */
export function nextId(table: NumberedTable): string {
  return `max((SELECT coalesce(max(id), 0) FROM ${table}), (SELECT coalesce(max(last_id), 0) FROM last_ids WHERE name = '${table}')) + 1`;
}

export type LastIds = readonly (readonly [table: NumberedTable, id: number])[];

/** The highest ids this database has given; without those of tables that cannot be read. */
export function lastIds(db: Db): LastIds {
  return NUMBERED_TABLES.flatMap((table) => {
    try {
      const next = db.get<{ id: number }>(`SELECT ${nextId(table)} AS id`)?.id ?? 1;
      return [[table, next - 1] as const];
    } catch {
      return [];
    }
  });
}

/** After a restore: ids of the database that was there before are not given again. */
export function keepLastIds(db: Db, ids: LastIds): void {
  for (const [table, id] of ids)
    db.run(
      "INSERT INTO last_ids VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET last_id = max(last_id, excluded.last_id)",
      table,
      id,
    );
}

/** Whether a row that is gone had this id. */
export function wasGiven(db: Db, table: string, id: number): boolean {
  return db.get("SELECT 1 FROM last_ids WHERE name = ? AND last_id >= ?", table, id) !== undefined;
}
