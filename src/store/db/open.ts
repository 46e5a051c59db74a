// Opens the data directory's database: private files, WAL, durable commits, current schema.
import { closeSync, mkdirSync, openSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { statOf } from "../../platform/read-file.ts";
import { AppError } from "../../core/error.ts";
import { createBackup, listBackups } from "./backup.ts";
import { type Db, openDriver, requireSqlite } from "./driver.ts";
import { migrate, type Migration } from "./migrate.ts";
import { isSwapping, replacedError } from "./swap.ts";

/** How long a command waits for another writer before it gives up. */
const BUSY_TIMEOUT_MS = 5_000;

export interface OpenOptions {
  busyTimeoutMs?: number;
  /** For who cannot wait: a database of an older version is left to others, who make a backup first. */
  leaveOlder?: boolean;
  /** Another version's, for tests. */
  migrations?: readonly Migration[];
}

export function openStore(path: string, options: OpenOptions = {}): Db {
  requireSqlite();
  if (isSwapping(path)) throw replacedError();
  if (isEmptied(path)) throw explain(Object.assign(new Error("empty"), { errcode: SQLITE_NOTADB }), path);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // SQLite gives -wal and -shm the mode of the main file, so it is enough to create that one privately.
    closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    throw explain(error, path);
  }
  const db = openDriver(path, { busyTimeoutMs: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS });
  try {
    // Said of an older file, each time it is opened, it would be written to and waited for.
    if (statOf(path)?.size === 0) shapeFile(db);
    // FULL: a spool file is deleted once its rows are committed, so a commit must outlive a power cut.
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    const keepCopy = (): unknown => createBackup(path, "migration", Date.now());
    migrate(db, options.migrations, options.leaveOlder ? refuseOlder : keepCopy);
    return db;
  } catch (error) {
    db.close();
    throw explain(error, path);
  }
}

/**
 * For a file that nothing was written to yet. Larger pages: outputs of several KB go in and out a quarter faster. Incremental:
 * room that was freed is given back in short steps.
 */
export function shapeFile(db: Db): void {
  db.exec("PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL;");
}

const SQLITE_NOTADB = 26;

/** SQLite takes an empty file for a new database. Where there are backups, or a log, it was not new. */
export function isEmptied(path: string): boolean {
  if (statOf(path)?.size !== 0) return false;
  return (statOf(`${path}-wal`)?.size ?? 0) > 0 || listBackups(path).length > 0;
}

function refuseOlder(): never {
  throw new AppError("store_older", "The database is of an older version.", {
    hint: "The next command or the worker brings it up to date: c-mem status",
  });
}

/** For work that can be done again: a power cut may then cost the newest commits, never the database. */
export function relaxDurability(db: Db): void {
  db.exec(
    "PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -24576; PRAGMA wal_autocheckpoint = 4096;",
  );
}

/** Whether a commit outlives a power cut. */
export function setDurable(db: Db, isDurable: boolean): void {
  db.exec(`PRAGMA synchronous = ${isDurable ? "FULL" : "NORMAL"}`);
}

/** By SQLite's own result code: what somebody at a terminal can do about it. */
const TROUBLES: Readonly<Record<number, { code: string; message: string; hint: string }>> = {
  5: { code: "store_busy", message: "is busy", hint: "Another program is writing to it. Try again in a moment." },
  8: {
    code: "store_unwritable",
    message: "cannot be written",
    hint: "Check the permissions of the folder and the disk.",
  },
  10: { code: "store_io", message: "cannot be read or written", hint: "Check the disk." },
  11: {
    code: "store_damaged",
    message: "is damaged",
    hint: "The worker repairs it, or now: c-mem doctor --fix",
  },
  13: {
    code: "disk_full",
    message: "cannot grow: the disk is full",
    hint: "Free some space, then run the command again. Nothing is lost.",
  },
  14: { code: "store_unwritable", message: "cannot be opened", hint: "Check the permissions of the folder." },
  26: {
    code: "store_damaged",
    message: "is not a database",
    hint: "The worker repairs it, or now: c-mem doctor --fix",
  },
};

/** What the file system says, as the SQLite code that means the same. */
const SAME_TROUBLE: Readonly<Record<string, number>> = {
  EROFS: 8,
  EACCES: 14,
  EPERM: 14,
  ENOSPC: 13,
  EDQUOT: 13,
  EIO: 10,
};

export function explain(error: unknown, path: string): unknown {
  if (error instanceof AppError) return error;
  const { errcode, code = "" } = error as { errcode?: number; code?: string };
  const primary = (errcode ?? SAME_TROUBLE[code] ?? 0) & 0xff;
  // Without space for the file it shares with other processes, SQLite reports an I/O error.
  const isFull = [SQLITE_IOERR, SQLITE_CANTOPEN].includes(primary) && !hasSpace(dirname(path));
  const trouble = TROUBLES[isFull ? SQLITE_FULL : primary];
  if (trouble === undefined) return error;
  const temporary = temporaryFolder();
  if (trouble.code === "disk_full" && hasSpace(dirname(path)) && !hasSpace(temporary)) {
    const message = `The temporary folder ${temporary} is full.`;
    return new AppError(trouble.code, message, { hint: "Free some space there, or set TMPDIR.", cause: error });
  }
  return new AppError(trouble.code, `${path} ${trouble.message}.`, { hint: trouble.hint, cause: error });
}

const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
/** SQLite's shared memory file takes 32 KB. */
const LEAST_BYTES = 64 * 1024;

/** Where SQLite keeps what does not fit into memory. */
function temporaryFolder(): string {
  return process.env["SQLITE_TMPDIR"] ?? process.env["TMPDIR"] ?? "/var/tmp";
}

function hasSpace(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= LEAST_BYTES;
  } catch {
    return true;
  }
}
