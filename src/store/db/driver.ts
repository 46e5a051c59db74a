// The one place that knows which SQLite runs underneath: node:sqlite, loaded only when a database is opened.
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { statOf } from "../../platform/read-file.ts";
import { AppError } from "../../core/error.ts";
import type { Sql } from "./sql.ts";
import { isSwapping } from "./swap.ts";

export type Param = SQLInputValue;

export interface Db {
  exec(sql: string): void;
  run(sql: Sql | string, ...params: Param[]): { changes: number; lastId: number };
  get<Row>(sql: Sql | string, ...params: Param[]): Row | undefined;
  all<Row>(sql: Sql | string, ...params: Param[]): Row[];
  /** Whether there is a row. */
  has(sql: Sql | string, ...params: Param[]): boolean;
  /** The first column of the first row; undefined also for NULL. */
  value<Value>(sql: Sql | string, ...params: Param[]): Value | undefined;
  /** The first column of every row. */
  column<Value>(sql: Sql | string, ...params: Param[]): Value[];
  close(): void;
  /** The file at its path is, or is about to be, another one: what is written here nobody would read. */
  isReplaced(): boolean;
}

export interface DriverOptions {
  readOnly?: boolean;
  busyTimeoutMs: number;
}

export function openDriver(path: string, options: DriverOptions): Db {
  const native = new (requireSqlite().DatabaseSync)(path, {
    readOnly: options.readOnly ?? false,
    timeout: options.busyTimeoutMs,
    enableForeignKeyConstraints: true,
  });
  native.function("unpack", { deterministic: true }, unpack);
  return wrap(native, path);
}

/** Opens the database for the work and closes it. */
export function withDriver<T>(path: string, options: DriverOptions, work: (db: Db) => T): T {
  const db = openDriver(path, options);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** Larger than any stored output; one that claims to be larger is damaged. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Node allocates 128 KB per call unless told otherwise. */
const CHUNK_BYTES = 16 * 1024;

/** The SQL function that reads what packOutputs (tool-uses.ts) compressed. Null for anything else, or damaged bytes. */
function unpack(bytes: unknown): string | null {
  if (!(bytes instanceof Uint8Array)) return null;
  try {
    const { zstdDecompressSync } = process.getBuiltinModule("node:zlib");
    return zstdDecompressSync(bytes, { maxOutputLength: MAX_OUTPUT_BYTES, chunkSize: CHUNK_BYTES }).toString("utf8");
  } catch {
    return null;
  }
}

/** True where this Node can open a database (>= 22.16: FTS5 is compiled in from there on). */
export function hasSqlite(): boolean {
  return sqliteModule() !== undefined;
}

/** Busy, full, read-only, I/O: whatever was to be written is fine and waits. Constraints and wrong types are its own fault. */
export function isStoreTrouble(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode;
  if (code === undefined) return false;
  const primary = code & 0xff;
  return ![18, 19, 20, 25].includes(primary); // TOOBIG, CONSTRAINT, MISMATCH, RANGE
}

/** Another process has locked the database. */
export function isBusy(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { errcode, cause } = error as { errcode?: number; cause?: unknown };
  return errcode === undefined ? isBusy(cause) : (errcode & 0xff) === 5; // SQLITE_BUSY
}

/** The file itself is broken, or is no database at all. */
export function isDamage(error: unknown): boolean {
  const { errcode, cause } = error as { errcode?: number; cause?: unknown };
  if (errcode !== undefined) return [11, 26].includes(errcode & 0xff); // CORRUPT, NOTADB
  return typeof cause === "object" && cause !== null && isDamage(cause);
}

function wrap(native: DatabaseSync, path: string): Db {
  const inode = statOf(path)?.ino;
  const reads = new Map<string, StatementSync>();
  const writes = new Map<string, StatementSync>();
  const prepare = (text: string, statements = reads): StatementSync => {
    let statement = statements.get(text);
    if (statement === undefined) {
      statement = native.prepare(text);
      // FTS5 numbers its own rows beyond 2^53, and Node 26 throws where such a number was the last one inserted.
      if (statements === writes) statement.setReadBigInts(true);
      statements.set(text, statement);
    }
    return statement;
  };
  const db: Db = {
    exec: (text) => native.exec(text),
    run(query, ...params) {
      const { text, values } = bind(native, query, params);
      const { changes, lastInsertRowid } = prepare(text, writes).run(...values);
      return { changes: Number(changes), lastId: Number(lastInsertRowid) };
    },
    get<Row>(query: Sql | string, ...params: Param[]) {
      const { text, values } = bind(native, query, params);
      return prepare(text).get(...values) as Row | undefined;
    },
    all<Row>(query: Sql | string, ...params: Param[]) {
      const { text, values } = bind(native, query, params);
      return prepare(text).all(...values) as Row[];
    },
    has: (query, ...params) => db.get(query, ...params) !== undefined,
    value<Value>(query: Sql | string, ...params: Param[]) {
      return (Object.values(db.get<Record<string, Value | null>>(query, ...params) ?? {})[0] ?? undefined) as
        | Value
        | undefined;
    },
    column: (query, ...params) =>
      db.all<Record<string, never>>(query, ...params).map((row) => Object.values(row)[0] as never),
    close: () => {
      if (native.isOpen) native.close();
    },
    isReplaced: () => isSwapping(path) || statOf(path)?.ino !== inode,
  };
  return db;
}

type Values = Param[] | [Record<string, Param>];

function bind(native: DatabaseSync, query: Sql | string, params: Param[]): { text: string; values: Param[] } {
  if (typeof query !== "string") return { text: query.text, values: query.params as Param[] };
  const values: Values = NUMBERED.test(query) && !takesNumbers(native) ? [named(params)] : params;
  return { text: query, values: values as Param[] };
}

const NUMBERED = /\?\d/;
let isTakingNumbers: boolean | undefined;

/** Node 22 before 22.20 and 24 before 24.7 take `?1` for a name and give it none of the values that come in a row. */
function takesNumbers(native: DatabaseSync): boolean {
  if (isTakingNumbers !== undefined) return isTakingNumbers;
  try {
    native.prepare("SELECT ?1").get(1);
    isTakingNumbers = true;
  } catch {
    isTakingNumbers = false;
  }
  return isTakingNumbers;
}

function named(params: readonly Param[]): Record<string, Param> {
  return Object.fromEntries(params.map((value, index) => [`?${index + 1}`, value]));
}

type SqliteModule = typeof import("node:sqlite");

/** Says what to do where this Node cannot. */
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
  return withoutExperimentalWarning(() => process.getBuiltinModule("node:sqlite"));
}

/** Node 22 and 24 print a warning on the first load; nobody who runs `c-mem` can act on it. */
function withoutExperimentalWarning<T>(load: () => T): T {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
