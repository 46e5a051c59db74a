// The disk usage of the data directory: every table and index of the database, and every folder beside it.
import type { Paths } from "../config/paths.ts";
import { folderSize, statOf } from "../platform/read-file.ts";
import { padLeft } from "../platform/terminal/layout.ts";
import { bytes, dim, heading } from "../platform/terminal/style.ts";
import { backupFolder } from "../store/db/backup.ts";
import type { Db } from "../store/db/driver.ts";
import { sizeByTable, fileSize } from "../store/db/disk-usage.ts";
import { defineQuery } from "./query.ts";
import { countOf, schemaOf } from "./schemas.ts";
import { LIMIT } from "./scope.ts";

const DEFAULT_ROWS = 12;

/** Reads every page of the database, which takes seconds if it has gigabytes. */
export const diskUsage = defineQuery({
  name: "stats",
  about: "show the disk usage of each table, index and folder",
  fields: LIMIT,
  http: { path: "/api/disk-usage", tag: "insight", isSlow: true, readsFiles: true },
  reply: (z) => ({
    data: z.strictObject({
      database: z.strictObject({
        ...schemaOf(z, { text: ["path"], count: ["bytes", "used", "free", "log"] }),
        tables: z.array(z.strictObject(schemaOf(z, { text: ["name"], count: ["bytes"] }))),
      }),
      folders: z.array(z.strictObject(schemaOf(z, { text: ["name", "path"], count: ["files", "bytes"] }))),
      total: countOf(z),
    }),
  }),
  run: (_input, { db, paths }) => ({ data: measure(db, paths) }),
  text: ({ data }, { input }) => usageText(data, input.limit ?? DEFAULT_ROWS),
});

function measure(db: Db, paths: Paths) {
  const database = fileSize(db);
  const log = statOf(`${paths.database}-wal`)?.size ?? 0;
  const folders = Object.entries({
    backups: backupFolder(paths.database),
    quarantine: paths.quarantine,
    archive: paths.archive,
    models: paths.models,
    runtime: paths.runtime,
    plugin: paths.plugin,
    conversations: paths.conversations,
    logs: paths.logs,
    spool: paths.spool,
    cache: paths.cache,
  }).map(([name, path]) => ({ name, path, ...folderSize(path) }));
  const total = database.bytes + log + folders.reduce((sum, folder) => sum + folder.bytes, 0);
  return { database: { path: paths.database, ...database, log, tables: sizeByTable(db) }, folders, total };
}

function usageText({ database, folders, total }: ReturnType<typeof measure>, limit: number): string {
  const line = (size: number, name: string): string => `  ${padLeft(bytes(size), 9)}  ${name}`;
  const rest = database.tables.slice(limit);
  const restBytes = rest.reduce((sum, table) => sum + table.bytes, 0);
  return [
    heading(`Database, ${bytes(database.bytes)}`),
    ...database.tables.slice(0, limit).map((table) => line(table.bytes, table.name)),
    ...(rest.length > 0 ? [line(restBytes, dim(`${rest.length} smaller ones (-n shows them)`))] : []),
    line(database.free, "free pages"),
    line(database.log, "write-ahead log"),
    "",
    heading("Other files"),
    ...folders.filter(({ files }) => files > 0).map(({ bytes: size, name, path }) => line(size, `${name} (${path})`)),
    "",
    line(total, "total"),
  ].join("\n");
}
