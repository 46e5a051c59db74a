// Backs up the database while other processes write to it. A copy gets its final name after it passed the check.
import { chmodSync, closeSync, copyFileSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../../core/error.ts";
import { listFolder, statOf } from "../../platform/read-file.ts";
import { type Db, withDriver } from "./driver.ts";
import { raw, sql } from "./sql.ts";
import { removeDatabase, syncFile } from "./swap.ts";

/** A "migration" backup is made before the schema is migrated. */
export type BackupKind = "daily" | "manual" | "migration";

export interface Backup {
  name: string;
  path: string;
  kind: BackupKind;
  at: number;
  bytes: number;
}

const COUNTED_TABLES = ["sessions", "prompts", "messages", "tool_uses", "observations"] as const;

/** The schema version, and the number of rows in each table. */
export type BackupContents = Record<"schema" | (typeof COUNTED_TABLES)[number], number>;

const NAME = /^c-mem-(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)-(\d{3})Z-(daily|manual|migration)\.db$/;
const READ_ONLY = { readOnly: true };
/** Unfinished copies older than this are deleted: the process that wrote them was killed. */
const STALE_MS = 24 * 60 * 60 * 1000;

export function backupFolder(database: string): string {
  return join(dirname(database), "backups");
}

/** Copies a snapshot of the database, without its free pages. Takes minutes for a database of several GB. */
export function createBackup(database: string, kind: BackupKind, now: number): Backup & { contents: BackupContents } {
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

/** Includes the latest commits, which may be only in the -wal file. */
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

/** Reads the whole database and counts its rows. Throws the first problem it finds. */
export function checkDatabase(path: string): BackupContents {
  return withDriver(path, READ_ONLY, (db) => {
    const [problem] = integrityProblems(db);
    if (problem !== undefined) throw new AppError("backup_damaged", `${path} is damaged: ${problem}.`);
    return countContents(db);
  });
}

export function integrityProblems(db: Db, check: "integrity_check" | "quick_check" = "integrity_check"): string[] {
  // SQLite returns the problems of one table as one text, with the heading "*** in database main ***".
  const lines = db.column<string>(sql`PRAGMA ${raw(check)}(3)`).flatMap((text) => text.split("\n"));
  return lines.filter((line) => !/^(?:ok|\*\*\* .*|)$/.test(line));
}

function countContents(db: Db): BackupContents {
  const tables = new Set(db.column<string>(sql`SELECT name FROM sqlite_schema`));
  if (!tables.has("migrations")) throw new AppError("backup_foreign", "This is not a C-Mem database.");
  const schema = db.value<number>(sql`SELECT max(id) FROM migrations`) ?? 0;
  const counts = COUNTED_TABLES.map((table) => {
    const count = tables.has(table) ? db.value<number>(sql`SELECT count(*) FROM ${raw(table)}`) : 0;
    return [table, count ?? 0];
  });
  return { schema, ...Object.fromEntries(counts) } as BackupContents;
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

/** Deletes unfinished copies last written before this time. A process that still writes one fails at the rename. */
export function removeUnfinishedBackups(database: string, before: number): void {
  const folder = backupFolder(database);
  for (const name of listFolder(folder).filter((each) => /^\.c-mem-.*\.tmp(?:-journal)?$/.test(each))) {
    const path = join(folder, name);
    if ((statOf(path)?.mtimeMs ?? Infinity) < before) rmSync(path, { force: true });
  }
}
