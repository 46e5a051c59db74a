// Makes copies of the database while others write, checks them, and only then gives them their final name.
import { chmodSync, closeSync, copyFileSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../../core/error.ts";
import { listFolder, statOf } from "../../platform/read-file.ts";
import { type Db, withDriver } from "./driver.ts";
import { raw, sql } from "./sql.ts";
import { removeDatabase, syncFile } from "./swap.ts";

/** "migration": before the schema was changed. */
export type BackupKind = "daily" | "manual" | "migration";

export interface Backup {
  name: string;
  path: string;
  kind: BackupKind;
  at: number;
  bytes: number;
}

const COUNTED = ["sessions", "prompts", "messages", "tool_uses", "observations"] as const;

/** The schema version, and the number of rows by table. */
export type Contents = Record<"schema" | (typeof COUNTED)[number], number>;

const NAME = /^c-mem-(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)-(\d{3})Z-(daily|manual|migration)\.db$/;
const READ_ONLY = { readOnly: true };
/** An unfinished copy older than this was left by a killed process. */
const STALE_MS = 24 * 60 * 60 * 1000;

export function backupFolder(database: string): string {
  return join(dirname(database), "backups");
}

/** Copies a snapshot, without free pages. Blocks for minutes if the database has gigabytes. */
export function createBackup(database: string, kind: BackupKind, now: number): Backup & { contents: Contents } {
  const folder = backupFolder(database);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = `c-mem-${new Date(now).toISOString().replace(/[:.]/g, "-")}-${kind}.db`;
  const temporary = join(folder, `.${name}.${process.pid}.tmp`);
  removeUnfinishedBackups(database, now - STALE_MS);
  try {
    closeSync(openSync(temporary, "wx", 0o600));
    copyInto(database, temporary);
    const contents = checkDatabase(temporary);
    renameSync(temporary, join(folder, name));
    return { ...(describe(folder, name) as Backup), contents };
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Copies the log, too: the file alone may be older, or empty. */
export function copyDatabase(from: string, to: string): void {
  removeDatabase(to);
  closeSync(openSync(to, "wx", 0o600));
  if ((statOf(`${from}-wal`)?.size ?? 0) > 0) copyInto(from, to);
  else copyFileSync(from, to);
  chmodSync(to, 0o600);
}

function copyInto(database: string, target: string): void {
  withDriver(database, READ_ONLY, (source) => source.run(sql`VACUUM INTO ${target}`));
  syncFile(target, "r+");
}

/** Reads all of a copy and counts its rows. Throws the first problem. */
export function checkDatabase(path: string): Contents {
  return withDriver(path, READ_ONLY, (db) => {
    const [problem] = integrityProblems(db);
    if (problem !== undefined) throw new AppError("backup_damaged", `${path} is damaged: ${problem}.`);
    return countContents(db);
  });
}

export function integrityProblems(db: Db, check: "integrity_check" | "quick_check" = "integrity_check"): string[] {
  // SQLite returns several problems of one table as one text, under a heading.
  const lines = db.column<string>(sql`PRAGMA ${raw(check)}(3)`).flatMap((text) => text.split("\n"));
  return lines.filter((line) => !/^(?:ok|\*\*\* .*|)$/.test(line));
}

function countContents(db: Db): Contents {
  const tables = new Set(db.column<string>(sql`SELECT name FROM sqlite_schema`));
  if (!tables.has("migrations")) throw new AppError("backup_foreign", "This is not a C-Mem database.");
  const schema = db.value<number>(sql`SELECT max(id) FROM migrations`) ?? 0;
  const counts = COUNTED.map((table) => {
    const count = tables.has(table) ? db.value<number>(sql`SELECT count(*) FROM ${raw(table)}`) : 0;
    return [table, count ?? 0];
  });
  return { schema, ...Object.fromEntries(counts) } as Contents;
}

/** Newest first. */
export function listBackups(database: string): Backup[] {
  const folder = backupFolder(database);
  const backups = listFolder(folder).flatMap((name) => describe(folder, name) ?? []);
  return backups.toSorted((a, b) => b.at - a.at);
}

function describe(folder: string, name: string): Backup | undefined {
  const [, day, hour, minute, second, ms, kind] = NAME.exec(name) ?? [];
  const path = join(folder, name);
  const stat = statOf(path);
  if (kind === undefined || stat === undefined) return undefined;
  const at = Date.parse(`${day}${hour}:${minute}:${second}.${ms}Z`);
  return { name, path, kind: kind as BackupKind, at, bytes: stat.size };
}

/** Deletes unfinished copies begun before a time. A process that still writes one fails when it renames it. */
export function removeUnfinishedBackups(database: string, before: number): void {
  const folder = backupFolder(database);
  for (const name of listFolder(folder).filter((each) => /^\.c-mem-.*\.tmp(?:-journal)?$/.test(each))) {
    const path = join(folder, name);
    if ((statOf(path)?.mtimeMs ?? Infinity) < before) rmSync(path, { force: true });
  }
}
