// Puts a backup in the database's place. What is there is set aside; what was forgotten since stays forgotten.
import { existsSync, mkdirSync } from "node:fs";
import type { Paths } from "../../config/paths.ts";
import { checkDatabase, type Contents, copyDatabase } from "../../store/db/backup.ts";
import { removeDatabase } from "../../store/db/database-files.ts";
import { openDriver } from "../../store/db/driver.ts";
import { keepLastIds, type LastIds, lastIds } from "../../store/db/next-id.ts";
import type { MergedRow } from "../../store/db/merge.ts";
import { migrate } from "../../store/db/migrate.ts";
import { explain } from "../../store/db/open.ts";
import { salvageRows } from "../../store/db/salvage.ts";
import { quarantineFolder, writeReport } from "../../store/db/quarantine.ts";
import { beginSwap, cancelSwap, endSwap, incomingOf } from "../../store/db/swap.ts";
import { insertTombstone, type Tombstone, type TombstoneKind } from "../../store/tables/tombstones.ts";
import { transaction } from "../../store/db/transaction.ts";
import { deleteForgotten } from "../erase/scrub-backups.ts";

export interface Restored {
  contents: Contents;
  /** Where the database went that was there before. */
  setAside: string;
  /** Rows of the backup that had been forgotten since it was made. */
  forgotten: number;
}

/** A transaction that is under way is waited for so long. */
const LAST_WRITER_MS = 30_000;

/** Only for who holds the worker's lock. */
export function restoreBackup(paths: Paths, backup: string, now: number): Restored {
  const contents = checkDatabase(backup);
  const aside = quarantineFolder(paths.setAside, now);
  const incoming = incomingOf(paths.database);
  beginSwap(paths.database, aside);
  let forgotten: number;
  try {
    const before = settle(paths.database);
    copyDatabase(backup, incoming);
    forgotten = prepare(incoming, before, now);
    mkdirSync(aside, { recursive: true, mode: 0o700 });
    writeReport(aside, { at: now, why: "restored", backup });
  } catch (error) {
    removeDatabase(incoming);
    cancelSwap(paths.database);
    throw explain(error, paths.database);
  }
  endSwap(paths.database, incoming);
  return { contents, setAside: aside, forgotten };
}

/** What outlives a database that is replaced, as far as it can be read. */
interface Before {
  tombstones: readonly Tombstone[];
  lastIds: LastIds;
}

const NOTHING: Before = { tombstones: [], lastIds: [] };

/** Waits for the last writer, and brings the log into the file. */
function settle(database: string): Before {
  if (!existsSync(database)) return NOTHING;
  try {
    const db = openDriver(database, { busyTimeoutMs: LAST_WRITER_MS });
    try {
      db.exec("BEGIN IMMEDIATE; ROLLBACK");
      db.get("PRAGMA wal_checkpoint(TRUNCATE)");
      // Around a page that is lost: a damaged one is what a backup is wanted for.
      const tombstones = [...salvageRows(db, "tombstones", { lost: 0 })].flat().map(toTombstone);
      return { tombstones, lastIds: lastIds(db) };
    } finally {
      db.close();
    }
  } catch (error) {
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === BUSY) throw error;
    // Nothing of it can be read.
    return NOTHING;
  }
}

function toTombstone({ kind, hash }: MergedRow): Tombstone {
  return { kind: String(kind) as TombstoneKind, hash: String(hash) };
}

const BUSY = 5;

function prepare(incoming: string, before: Before, now: number): number {
  const db = openDriver(incoming, { busyTimeoutMs: 0 });
  try {
    migrate(db);
    transaction(db, () => {
      for (const tombstone of before.tombstones) insertTombstone(db, tombstone, now);
      keepLastIds(db, before.lastIds);
    });
    return deleteForgotten(db, now);
  } finally {
    db.close();
  }
}
