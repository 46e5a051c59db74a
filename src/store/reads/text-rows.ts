// Reads and rewrites every text of every table in the schema, for the audit.
import type { Db, Param } from "../db/driver.ts";
import { eachRow, quote } from "../db/each-row.ts";
import { LIST_COLUMNS } from "../db/merge.ts";
import { and, raw, sql, type Sql } from "../db/sql.ts";
import { outputOf } from "../tables/tool-uses.ts";

export interface TextPlace {
  table: string;
  column: string;
  /** The row's primary key. */
  key: Param[];
  keyColumns: string[];
  /** The agent's own id, where the row belongs to a session. */
  sessionId: string | null;
  sessionDbId: number | null;
  /** Stored as JSON, and cleaned value by value. A text that happens to be JSON is cleaned as text. */
  isJson: boolean;
}

const JSON_COLUMNS = new Set([...LIST_COLUMNS, "evidence", "input", "state"]);

export function eachText(db: Db, visit: (place: TextPlace, text: string) => void): void {
  for (const { name, keys, texts, isPacked, session } of textTables(db)) {
    const plain = [...new Set([...keys, ...texts])].filter((column) => !isPacked || column !== "output").map(quote);
    const columns = sql`${raw(plain.join(", "))}${isPacked ? sql`, ${outputOf("x")} AS output` : raw("")}${session}`;
    for (const row of eachRow<Record<string, Param>>(db, name, keys, { columns })) {
      const key = keys.map((column) => row[column] ?? null);
      const sessionId = typeof row["session_of_row"] === "string" ? row["session_of_row"] : null;
      const sessionDbId = Number(name === "sessions" ? row["id"] : row["session_db_id"]) || null;
      for (const column of texts) {
        const [text, isJson] = [row[column], JSON_COLUMNS.has(column)];
        if (typeof text === "string" && text !== "")
          visit({ table: name, column, key, keyColumns: keys, sessionId, sessionDbId, isJson }, text);
      }
    }
  }
}

/** A row whose new text would make it equal to another is deleted. */
export function replaceText(db: Db, { table, column, key, keyColumns }: TextPlace, text: string): void {
  const name = raw(quote(table));
  const isRow = and(...keyColumns.map((one, index) => sql`${raw(quote(one))} = ${key[index]}`));
  const { changes } = db.run(sql`UPDATE OR IGNORE ${name} SET ${raw(quote(column))} = ${text} WHERE ${isRow}`);
  if (isPackedOutput(db, table, column)) db.run(sql`UPDATE ${name} SET packed = NULL WHERE ${isRow}`);
  if (changes === 0) db.run(sql`DELETE FROM ${name} WHERE ${isRow}`);
}

/** An older database has no such column. */
function isPackedOutput(db: Db, table: string, column: string): boolean {
  if (table !== "tool_uses" || column !== "output") return false;
  return db.has(sql`SELECT 1 FROM pragma_table_info('tool_uses') WHERE name = 'packed'`);
}

/** Shadow tables of indexes have no columns of type TEXT. `session`: SQL for the columns of the session a row belongs to. */
function textTables(db: Db) {
  const names = db.column<string>(sql`SELECT name FROM sqlite_schema
    WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name`);
  return names.flatMap((name) => {
    const columns = db.all<{ name: string; type: string; pk: number }>(
      sql`SELECT name, type, pk FROM pragma_table_info(${name})`,
    );
    const keys = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
    const texts = columns.filter(({ type }) => type === "TEXT").map((column) => column.name);
    if (texts.length === 0 || keys.length === 0) return [];
    const isPacked = isPackedOutput(db, name, "output");
    return [{ name, keys: keys.map((key) => key.name), texts, isPacked, session: sessionOf(name, columns) }];
  });
}

function sessionOf(table: string, columns: readonly { name: string }[]): Sql {
  if (table === "sessions") return sql`, x.session_id AS session_of_row`;
  if (!columns.some(({ name }) => name === "session_db_id")) return sql``;
  return sql`, x.session_db_id, (SELECT s.session_id FROM sessions s WHERE s.id = x.session_db_id) AS session_of_row`;
}
