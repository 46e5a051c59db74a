// When a backup is due, and which ones go.
import { statOf } from "../../platform/read-file.ts";
import type { Settings } from "../../config/schema.ts";
import { type Backup, listBackups } from "../../store/db/backup.ts";
import { removeDatabase } from "../../store/db/database-files.ts";

export interface Rotation {
  daily: number;
  migration: number;
  maxBytes: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Backups made before a migration that are kept. */
const MIGRATION_BACKUPS = 3;
/** Above this the oldest backups are deleted. */
const MAX_BACKUP_BYTES = 5_000 * 1024 * 1024;

export function rotationOf(settings: Settings): Rotation {
  return {
    daily: settings.backupsDaily,
    migration: MIGRATION_BACKUPS,
    maxBytes: MAX_BACKUP_BYTES,
  };
}

/** Takes away what is more than wanted, the oldest first. The newest stays, however large it is. */
export function rotateBackups(database: string, { daily, migration, maxBytes }: Rotation): Backup[] {
  const [newest, ...older] = listBackups(database);
  if (newest === undefined) return [];
  const left = { daily, migration, manual: Infinity };
  left[newest.kind] -= 1;
  let bytes = newest.bytes;
  const gone = older.filter((backup) => {
    left[backup.kind] -= 1;
    bytes += backup.bytes;
    return left[backup.kind] < 0 || bytes > maxBytes;
  });
  for (const { path } of gone) removeDatabase(path);
  return gone;
}

/** A day after the last one, whatever it was made for, if anything was written since. A time that lies ahead is a wrong one. */
export function isBackupDue(database: string, settings: Settings, now: number): boolean {
  if (settings.backupsDaily === 0) return false;
  const [newest] = listBackups(database);
  if (newest === undefined) return true;
  const writtenAt = Math.max(statOf(database)?.mtimeMs ?? 0, statOf(`${database}-wal`)?.mtimeMs ?? 0);
  return Math.abs(now - newest.at) >= DAY_MS && writtenAt > newest.at;
}
