// The only file that uses node:sqlite. The module is loaded when the first database is opened.
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { statOf } from "../../platform/read-file.ts";
import { AppError } from "../../core/error.ts";
import type { Sql } from "./sql.ts";
import { isSwapping } from "./swap.ts";

export type Param = SQLInputValue;

/** A query is sql`...`, or a string with "?" placeholders followed by the parameters. */
export interface Db {
  exec(sql: string): void;
  run(sql: Sql | string, ...params: Param[]): { changes: number; lastId: number };
  get<Row>(sql: Sql | string, ...params: Param[]): Row | undefined;
  all<Row>(sql: Sql | string, ...params: Param[]): Row[];
  /** Whether the query returns a row. */
  has(sql: Sql | string, ...params: Param[]): boolean;
  /** The first column of the first row; undefined also for NULL. */
  value<Value>(sql: Sql | string, ...params: Param[]): Value | undefined;
  /** The first column of every row. */
  column<Value>(sql: Sql | string, ...params: Param[]): Value[];
  close(): void;
  /** Whether the file was replaced by another one, or is being replaced: writes would be lost. */
  isReplaced(): boolean;
}

export interface DriverOptions {
  readOnly?: boolean;
  /** How long to wait for another writer. */
  busyTimeoutMs?: number | undefined;
}

const BUSY_TIMEOUT_MS = 5_000;

export function openDriver(path: string, options: DriverOptions): Db {
  const native = new (requireSqlite().DatabaseSync)(path, {
    readOnly: options.readOnly ?? false,
    timeout: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
  });
  native.function("unpack", { deterministic: true }, unpack);
  return wrap(native, path);
}

/** Opens the database, runs `work` and closes the database. */
export function withDriver<T>(path: string, options: DriverOptions, work: (db: Db) => T): T {
  const db = openDriver(path, options);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** No stored output is larger: compressed bytes that decompress to more are damaged. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Node's default allocates 128 KB per call. */
const CHUNK_BYTES = 16 * 1024;

/** SQL function: decompresses an output that packOutputs (tool-uses.ts) compressed. Null if the bytes are damaged. */
function unpack(bytes: unknown): string | null {
  if (!(bytes instanceof Uint8Array)) return null;
  try {
    const { zstdDecompressSync } = process.getBuiltinModule("node:zlib");
    return zstdDecompressSync(bytes, { maxOutputLength: MAX_OUTPUT_BYTES, chunkSize: CHUNK_BYTES }).toString("utf8");
  } catch {
    return null;
  }
}

/** Whether this Node can open a database. FTS5 is compiled in since Node 22.16. */
export function hasSqlite(): boolean {
  return sqliteModule() !== undefined;
}

/** True if the write can be retried (busy, full, I/O error), false if the data violates a constraint or a type. */
export function isStorageError(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode;
  if (code === undefined) return false;
  const primary = code & 0xff;
  return ![18, 19, 20, 25].includes(primary); // TOOBIG, CONSTRAINT, MISMATCH, RANGE
}

/** Whether another process has locked the database. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === 5; // SQLITE_BUSY
}

/** Whether the file is damaged or is not a database. */
export function isDamage(error: unknown): boolean {
  return [11, 26].includes(primaryCode(error) ?? 0); // CORRUPT, NOTADB
}

/** SQLite's primary result code, from the error or from its cause. */
function primaryCode(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { errcode, cause } = error as { errcode?: number; cause?: unknown };
  return errcode === undefined ? primaryCode(cause) : errcode & 0xff;
}

function wrap(native: DatabaseSync, path: string): Db {
  const inode = statOf(path)?.ino;
  const reads = new Map<string, StatementSync>();
  const writes = new Map<string, StatementSync>();
  const prepare = (query: Sql | string, params: readonly Param[], statements = reads) => {
    const { text, params: values } = typeof query === "string" ? { text: query, params } : query;
    let statement = statements.get(text);
    if (statement === undefined) {
      statement = native.prepare(text);
      // FTS5 inserts rows with ids above 2^53. Without BigInt, Node 26 throws when such an id is the last one inserted.
      if (statements === writes) statement.setReadBigInts(true);
      statements.set(text, statement);
    }
    return { statement, values };
  };
  const db: Db = {
    exec: (text) => native.exec(text),
    run(query, ...params) {
      const { statement, values } = prepare(query, params, writes);
      const { changes, lastInsertRowid } = statement.run(...values);
      return { changes: Number(changes), lastId: Number(lastInsertRowid) };
    },
    get(query, ...params) {
      const { statement, values } = prepare(query, params);
      return statement.get(...values) as never;
    },
    all(query, ...params) {
      const { statement, values } = prepare(query, params);
      return statement.all(...values) as never;
    },
    has: (query, ...params) => db.get(query, ...params) !== undefined,
    value: (query, ...params) => (Object.values(db.get<object>(query, ...params) ?? {})[0] ?? undefined) as never,
    column: (query, ...params) => db.all<object>(query, ...params).map((row) => Object.values(row)[0] as never),
    close: () => {
      if (native.isOpen) native.close();
    },
    isReplaced: () => isSwapping(path) || statOf(path)?.ino !== inode,
  };
  return db;
}

type SqliteModule = typeof import("node:sqlite");

/** Throws an error with a hint if this Node is too old. */
export function requireSqlite(): SqliteModule {
  const sqlite = sqliteModule();
  if (sqlite === undefined) {
    throw new AppError("node_too_old", `Node ${process.versions.node} has no usable node:sqlite.`, {
      hint: "Run `c-mem install`: it finds or fetches a Node that has it (22.16 or newer).",
    });
  }
  return sqlite;
}

function sqliteModule(): SqliteModule | undefined {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 16)) return undefined;
  // Hides the warning that Node 22 and 24 print on the first load.
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}
