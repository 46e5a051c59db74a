// Replaces the database with a backup and quarantines the old one. What was forgotten since the backup stays deleted.
import { existsSync, rmSync } from "node:fs";
import type { Paths } from "../../config/paths.ts";
import { checkDatabase, type BackupContents, copyDatabase } from "../../store/db/backup.ts";
import { isBusy, withDriver } from "../../store/db/driver.ts";
import { migrate } from "../../store/db/migrate.ts";
import { keepLastIds, type LastIds, lastIds } from "../../store/db/item-ids.ts";
import { toStoreError } from "../../store/db/open.ts";
import { quarantineFolder, writeReport } from "../../store/db/quarantine.ts";
import { salvageRows } from "../../store/db/salvage.ts";
import { beginSwap, cancelSwap, endSwap, incomingPath, removeDatabase } from "../../store/db/swap.ts";
import { transaction } from "../../store/db/transaction.ts";
import { insertTombstone, type Tombstone, type TombstoneKind } from "../../store/tables/tombstones.ts";
import { deleteForgotten } from "../erase/scrub-backups.ts";

export interface Restored {
  contents: BackupContents;
  /** Where the replaced database is. */
  quarantine: string;
  /** How many rows of the backup had been forgotten since it was made. */
  forgotten: number;
}

/** How long to wait for a transaction of another process. */
const WRITER_TIMEOUT_MS = 30_000;

/** Requires the worker's lock. */
export function restoreBackup(paths: Paths, backup: string, now: number): Restored {
  const { database } = paths;
  const contents = checkDatabase(backup);
  const quarantine = quarantineFolder(paths.quarantine, now);
  const incoming = incomingPath(database);
  beginSwap(database, quarantine);
  let forgotten: number;
  try {
    const kept = readTombstonesAndIds(database);
    copyDatabase(backup, incoming);
    forgotten = withDriver(incoming, { busyTimeoutMs: 0 }, (db) => {
      migrate(db);
      transaction(db, () => {
        for (const tombstone of kept.tombstones) insertTombstone(db, tombstone, now);
        keepLastIds(db, kept.lastIds);
      });
      return deleteForgotten(db, now);
    });
    writeReport(quarantine, { at: now, why: "restored", backup });
  } catch (error) {
    removeDatabase(incoming);
    cancelSwap(database);
    throw toStoreError(error, database);
  }
  endSwap(database, incoming);
  // Conversations with a model are named by the row ids of sessions, which may now belong to others.
  rmSync(paths.conversations, { recursive: true, force: true });
  return { contents, quarantine, forgotten };
}

/** What a restore keeps from the replaced database, as far as it can be read. */
interface TombstonesAndIds {
  tombstones: readonly Tombstone[];
  lastIds: LastIds;
}

/** Before it reads, waits for the last writer and checkpoints the WAL. */
function readTombstonesAndIds(database: string): TombstonesAndIds {
  const nothing = { tombstones: [], lastIds: [] };
  if (!existsSync(database)) return nothing;
  try {
    return withDriver(database, { busyTimeoutMs: WRITER_TIMEOUT_MS }, (db) => {
      db.exec("BEGIN IMMEDIATE; ROLLBACK");
      db.get("PRAGMA wal_checkpoint(TRUNCATE)");
      // Salvaged, because the database may be damaged.
      const tombstones = [...salvageRows(db, "tombstones", { lost: 0 })]
        .flat()
        .map(({ kind, hash }): Tombstone => ({ kind: String(kind) as TombstoneKind, hash: String(hash) }));
      return { tombstones, lastIds: lastIds(db) };
    });
  } catch (error) {
    if (isBusy(error)) throw error;
    return nothing;
  }
}
