// Another program's database, read without trusting it: only tables that are stored, a page of rows at a time. A view, a
// generated column or a virtual table could compute without end.
import { AppError } from "../../core/error.ts";
import { type Db, isDamage, openDriver } from "../../store/db/driver.ts";
import { statOf } from "../../platform/read-file.ts";
import type { Row } from "./foreign.ts";

export interface Source {
  db: Db;
  /** Stored ones. */
  tables: ReadonlySet<string>;
  columnsOf(table: string): string[];
  /** `where` is SQL of ours. At most `limit` rows; a value above 32 MB is null. */
  rows(table: string, options?: { where?: string; params?: string[]; limit?: number }): Generator<Row, void>;
}

const BUSY_TIMEOUT_MS = 1_000;
const PAGE = 200;
const MAX_VALUE_BYTES = 32 * 1024 * 1024;
/** Of one table: all of them are held in memory. */
export const MAX_SESSION_ROWS = 100_000;
/** Three times those of ten years of work in a large store. */
const MAX_ROWS = 20_000_000;

export function withSource<T>(path: string, work: (source: Source) => T): T {
  for (const suffix of ["-wal", "-shm", "-journal"]) {
    const stat = statOf(path + suffix);
    if (stat !== undefined && !stat.isFile())
      throw new AppError("read_failed", `${path}${suffix} could not be read: it is not a regular file.`);
  }
  const db = openDriver(path, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    return work(createSource(db));
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw new AppError("import_damaged", `${path} is damaged: ${(error as Error).message}.`, { cause: undefined });
  } finally {
    db.close();
  }
}

function createSource(db: Db): Source {
  const listed = db.all<{ name: string; wr: number }>(
    "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')",
  );
  const stored = listed.filter(({ name }) => isStored(db, name));
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
      const columns = columnsOf(table).map(quoted);
      const values = columns.map(
        (column) => `iif(octet_length(${column}) > ${MAX_VALUE_BYTES}, NULL, ${column}) AS ${column}`,
      );
      const sql = `SELECT rowid AS "c-mem rowid", ${values.join(", ")} FROM ${quoted(table)} WHERE rowid > ? AND ${where} ORDER BY rowid LIMIT ${PAGE}`;
      let last = Number.MIN_SAFE_INTEGER;
      for (let left = limit; left > 0; left -= PAGE) {
        const rows = db.all<Row>(sql, last, ...params);
        for (const row of rows.slice(0, left)) {
          countRow();
          yield row;
        }
        if (rows.length < PAGE) return;
        last = nextRowid(last, rows.at(-1)?.["c-mem rowid"]);
      }
    },
  };
}

/** Throws above the limit. */
export function rowCounter(): () => void {
  let rows = 0;
  return () => {
    rows += 1;
    if (rows > MAX_ROWS) throw new AppError("import_too_large", `There are more than ${MAX_ROWS} rows to import.`);
  };
}

/** Pages of a damaged file may refer to each other in a circle. */
function nextRowid(last: number, rowid: unknown): number {
  if (typeof rowid === "number" && rowid > last) return rowid;
  throw new AppError("import_damaged", "The database is damaged: its rows are not in order.");
}

function isStored(db: Db, table: string): boolean {
  const computed = db.get("SELECT 1 FROM pragma_table_xinfo(?) WHERE hidden IN (2, 3)", table);
  return computed === undefined;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
