// Reads another program's database without trusting it: only stored tables, one page of rows at a time. Views, virtual
// tables and tables with generated columns are not read, because a hostile one could run forever.
import { AppError } from "../../core/error.ts";
import { statOf } from "../../platform/read-file.ts";
import { type Db, isDamage, withDriver } from "../../store/db/driver.ts";
import type { Row } from "./foreign-rows.ts";

export interface RowOptions {
  /** SQL written in C-Mem's code, never text from the file. */
  where?: string;
  params?: string[];
  limit?: number;
}

export interface Source {
  db: Db;
  /** The names of the stored tables. */
  tables: ReadonlySet<string>;
  columnsOf(table: string): string[];
  /** A value over 32 MB is replaced by null. */
  rows(table: string, options?: RowOptions): Generator<Row, void>;
}

const BUSY_TIMEOUT_MS = 1_000;
const PAGE = 200;
const MAX_VALUE_BYTES = 32 * 1024 * 1024;
/** Limit of one session's rows in a table, all of which are in memory at once. */
export const MAX_SESSION_ROWS = 100_000;
/** Three times the rows of a large store after ten years of use. */
const MAX_ROWS = 20_000_000;

export function withSource<T>(path: string, work: (source: Source) => T): T {
  for (const suffix of ["-wal", "-shm", "-journal"]) {
    if (statOf(path + suffix)?.isFile() === false)
      throw new AppError("read_failed", `${path}${suffix} could not be read: it is not a regular file.`);
  }
  try {
    return withDriver(path, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS }, (db) => work(createSource(db)));
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw new AppError("import_damaged", `${path} is damaged: ${(error as Error).message}.`, { cause: undefined });
  }
}

function createSource(db: Db): Source {
  const listed = db.all<{ name: string; wr: number }>(
    "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')",
  );
  const generated = "SELECT 1 FROM pragma_table_xinfo(?) WHERE hidden IN (2, 3)";
  const stored = listed.filter(({ name }) => db.get(generated, name) === undefined);
  const withRowid = new Set(stored.filter(({ wr }) => wr === 0).map(({ name }) => name));
  const countRow = rowCounter();
  const columnsOf = (table: string): string[] =>
    db.all<{ name: string }>("SELECT name FROM pragma_table_info(?)", table).map(({ name }) => name);
  return {
    db,
    tables: new Set(stored.map(({ name }) => name)),
    columnsOf,
    *rows(table, { where = "1", params = [], limit = Infinity } = {}) {
      if (!withRowid.has(table)) return;
      const values = columnsOf(table)
        .map(quoted)
        .map((column) => `iif(octet_length(${column}) > ${MAX_VALUE_BYTES}, NULL, ${column}) AS ${column}`);
      const sql = `SELECT rowid AS "c-mem rowid", ${values.join(", ")} FROM ${quoted(table)} WHERE rowid > ? AND ${where} ORDER BY rowid LIMIT ${PAGE}`;
      let last = Number.MIN_SAFE_INTEGER;
      for (let remaining = limit; remaining > 0; remaining -= PAGE) {
        const rows = db.all<Row>(sql, last, ...params);
        for (const row of rows.slice(0, remaining)) {
          countRow();
          yield row;
        }
        if (rows.length < PAGE) return;
        const next = rows.at(-1)?.["c-mem rowid"];
        // In a damaged file, pages may point at each other in a circle.
        if (typeof next !== "number" || next <= last)
          throw new AppError("import_damaged", "The database is damaged: its rows are not in order.");
        last = next;
      }
    },
  };
}

/** Returns a function that counts a row and throws above the limit. */
export function rowCounter(): () => void {
  let rows = 0;
  return () => {
    rows += 1;
    if (rows > MAX_ROWS) throw new AppError("import_too_large", `There are more than ${MAX_ROWS} rows to import.`);
  };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
