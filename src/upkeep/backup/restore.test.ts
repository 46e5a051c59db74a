import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { type Paths, resolvePaths } from "../../config/paths.ts";
import { checkDatabase, createBackup, listBackups } from "../../store/db/backup.ts";
import { rotateBackups } from "./rotation.ts";
import { openStore } from "../../store/db/open.ts";
import { settleSwap } from "../../store/db/swap.ts";
import { insertTombstone, hasTombstone, tombstoneOf } from "../../store/tables/tombstones.ts";
import { prompt, seedStore } from "../../../test/seed.ts";
import { repairStore } from "./repair.ts";
import { restoreBackup } from "./restore.ts";

const NOW = Date.UTC(2026, 5, 1);

function machine(prompts: number): Paths {
  const paths = resolvePaths({ C_MEM_HOME: mkdtempSync(join(tmpdir(), "c-mem-restore-")) });
  const { db, add } = seedStore(paths.database);
  for (let index = 0; index < prompts; index++) add("one", prompt(`lamp ${index} ${"x".repeat(500)}`));
  db.close();
  return paths;
}

const countPrompts = ({ database }: Paths): number => checkDatabase(database).prompts;

/** A database whose newest rows are only in its log, as a running or killed program leaves it. */
function withLog(from: Paths, more: number): string {
  const copy = join(mkdtempSync(join(tmpdir(), "c-mem-logged-")), "c-mem.db");
  const { db, add } = seedStore(from.database);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  for (let index = 0; index < more; index++) add("one", prompt(`later ${index}`));
  for (const suffix of ["", "-wal"]) copyFileSync(from.database + suffix, copy + suffix);
  db.close();
  return copy;
}

/** The rollback journal that a program leaves behind if it is killed while writing to this database. */
function hotJournal(database: string): string {
  const copy = `${database}.hot`;
  copyFileSync(database, copy);
  const db = new DatabaseSync(copy);
  db.exec("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN; UPDATE prompts SET text = upper(text)");
  const journal = join(mkdtempSync(join(tmpdir(), "c-mem-hot-")), "journal");
  copyFileSync(`${copy}-journal`, journal);
  db.exec("ROLLBACK");
  db.close();
  return journal;
}

describe("a restore", () => {
  it("includes rows that are only in the log", () => {
    const paths = machine(1);
    const other = withLog(machine(2), 3);
    const { contents } = restoreBackup(paths, other, NOW);
    expect([contents.prompts, countPrompts(paths)]).toEqual([5, 5]);
  });

  it("keeps the readable tombstones of a damaged database", () => {
    const paths = machine(2);
    const { path } = createBackup(paths.database, "manual", NOW);
    const tombstones = Array.from({ length: 1_000 }, (_, index) => tombstoneOf("message", "one", `m-${index}`));
    const db = openStore(paths.database);
    for (const one of tombstones) insertTombstone(db, one, NOW);
    const sql =
      "SELECT max(pageno) AS page, pgsize AS size FROM dbstat WHERE name = 'tombstones' AND pagetype = 'leaf'";
    const { page, size } = db.get<{ page: number; size: number }>(sql) ?? { page: 2, size: 0 };
    db.get("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
    writeFileSync(paths.database, readFileSync(paths.database).fill(7, (page - 1) * size, page * size));
    restoreBackup(paths, path, NOW);
    const restored = openStore(paths.database);
    const left = tombstones.filter((one) => hasTombstone(restored, one)).length;
    restored.close();
    expect([left > 800, left < 1_000]).toEqual([true, true]);
  });

  it("reuses no id of the replaced database", () => {
    const paths = machine(2);
    const backup = createBackup(paths.database, "manual", NOW);
    const later = seedStore(paths.database);
    for (const text of ["a third", "a fourth"]) later.add("one", prompt(text));
    later.db.run("DELETE FROM prompts WHERE id = 4");
    later.db.close();
    restoreBackup(paths, backup.path, NOW);
    const { db, add } = seedStore(paths.database);
    add("one", prompt("a new one"));
    expect(db.get("SELECT id FROM prompts WHERE text = 'a new one'")).toEqual({ id: 5 });
    db.close();
  });

  it("ignores the files of a restore that was killed", () => {
    const [paths, larger] = [machine(3), machine(60)];
    const journal = hotJournal(larger.database);
    copyFileSync(journal, `${paths.database}.incoming-journal`);
    const { path } = createBackup(paths.database, "manual", NOW);
    restoreBackup(paths, path, NOW);
    expect(countPrompts(paths)).toBe(3);
    copyFileSync(journal, `${paths.database}.incoming-journal`);
    settleSwap(paths.database);
    expect(readdirSync(paths.home).filter((name) => name.includes("incoming"))).toEqual([]);
  });
});

describe("a repair", () => {
  it("of a file without its header keeps rows that are only in the log", () => {
    const paths = machine(0);
    const other = withLog(machine(2), 3);
    for (const suffix of ["", "-wal"]) copyFileSync(other + suffix, paths.database + suffix);
    writeFileSync(paths.database, readFileSync(paths.database).fill(0, 0, 100));
    expect(repairStore(paths, NOW, { settleMs: 0 }).kind).toBe("replaced");
    expect(countPrompts(paths)).toBe(5);
  });
});

describe("a rotated backup", () => {
  it("is deleted with the log a killed program left beside it", () => {
    const paths = machine(1);
    const { path } = createBackup(paths.database, "daily", NOW - 1);
    createBackup(paths.database, "daily", NOW);
    writeFileSync(`${path}-journal`, "half a change");
    rotateBackups(paths.database, { daily: 1, migration: 0, maxBytes: Infinity });
    expect(listBackups(paths.database)).toHaveLength(1);
    expect(existsSync(`${path}-journal`)).toBe(false);
  });
});
