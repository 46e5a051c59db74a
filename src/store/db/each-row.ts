// Reads a table page by page, so that large tables do not fill the memory.
import { AppError } from "../../core/error.ts";
import type { Db, Param } from "./driver.ts";
import { and, list, raw, sql, type Sql } from "./sql.ts";

const PAGE = 200;

/** Orders rows by the key columns, which `columns` must include. In `columns` and `where` the table is named `x`. */
export function* eachRow<Row extends object>(
  db: Db,
  table: string,
  keys: readonly string[],
  { columns = raw("*"), where = raw("1") }: { columns?: Sql; where?: Sql } = {},
): Generator<Row, void> {
  const key = raw(keys.map(quote).join(", "));
  let last: Param[] | undefined;
  for (;;) {
    const isAfter = last !== undefined && sql`(${key}) > (${list(last.map((value) => sql`${value}`))})`;
    const rows = db.all<Row>(sql`SELECT ${columns} FROM ${raw(quote(table))} x WHERE ${and(where, isAfter)}
      ORDER BY ${key} LIMIT ${PAGE}`);
    yield* rows;
    const end = rows.at(-1);
    if (end === undefined || rows.length < PAGE) return;
    const next = keys.map((name) => (end as Record<string, Param>)[name] ?? null);
    // In a damaged file, pages may point to each other in a circle, and this loop would never end.
    if (typeof next[0] === "number" && keys.length === 1 && next[0] <= Number(last?.[0] ?? -Infinity))
      throw new AppError("database_damaged", `The rows of ${table} are not in order.`);
    last = next;
  }
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
