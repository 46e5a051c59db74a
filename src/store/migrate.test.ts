import { mkdtempSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDriver } from "./driver.ts";
import { currentVersion, migrate, MIGRATIONS, type Migration } from "./migrate.ts";
import { openStore } from "./open.ts";

const folder = () => mkdtempSync(join(tmpdir(), "c-mem-store-"));

/** Every object of the database as SQL, except what FTS5 makes for itself. */
function schemaOf(path: string): string {
  const db = openDriver(path, { busyTimeoutMs: 0 });
  const rows = db.all<{ sql: string }>(
    `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE '%\\_fts\\_%' ESCAPE '\\'
     AND name NOT LIKE '%\\_trigram\\_%' ESCAPE '\\' ORDER BY type, name`,
  );
  db.close();
  return `${rows.map((row) => `${row.sql};`).join("\n\n")}\n`;
}

describe("the schema", () => {
  it("is the committed schema.sql", async () => {
    const path = join(folder(), "c-mem.db");
    openStore(path).close();
    await expect(schemaOf(path)).toMatchFileSnapshot("schema.sql");
  });

  it("has only STRICT tables", () => {
    const path = join(folder(), "c-mem.db");
    const db = openStore(path);
    const loose = db.all(
      "SELECT name FROM pragma_table_list WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'",
    );
    db.close();
    expect(loose).toEqual([]);
  });

  it("lives in a private file in a private folder", () => {
    const path = join(folder(), "deep", "er", "c-mem.db");
    openStore(path).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  });
});

describe("migrate", () => {
  const next: Migration = { id: 1000, name: "later", sql: "ALTER TABLE projects ADD COLUMN colour TEXT;" };

  it("upgrades an older database and keeps what is in it", () => {
    const path = join(folder(), "c-mem.db");
    const older = openStore(path);
    older.run("INSERT INTO projects (key, name, root, created_at) VALUES ('k', 'n', '/r', 1)");
    older.close();
    const db = openDriver(path, { busyTimeoutMs: 0 });
    migrate(db, [...MIGRATIONS, next]);
    expect(db.get("SELECT key, colour FROM projects")).toEqual({ key: "k", colour: null });
    expect(currentVersion(db)).toBe(1000);
    db.close();
  });

  it("opens a database that a newer program wrote", () => {
    const path = join(folder(), "c-mem.db");
    const newer = openStore(path);
    migrate(newer, [...MIGRATIONS, next]);
    newer.close();
    const db = openStore(path);
    expect(db.all("SELECT id FROM migrations WHERE id = 1000")).toHaveLength(1);
    db.close();
  });

  it("refuses a newer database whose change is marked breaking, and says what to do", () => {
    const path = join(folder(), "c-mem.db");
    const newer = openStore(path);
    migrate(newer, [...MIGRATIONS, { ...next, breaking: true }]);
    newer.close();
    expect(() => openStore(path)).toThrow(
      expect.objectContaining({ code: "store_newer", hint: expect.stringContaining("Update") }),
    );
  });

  it("leaves the database as it was when a migration fails", () => {
    const path = join(folder(), "c-mem.db");
    const db = openStore(path);
    const broken: Migration = { id: 1000, name: "broken", sql: "CREATE TABLE half (a TEXT) STRICT; NONSENSE;" };
    expect(() => migrate(db, [...MIGRATIONS, broken])).toThrow("syntax error");
    expect(db.get("SELECT 1 FROM sqlite_schema WHERE name = 'half'")).toBeUndefined();
    migrate(db, [...MIGRATIONS, next]);
    expect(currentVersion(db)).toBe(1000);
    db.close();
  });

  it("numbers its files as they are listed", () => {
    const ids = MIGRATIONS.map((migration) => migration.id);
    expect(ids).toEqual(ids.map((_, index) => index + 1));
    for (const { id, name, sql } of MIGRATIONS) {
      const file = `${String(id).padStart(4, "0")}-${name}.sql`;
      expect(sql).toBe(readFileSync(join(import.meta.dirname, "migrations", file), "utf8"));
    }
  });
});
