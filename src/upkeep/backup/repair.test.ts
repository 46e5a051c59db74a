import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { type Paths, resolvePaths } from "../../config/paths.ts";
import type { Observation } from "../../core/memory.ts";
import { checkDatabase, createBackup } from "../../store/db/backup.ts";
import { emptyDeletionSet } from "../erase/deletion-set.ts";
import { type Db, openDriver } from "../../store/db/driver.ts";
import { openStore } from "../../store/db/open.ts";
import { updateSearchIndex } from "../../store/fts/search-index.ts";
import { readReports } from "../../store/db/quarantine.ts";
import { isSwapping } from "../../store/db/swap.ts";
import { insertTombstone, hasTombstone, tombstoneOf } from "../../store/tables/tombstones.ts";
import { bash, DAY, ended, prompt, said, seedStore, START, touch } from "../../../test/seed.ts";
import { deriveSession } from "../../memory/derive.ts";
import { forget } from "../erase/forget.ts";
import { remember } from "../../memory/user-edits.ts";
import { repairStore } from "./repair.ts";

const NOW = Date.UTC(2026, 5, 1);
const PAGE = 8192;

/** `settleMs: 0`, because no other process has the database open. */
const repair = (paths: Paths) => repairStore(paths, NOW, { settleMs: 0 });

const NOTE: Omit<Observation, "narrative"> = {
  type: "decision",
  title: "Sundays",
  facts: [],
  concepts: [],
  files: [],
  evidence: [],
  origin: "user",
};

interface Machine {
  paths: Paths;
  /** Row counts of the tables that cannot be derived again. */
  before: Record<string, number>;
  inBackup: Record<string, number>;
}

const TABLES = ["projects", "sessions", "prompts", "messages", "tool_uses", "file_touches", "tombstones"];
const countAll = (db: Db): Record<string, number> =>
  Object.fromEntries(TABLES.map((name) => [name, db.get<{ n: number }>(`SELECT count(*) AS n FROM ${name}`)?.n ?? 0]));

