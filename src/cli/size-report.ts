// What takes room in the data directory: every table and index of the database, and every folder beside it.
import { folderSize } from "../platform/folder-size.ts";
import type { Paths } from "../config/paths.ts";
import { statOf } from "../platform/read-file.ts";
import { backupFolder } from "../store/db/backup.ts";
import type { Db } from "../store/db/driver.ts";
import { type Room, roomByTable, roomOf } from "../store/db/disk-usage.ts";
import { padLeft } from "../platform/terminal/layout.ts";
import { bytes, dim, heading } from "../platform/terminal/style.ts";

export interface SizeReport {
  database: Room & { path: string; log: number; tables: { name: string; bytes: number }[] };
  folders: { name: string; path: string; files: number; bytes: number }[];
  total: number;
}

/** Reads every page of the database: seconds for gigabytes. */
export function sizeReport(db: Db, paths: Paths): SizeReport {
  const room = roomOf(db);
  const log = statOf(`${paths.database}-wal`)?.size ?? 0;
  const folders = Object.entries({
    backups: backupFolder(paths.database),
    "set aside": paths.setAside,
    archive: paths.archive,
    models: paths.models,
    runtime: paths.runtime,
    plugin: paths.plugin,
    logs: paths.logs,
    spool: paths.spool,
    cache: paths.cache,
  }).map(([name, path]) => ({ name, path, ...folderSize(path) }));
  const total = room.bytes + log + folders.reduce((sum, folder) => sum + folder.bytes, 0);
  return { database: { path: paths.database, ...room, log, tables: roomByTable(db) }, folders, total };
}

export function sizeText({ database, folders, total }: SizeReport, limit: number): string {
  const line = (size: number, name: string): string => `  ${padLeft(bytes(size), 9)}  ${name}`;
  const shown = database.tables.slice(0, limit);
  const rest = database.tables.slice(limit);
  return [
    heading(`Database, ${bytes(database.bytes)}`),
    ...shown.map((table) => line(table.bytes, table.name)),
    ...(rest.length > 0
      ? [
          line(
            rest.reduce((sum, table) => sum + table.bytes, 0),
            dim(`${rest.length} smaller ones (-n shows them)`),
          ),
        ]
      : []),
    line(database.free, "free pages"),
    line(database.log, "write-ahead log"),
    "",
    heading("Beside it"),
    ...folders
      .filter((folder) => folder.files > 0)
      .map((folder) => line(folder.bytes, `${folder.name} (${folder.path})`)),
    "",
    line(total, "in all"),
  ].join("\n");
}
