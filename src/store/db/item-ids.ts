// Ids that users see: o78, p12, m34, t56. They are never reused. SQLite alone reuses the highest id if its row is
// deleted.
import type { Db } from "./driver.ts";
import { raw, sql, type Sql } from "./sql.ts";

/** The table of each id letter. A trigger on each table records the highest deleted id in `last_ids`. */
export const ITEM_TABLES = { o: "observations", p: "prompts", m: "messages", t: "tool_uses" } as const;
export type ItemTable = (typeof ITEM_TABLES)[keyof typeof ITEM_TABLES];

/** "p12" -> prompts, 12 */
export function parseItemId(text: string): { table: ItemTable; id: number } | undefined {
  const [, letter, id] = /^([opmt])(\d{1,15})$/.exec(text) ?? [];
  return letter === undefined ? undefined : { table: ITEM_TABLES[letter as keyof typeof ITEM_TABLES], id: Number(id) };
}

/** SQL: the id of the next new row. */
export function nextId(table: ItemTable): Sql {
  return sql`max((SELECT coalesce(max(id), 0) FROM ${raw(table)}),
    (SELECT coalesce(max(last_id), 0) FROM last_ids WHERE name = '${raw(table)}')) + 1`;
}

export type LastIds = readonly (readonly [table: ItemTable, id: number])[];

/** The highest id used in each table. Leaves out tables that cannot be read. */
export function lastIds(db: Db): LastIds {
  return Object.values(ITEM_TABLES).flatMap((table) => {
    try {
      return [[table, (db.value<number>(sql`SELECT ${nextId(table)}`) ?? 1) - 1] as const];
    } catch {
      return [];
    }
  });
}

/** Must be called after a restore, so that ids of the replaced database are not reused. */
export function keepLastIds(db: Db, ids: LastIds): void {
  for (const [table, id] of ids)
    db.run(sql`INSERT INTO last_ids VALUES (${table}, ${id})
      ON CONFLICT (name) DO UPDATE SET last_id = max(last_id, excluded.last_id)`);
}

/** Whether a deleted row may have had this id. */
export function wasIdUsed(db: Db, table: string, id: number): boolean {
  return db.has(sql`SELECT 1 FROM last_ids WHERE name = ${table} AND last_id >= ${id}`);
}
