import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SETTINGS, type Settings } from "../../config/schema.ts";
import { bash, DAY, ended, prompt, seedStore } from "../../../test/seed.ts";
import { backupFolder, checkDatabase, createBackup, listBackups } from "./backup.ts";
import { isBackupDue, rotateBackups } from "../../upkeep/backup/rotation.ts";
import { MIGRATIONS, type Migration } from "./migrate.ts";
import { openStore } from "./open.ts";

const NOW = Date.UTC(2026, 5, 1, 12);
const next: Migration = { id: 1000, name: "later", sql: "ALTER TABLE projects ADD COLUMN colour TEXT;" };
const defaults = Object.fromEntries(
  Object.entries(SETTINGS).map(([key, { default: value }]) => [key, value]),
) as unknown as Settings;

function seeded(): { path: string; close(): void } {
  const path = join(mkdtempSync(join(tmpdir(), "c-mem-backup-")), "c-mem.db");
  const { db, add } = seedStore(path);
  add("s", prompt("why is the sky blue"));
  add("s", bash("look up", "it scatters"));
  add("s", ended("because it scatters"));
  return { path, close: () => db.close() };
}

describe("a backup", () => {
  it("made during another connection's transaction is complete, and only its owner can read it", () => {
    const { path, close } = seeded();
    const writer = openStore(path);
    writer.exec("BEGIN IMMEDIATE; DELETE FROM prompts");
    const backup = createBackup(path, "manual", NOW);
    writer.exec("ROLLBACK");
    writer.close();
    close();
    expect(backup).toMatchObject({ kind: "manual", at: NOW, contents: { sessions: 1, prompts: 1, tool_uses: 1 } });
    expect(statSync(backup.path).mode & 0o777).toBe(0o600);
    expect(statSync(backupFolder(path)).mode & 0o777).toBe(0o700);
    expect(readdirSync(backupFolder(path))).toEqual(["c-mem-2026-06-01T12-00-00-000Z-manual.db"]);
    expect(checkDatabase(backup.path)).toEqual(backup.contents);
  });

  it("of a damaged database is not created", () => {
    const { path, close } = seeded();
    close();
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 4096 * 2, 4096 * 12);
    writeFileSync(path, bytes);
    expect(() => createBackup(path, "manual", NOW)).toThrow("malformed");
    expect(readdirSync(backupFolder(path))).toEqual([]);
  });

  it("whose file was truncated is reported as malformed", () => {
    const { path, close } = seeded();
    const backup = createBackup(path, "manual", NOW);
    close();
    truncateSync(backup.path, backup.bytes - 4096 * 3);
    expect(() => checkDatabase(backup.path)).toThrow("malformed");
  });

  it("is created once before a migration, but not of a new database", () => {
    const { path, close } = seeded();
    close();
    expect(listBackups(path)).toEqual([]);
    openStore(path, { migrations: [...MIGRATIONS, next] }).close();
    openStore(path, { migrations: [...MIGRATIONS, next] }).close();
    const [backup, ...more] = listBackups(path);
    expect([backup?.kind, more]).toEqual(["migration", []]);
    expect(checkDatabase(backup?.path ?? "")).toMatchObject({ schema: MIGRATIONS.at(-1)?.id, prompts: 1 });
  });

  it("that cannot be created stops a migration", () => {
    const { path, close } = seeded();
    close();
    writeFileSync(backupFolder(path), "in the way");
    expect(() => openStore(path, { migrations: [...MIGRATIONS, next] })).toThrow("EEXIST");
    const db = openStore(path);
    expect(db.all("SELECT id FROM migrations WHERE id = 1000")).toEqual([]);
    db.close();
  });

  it("is not created with refuseOlder: opening an older database throws", () => {
    const { path, close } = seeded();
    close();
    expect(() => openStore(path, { migrations: [...MIGRATIONS, next], refuseOlder: true })).toThrow(
      expect.objectContaining({ code: "store_older" }),
    );
  });
});

describe("backups", () => {
  function databaseWithBackups(...kinds: [day: number, kind: string, bytes?: number][]): string {
    const database = join(mkdtempSync(join(tmpdir(), "c-mem-backups-")), "c-mem.db");
    mkdirSync(backupFolder(database));
    writeFileSync(database, "");
    for (const [day, kind, size = 10] of kinds) {
      const time = new Date(NOW + day * DAY).toISOString().replace(/[:.]/g, "-");
      writeFileSync(join(backupFolder(database), `c-mem-${time}-${kind}.db`), "x".repeat(size));
    }
    writeFileSync(join(backupFolder(database), "claude-settings-2026.json"), "{}");
    return database;
  }
  const days = (database: string) => listBackups(database).map(({ at, kind }) => [(at - NOW) / DAY, kind]);

  it("are deleted beyond the limit of their kind, oldest first", () => {
    const database = databaseWithBackups(
      [0, "daily"],
      [1, "daily"],
      [2, "daily"],
      [3, "manual"],
      [0.5, "migration"],
      [4, "migration"],
    );
    rotateBackups(database, { daily: 2, migration: 1, maxBytes: 1e9 });
    expect(days(database)).toEqual([
      [4, "migration"],
      [3, "manual"],
      [2, "daily"],
      [1, "daily"],
    ]);
    expect(readdirSync(backupFolder(database))).toContain("claude-settings-2026.json");
  });

  it("are deleted beyond the size limit, but never the newest one", () => {
    const database = databaseWithBackups([0, "daily", 10], [1, "manual", 10], [2, "daily", 100]);
    rotateBackups(database, { daily: 7, migration: 3, maxBytes: 112 });
    expect(days(database)).toEqual([
      [2, "daily"],
      [1, "manual"],
    ]);
    rotateBackups(database, { daily: 0, migration: 0, maxBytes: 1 });
    expect(days(database)).toEqual([[2, "daily"]]);
  });

  it("are due a day after the last one, if the database was written to since", () => {
    const database = databaseWithBackups([0, "manual"]);
    const due = (now: number, settings = defaults) => isBackupDue(database, settings, now);
    expect([due(NOW + DAY / 2), due(NOW + DAY), due(NOW - 2 * DAY)]).toEqual([false, true, true]);
    expect(due(NOW + DAY, { ...defaults, backupsDaily: 0 })).toBe(false);
    expect(isBackupDue(databaseWithBackups(), defaults, NOW)).toBe(true);
    expect(isBackupDue(databaseWithBackups([365 * 40, "daily"]), defaults, NOW + 365 * 41 * DAY)).toBe(false);
  });
});
