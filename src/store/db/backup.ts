// Copies of the database: made while others write, checked, and only then given their name.
import { chmodSync, closeSync, copyFileSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { listFolder, statOf } from "../../platform/read-file.ts";
import { AppError } from "../../core/error.ts";
import { removeDatabase } from "./database-files.ts";
import { type Db, openDriver } from "./driver.ts";
import { raw, sql } from "./sql.ts";

/** "migration": before the schema was changed. */
export type BackupKind = "daily" | "manual" | "migration";

export interface Backup {
  name: string;
  path: string;
  kind: BackupKind;
  at: number;
  bytes: number;
}

export interface Contents {
  schema: number;
  sessions: number;
  prompts: number;
  messages: number;
  tool_uses: number;
  observations: number;
}

const NAME = /^c-mem-(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)-(\d{3})Z-(daily|manual|migration)\.db$/;
const BUSY_TIMEOUT_MS = 5_000;
/** Half a copy this old belongs to a process that was killed. */
const STALE_MS = 24 * 60 * 60 * 1000;

export function backupFolder(database: string): string {
  return join(dirname(database), "backups");
}

/** One read transaction, so that it is the database of one moment, and without free pages. Blocks: minutes for gigabytes. */
export function createBackup(database: string, kind: BackupKind, now: number): Backup & { contents: Contents } {
  const folder = backupFolder(database);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = `c-mem-${new Date(now).toISOString().replace(/[:.]/g, "-")}-${kind}.db`;
  const temporary = join(folder, `.${name}.${process.pid}.tmp`);
  removeUnfinished(database, now - STALE_MS);
  try {
    closeSync(openSync(temporary, "wx", 0o600));
    copyInto(database, temporary);
    const contents = checkDatabase(temporary);
    renameSync(temporary, join(folder, name));
    return { ...describe(folder, name), contents } as Backup & { contents: Contents };
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** With what its log has: a copy of the file alone is an older one, or none. */
export function copyDatabase(from: string, to: string): void {
  removeDatabase(to);
  closeSync(openSync(to, "wx", 0o600));
  if ((statOf(`${from}-wal`)?.size ?? 0) > 0) copyInto(from, to);
  else copyFileSync(from, to);
  chmodSync(to, 0o600);
}

function copyInto(database: string, target: string): void {
  const source = openDriver(database, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    source.run("VACUUM INTO ?", target);
  } finally {
    source.close();
  }
  const fd = openSync(target, "r+");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Opens a copy, reads all of it, and counts. Throws what is wrong with it. */
export function checkDatabase(path: string): Contents {
  const db = openDriver(path, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    const problems = integrityProblems(db);
    if (problems.length > 0) throw new AppError("backup_damaged", `${path} is damaged: ${problems[0]}.`);
    return countContents(db);
  } finally {
    db.close();
  }
}

export function integrityProblems(db: Db, check: "integrity_check" | "quick_check" = "integrity_check"): string[] {
  const rows = db.all<Record<string, string>>(sql`PRAGMA ${raw(check)}(3)`).map((row) => row[check] ?? "");
  // Several problems of a tree come as one text, under a heading.
  return rows.flatMap((text) => text.split("\n")).filter((line) => !/^(?:ok|\*\*\* .*|)$/.test(line));
}

function countContents(db: Db): Contents {
  const tables = new Set(db.column<string>(sql`SELECT name FROM sqlite_schema`));
  const count = (table: string): number =>
    tables.has(table) ? (db.value<number>(sql`SELECT count(*) AS n FROM ${raw(table)}`) ?? 0) : 0;
  if (!tables.has("migrations")) throw new AppError("backup_foreign", "It is not a database of C-Mem's.");
  return {
    schema: db.value<number>(sql`SELECT max(id) AS id FROM migrations`) ?? 0,
    sessions: count("sessions"),
    prompts: count("prompts"),
    messages: count("messages"),
    tool_uses: count("tool_uses"),
    observations: count("observations"),
  };
}

/** Newest first. */
export function listBackups(database: string): Backup[] {
  const folder = backupFolder(database);
  return listFolder(folder)
    .flatMap((name) => describe(folder, name) ?? [])
    .toSorted((a, b) => b.at - a.at);
}

function describe(folder: string, name: string): Backup | undefined {
  const [, day, hour, minute, second, ms, kind] = NAME.exec(name) ?? [];
  const path = join(folder, name);
  const stat = statOf(path);
  if (kind === undefined || stat === undefined) return undefined;
  const at = Date.parse(`${day}${hour}:${minute}:${second}.${ms}Z`);
  return { name, path, kind: kind as BackupKind, at, bytes: stat.size };
}

/** Copies that were begun before a time and never finished; one that is still being made comes to nothing. */
export function removeUnfinished(database: string, before: number): void {
  const folder = backupFolder(database);
  for (const name of listFolder(folder).filter((each) => /^\.c-mem-.*\.tmp(?:-journal)?$/.test(each))) {
    const path = join(folder, name);
    if ((statOf(path)?.mtimeMs ?? Infinity) < before) rmSync(path, { force: true });
  }
}
