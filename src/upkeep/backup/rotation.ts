// Decides when a backup is due, and deletes old ones.
import { DAY_MS } from "../../core/time.ts";
import type { Settings } from "../../config/schema.ts";
import { statOf } from "../../platform/read-file.ts";
import { type Backup, listBackups } from "../../store/db/backup.ts";
import { removeDatabase } from "../../store/db/swap.ts";

/** How many backups made before a migration are kept. */
const MIGRATION_BACKUPS = 3;
/** Above this total size the oldest backups are deleted. */
const MAX_BACKUP_BYTES = 5_000 * 1024 * 1024;

interface RotationLimits {
  daily: number;
  migration?: number;
  maxBytes?: number;
}

/** Deletes backups beyond the limits, the oldest first. The newest always stays. */
export function rotateBackups(
  database: string,
  { daily, migration = MIGRATION_BACKUPS, maxBytes = MAX_BACKUP_BYTES }: RotationLimits,
): Backup[] {
  const left = { daily, migration, manual: Infinity };
  let bytes = 0;
  const removed = listBackups(database).filter((backup, index) => {
    left[backup.kind] -= 1;
    bytes += backup.bytes;
    return index > 0 && (left[backup.kind] < 0 || bytes > maxBytes);
  });
  for (const { path } of removed) removeDatabase(path);
  return removed;
}

/** True without a backup, or if the newest is a day old (or a day ahead: wrong clock) and the database has changed. */
export function isBackupDue(database: string, settings: Settings, now: number): boolean {
  if (settings.backupsDaily === 0) return false;
  const [newest] = listBackups(database);
  if (newest === undefined) return true;
  const writtenAt = Math.max(statOf(database)?.mtimeMs ?? 0, statOf(`${database}-wal`)?.mtimeMs ?? 0);
  return Math.abs(now - newest.at) >= DAY_MS && writtenAt > newest.at;
}