/** A database with sessions from before and after a backup, one of which was forgotten. */
function machine(options: { backup: boolean }): Machine {
  const paths = resolvePaths({ C_MEM_HOME: mkdtempSync(join(tmpdir(), "c-mem-repair-")) });
  const { db, add } = seedStore(paths.database);
  const addSessions = (from: number, to: number): void => {
    for (let index = from; index < to; index++) {
      const id = `session-${index}`;
      const at = START + index * DAY;
      add(id, prompt(`please fix the ${index}th lamp of house ${index * 7}`), { at });
      add(id, said(`m-${index}`, `I looked at lamp ${index}: ${"the wire was loose ".repeat(20)}`));
      for (let use = 0; use < 4; use++) add(id, bash(`npm test lamp-${index}-${use}`, "ok ".repeat(200), use % 2));
      add(id, touch(`src/lamp-${index}.ts`));
      add(id, ended(`lamp ${index} is fixed`));
    }
    for (const { id } of db.all<{ id: number }>("SELECT id FROM sessions")) deriveSession(db, id, NOW);
    updateSearchIndex(db);
  };
  addSessions(0, 12);
  const deletion = emptyDeletionSet();
  deletion.sessions.add(3);
  forget(db, deletion, NOW);
  let inBackup = Object.fromEntries(TABLES.map((name) => [name, 0]));
  if (options.backup) {
    createBackup(paths.database, "daily", NOW - DAY);
    inBackup = countAll(db);
  }
  addSessions(12, 16);
  remember(db, undefined, { ...NOTE, narrative: "lamps are switched off on Sundays" }, NOW);
  const before = countAll(db);
  db.get("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  return { paths, before, inBackup };
}

/** One page of each kind for each table and index, from SQLite's dbstat. */
function pagesOf(database: string): { name: string; kind: string; number: number }[] {
  const db = openDriver(database, { readOnly: true, busyTimeoutMs: 0 });
  const pages = db
    .all<{ name: string; kind: string; number: number }>(
      "SELECT name, pagetype AS kind, max(pageno) AS number FROM dbstat GROUP BY name, pagetype ORDER BY 1, 2",
    )
    .filter(({ name }) => [...TABLES, "sqlite_schema", "turns_fts_data", "tool_uses_by_turn"].includes(name));
  db.close();
  return pages;
}

function damage(database: string, from: number, length: number): void {
  const bytes = readFileSync(database);
  for (let index = from; index < from + length; index++) bytes[index] = (index * 2_654_435_761) & 0xff;
  writeFileSync(database, bytes);
}

/** Expects an intact database with all rows of the backup and without the forgotten session. */
function expectRepaired({ paths, inBackup }: Machine): Record<string, number> {
  checkDatabase(paths.database);
  const db = openStore(paths.database);
  expect(db.get("PRAGMA page_size")).toEqual({ page_size: PAGE });
  expect(db.get("PRAGMA auto_vacuum")).toEqual({ auto_vacuum: 2 });
  const after = countAll(db);
  for (const name of TABLES)
    expect([name, after[name] ?? 0]).toEqual([name, expect.toSatisfy((n: number) => n >= (inBackup[name] ?? 0))]);
  expect(db.get("SELECT 1 FROM sessions WHERE session_id = 'session-2'")).toBeUndefined();
  expect(db.all("PRAGMA foreign_key_check")).toEqual([]);
  updateSearchIndex(db);
  for (const { id } of db.all<{ id: number }>("SELECT id FROM sessions")) deriveSession(db, id, NOW);
  const found = db.get<{ n: number }>("SELECT count(*) AS n FROM turns_fts WHERE turns_fts MATCH 'lamp'")?.n;
  expect(found).toBe(after["prompts"]);
  const uses = db.get<{ n: number }>("SELECT count(*) AS n FROM tool_uses_fts WHERE tool_uses_fts MATCH 'npm'")?.n;
  expect(uses).toBe(db.get<{ n: number }>("SELECT count(*) AS n FROM tool_uses WHERE name = 'Bash'")?.n);
  db.close();
  return after;
}

describe("repairing a database", () => {
  it("changes nothing if it is intact", () => {
    const { paths } = machine({ backup: true });
    expect(repair(paths)).toEqual({ kind: "intact" });
    expect(existsSync(paths.quarantine)).toBe(false);
  });

  it("succeeds whichever page is lost, with a backup and without", { timeout: 600_000 }, () => {
    const template = [machine({ backup: true }), machine({ backup: false })];
    let replaced = 0;
    for (const [index, made] of template.entries()) {
      for (const { name: table, number } of pagesOf(made.paths.database)) {
        if (index > 0 && !["sessions", "tool_uses", "sqlite_schema"].includes(table)) continue;
        const paths = copyMachine(made.paths);
        damage(paths.database, (number - 1) * PAGE + (number === 1 ? 100 : 0), number === 1 ? PAGE - 100 : PAGE);
        const outcome = repair(paths);
        const after = expectRepaired({ ...made, paths });
        if (outcome.kind === "replaced") {
          replaced += 1;
          expect(readFileSync(join(outcome.quarantine, "c-mem.db")).length).toBeGreaterThan(PAGE);
          expect(readReports(paths.quarantine)).toMatchObject([{ why: "damaged", at: NOW }]);
        }
        // Undamaged tables are complete; only a lost page of the schema loses everything since the backup.
        if (table !== "sqlite_schema" && !["projects", "sessions"].includes(table)) {
          for (const other of TABLES.filter(
            (one) => one !== table && !(one === "file_touches" && table === "tool_uses"),
          ))
            expect([table, other, after[other]]).toEqual([table, other, made.before[other]]);
        }
      }
    }
    expect(replaced).toBeGreaterThan(10);
  });

  const WRECKS: [name: string, wreck: (paths: Paths) => void, all: boolean][] = [
    ["a header of zeros", ({ database }) => wipe(database, 100), true],
    ["a first page of zeros", ({ database }) => wipe(database, PAGE), false],
    [
      "a file that was cut in half",
      ({ database }) => truncateSync(database, Math.floor(readFileSync(database).length / 2)),
      false,
    ],
    ["an empty file", ({ database }) => truncateSync(database, 0), false],
    ["a text file in its place", ({ database }) => writeFileSync(database, "dear diary\n".repeat(2_000)), false],
    ["the log of another database", ({ database }) => copyFileSync(foreignLog(), `${database}-wal`), true],
  ];

  it.each(WRECKS)("succeeds with %s", (_, wreck, isComplete) => {
    const made = machine({ backup: true });
    wreck(made.paths);
    const outcome = repair(made.paths);
    expect(outcome.kind).toBe("replaced");
    const after = expectRepaired(made);
    if (isComplete) expect(after).toEqual(made.before);
    expect(readdirSync(made.paths.home).filter((name) => /repair|incoming|swap/.test(name))).toEqual([]);
  });

  it("leaves it open to other processes if it cannot be replaced", () => {
    const { paths } = machine({ backup: true });
    writeFileSync(paths.database, readFileSync(paths.database).fill(0x41, 0, PAGE));
    writeFileSync(paths.quarantine, "in the way");
    expect(() => repair(paths)).toThrow(paths.quarantine);
    expect(isSwapping(paths.database)).toBe(false);
    rmSync(paths.quarantine);
    expect(repair(paths)).toMatchObject({ kind: "replaced" });
  });

  it("only rebuilds the search index if nothing else is damaged", () => {
    const made = machine({ backup: true });
    const db = new DatabaseSync(made.paths.database, { defensive: false });
    db.exec("UPDATE turns_fts_data SET block = zeroblob(length(block)) WHERE id > 10");
    db.close();
    expect(repair(made.paths)).toEqual({ kind: "indexed" });
    expect(expectRepaired(made)).toEqual(made.before);
  });

  it("keeps the readable tombstones if one of their pages is lost", () => {
    const made = machine({ backup: false });
    const db = openStore(made.paths.database);
    const tombstones = Array.from({ length: 1_000 }, (_, index) => tombstoneOf("message", "session-1", `m-${index}`));
    for (const one of tombstones) insertTombstone(db, one, NOW);
    db.get("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
    const page = pagesOf(made.paths.database).find(({ name, kind }) => name === "tombstones" && kind === "leaf");
    damage(made.paths.database, ((page?.number ?? 2) - 1) * PAGE, PAGE);
    expect(repair(made.paths).kind).toBe("replaced");
    const repaired = openStore(made.paths.database);
    const left = tombstones.filter((one) => hasTombstone(repaired, one)).length;
    repaired.close();
    expect(left).toBeGreaterThan(800);
    expect(left).toBeLessThan(1_000);
  });

  it("keeps observations that a user wrote after the backup", () => {
    const made = machine({ backup: true });
    const page = pagesOf(made.paths.database).find(({ name, kind }) => name === "messages" && kind === "leaf");
    damage(made.paths.database, ((page?.number ?? 2) - 1) * PAGE, PAGE);
    repair(made.paths);
    const db = openStore(made.paths.database);
    expect(db.all("SELECT narrative, producer FROM observations WHERE title = 'Sundays'")).toEqual([
      { narrative: "lamps are switched off on Sundays", producer: "user" },
    ]);
    db.close();
  });
});

function copyMachine(from: Paths): Paths {
  const paths = resolvePaths({ C_MEM_HOME: mkdtempSync(join(tmpdir(), "c-mem-repair-")) });
  copyFileSync(from.database, paths.database);
  if (existsSync(from.backups)) cpSync(from.backups, paths.backups, { recursive: true });
  return paths;
}

function wipe(database: string, length: number): void {
  const bytes = readFileSync(database);
  writeFileSync(database, bytes.fill(0, 0, length));
}

/** The write-ahead log of another database with this schema that is still open. */
function foreignLog(): string {
  const path = join(mkdtempSync(join(tmpdir(), "c-mem-foreign-")), "c-mem.db");
  const { db, add } = seedStore(path);
  const fill = (from: number): void => {
    for (let index = from; index < from + 40; index++) add(`foreign-${index}`, prompt(`something else ${index}`));
  };
  fill(0);
  db.get("PRAGMA wal_checkpoint(TRUNCATE)");
  fill(40);
  const log = `${path}.log`;
  copyFileSync(`${path}-wal`, log);
  db.close();
  return log;
}
