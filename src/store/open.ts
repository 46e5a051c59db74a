// Opens the data directory's database: private files, WAL, durable commits, current schema.
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { type Db, openDriver, requireSqlite } from "./driver.ts";
import { migrate } from "./migrate.ts";

/** How long a command waits for another writer before it gives up. */
const BUSY_TIMEOUT_MS = 5_000;

export function openStore(path: string, options: { busyTimeoutMs?: number } = {}): Db {
  requireSqlite();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // SQLite gives -wal and -shm the mode of the main file, so it is enough to create that one privately.
  closeSync(openSync(path, "a", 0o600));
  const db = openDriver(path, { busyTimeoutMs: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS });
  try {
    // FULL: a spool file is deleted once its rows are committed, so a commit must outlive a power cut.
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
