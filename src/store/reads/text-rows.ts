// For the audit: reads every text of every table in the schema, and replaces texts.
import type { Db, Param } from "../db/driver.ts";
import { eachRow, quote } from "../db/each-row.ts";
import { LIST_COLUMNS } from "../db/merge.ts";
import { and, raw, sql, type Sql } from "../db/sql.ts";
import { outputOf } from "../tables/tool-uses.ts";

export interface StoredText {
  table: string;
  column: string;
  /** The row's primary key. */
  key: Param[];
  keyColumns: string[];
  /** The agent's session id, if the row belongs to a session. */
  sessionId: string | null;
  sessionDbId: number | null;
  /** Whether the column contains JSON, which is cleaned value by value. */
  isJson: boolean;
}

const JSON_COLUMNS = new Set([...LIST_COLUMNS, "evidence", "input", "state"]);

export function eachText(db: Db, visit: (stored: StoredText, text: string) => void): void {
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

/** Deletes the row if the new text violates a unique constraint, i.e. if there is another row with this text. */
export function replaceText(db: Db, { table, column, key, keyColumns }: StoredText, text: string): void {
  const name = raw(quote(table));
  const isRow = and(...keyColumns.map((one, index) => sql`${raw(quote(one))} = ${key[index]}`));
  const { changes } = db.run(sql`UPDATE OR IGNORE ${name} SET ${raw(quote(column))} = ${text} WHERE ${isRow}`);
  if (isPackedOutput(db, table, column)) db.run(sql`UPDATE ${name} SET packed = NULL WHERE ${isRow}`);
  if (changes === 0) db.run(sql`DELETE FROM ${name} WHERE ${isRow}`);
}

/** False if the database is older than the column `packed`. */
function isPackedOutput(db: Db, table: string, column: string): boolean {
  if (table !== "tool_uses" || column !== "output") return false;
  return db.has(sql`SELECT 1 FROM pragma_table_info('tool_uses') WHERE name = 'packed'`);
}

/**
 * Tables with a primary key and TEXT columns. FTS5's internal tables have no TEXT columns. `session`: SQL that adds
 * columns with the session of each row.
 */
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
