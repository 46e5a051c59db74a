// Opens the data directory's database: private files, WAL, durable commits, current schema.
import { closeSync, mkdirSync, openSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { statOf } from "../../platform/read-file.ts";
import { AppError } from "../../core/error.ts";
import { createBackup, listBackups } from "./backup.ts";
import { type Db, openDriver, requireSqlite } from "./driver.ts";
import { migrate, type Migration } from "./migrate.ts";
import { isSwapping, replacedError } from "./swap.ts";

export interface OpenOptions {
  busyTimeoutMs?: number;
  /** Throws if the database has an older schema, instead of migrating it. For hooks: a backup would delay the agent. */
  refuseOlder?: boolean;
  /** The migrations of another version, for tests. */
  migrations?: readonly Migration[];
}

export function openStore(path: string, options: OpenOptions = {}): Db {
  requireSqlite();
  if (isSwapping(path)) throw replacedError();
  if (wasTruncated(path)) throw toStoreError(Object.assign(new Error("empty"), { errcode: SQLITE_NOTADB }), path);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // SQLite creates the -wal and -shm files with the mode of this file.
    // Not if it exists: closing it would drop the locks of this process's other connections.
    if (statOf(path) === undefined) closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    throw toStoreError(error, path);
  }
  const db = openDriver(path, { busyTimeoutMs: options.busyTimeoutMs });
  try {
    // In an existing file these pragmas would write, and wait for the lock.
    if (statOf(path)?.size === 0) setFileLayout(db);
    // FULL: a spool file is deleted once its rows are committed, so a commit must survive a power cut.
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    const backUp = (): unknown => createBackup(path, "migration", Date.now());
    migrate(db, options.migrations, options.refuseOlder ? throwStoreOlder : backUp);
    return db;
  } catch (error) {
    db.close();
    throw toStoreError(error, path);
  }
}

/**
 * Works only in an empty file. Pages of 8 KB are 25% faster than 4 KB for tool outputs of several KB. INCREMENTAL lets
 * releasePages shrink the file in short steps.
 */
export function setFileLayout(db: Db): void {
  db.exec("PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL;");
}

/** An empty file with backups or a -wal file next to it was truncated. SQLite would treat it as a new database. */
export function wasTruncated(path: string): boolean {
  if (statOf(path)?.size !== 0) return false;
  return (statOf(`${path}-wal`)?.size ?? 0) > 0 || listBackups(path).length > 0;
}

function throwStoreOlder(): never {
  throw new AppError("store_older", "The database has an older schema.", {
    hint: "The worker or the next command updates it: c-mem status",
  });
}

/** For work that can be repeated: a power cut may lose the newest commits, but does not damage the database. */
export function relaxDurability(db: Db): void {
  db.exec(
    "PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -24576; PRAGMA wal_autocheckpoint = 4096;",
  );
}

/** `true`: a commit survives a power cut. `false`: commits are faster. */
export function setDurable(db: Db, isDurable: boolean): void {
  db.exec(`PRAGMA synchronous = ${isDurable ? "FULL" : "NORMAL"}`);
}

const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;
const REPAIR = "The worker repairs it, or now: c-mem doctor --fix";

/** Error code, message and hint for each of SQLite's result codes. */
const PROBLEMS: Readonly<Record<number, [code: string, message: string, hint: string]>> = {
  5: ["store_busy", "is busy", "Another program is writing to it. Try again in a moment."],
  8: ["store_unwritable", "cannot be written", "Check the permissions of the folder and the disk."],
  [SQLITE_IOERR]: ["store_io", "cannot be read or written", "Check the disk."],
  11: ["store_damaged", "is damaged", REPAIR],
  [SQLITE_FULL]: [
    "disk_full",
    "cannot grow: the disk is full",
    "Free some space, then run the command again. Nothing is lost.",
  ],
  [SQLITE_CANTOPEN]: ["store_unwritable", "cannot be opened", "Check the permissions of the folder."],
  [SQLITE_NOTADB]: ["store_damaged", "is not a database", REPAIR],
};

/** The SQLite result code that means the same as a file system error. */
const SQLITE_CODES: Readonly<Record<string, number>> = {
  EROFS: 8,
  EACCES: SQLITE_CANTOPEN,
  EPERM: SQLITE_CANTOPEN,
  ENOSPC: SQLITE_FULL,
  EDQUOT: SQLITE_FULL,
  EIO: SQLITE_IOERR,
};

export function toStoreError(error: unknown, path: string): unknown {
  if (error instanceof AppError) return error;
  const { errcode, code = "" } = error as { errcode?: number; code?: string };
  const primary = (errcode ?? SQLITE_CODES[code] ?? 0) & 0xff;
  const folder = dirname(path);
  // If the disk is too full for the -shm file, SQLite reports an I/O error.
  const isFull = [SQLITE_IOERR, SQLITE_CANTOPEN].includes(primary) && !hasSpace(folder);
  const [name, message, hint] = PROBLEMS[isFull ? SQLITE_FULL : primary] ?? [];
  if (name === undefined) return error;
  // SQLite writes temporary files here.
  const temporary = process.env["SQLITE_TMPDIR"] ?? process.env["TMPDIR"] ?? "/var/tmp";
  if (name === "disk_full" && hasSpace(folder) && !hasSpace(temporary))
    return new AppError(name, `The temporary folder ${temporary} is full.`, {
      hint: "Free some space there, or set TMPDIR.",
      cause: error,
    });
  return new AppError(name, `${path} ${message}.`, { ...(hint !== undefined && { hint }), cause: error });
}

/** SQLite's -shm file takes 32 KB. */
const MIN_FREE_BYTES = 64 * 1024;

function hasSpace(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    return true;
  }
}
