import { mkdtempSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDriver } from "./driver.ts";
import { currentVersion, migrate, MIGRATIONS, type Migration } from "./migrate.ts";
import { openStore } from "./open.ts";
import { updateSearchIndex } from "../fts/search-index.ts";

const folder = () => mkdtempSync(join(tmpdir(), "c-mem-store-"));

/** The SQL of every table, index and trigger, except FTS5's internal tables. */
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
  it("matches the committed schema.sql", async () => {
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

  it("is created in a file and folder that only the owner can read", () => {
    const path = join(folder(), "deep", "er", "c-mem.db");
    openStore(path).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  });
});

describe("migrate", () => {
  const next: Migration = { id: 1000, name: "later", sql: "ALTER TABLE projects ADD COLUMN colour TEXT;" };

  it("upgrades an older database and keeps its rows", () => {
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

  it("lets the next update index the thinking in an older database", () => {
    const path = join(folder(), "c-mem.db");
    const older = openDriver(path, { busyTimeoutMs: 0 });
    migrate(
      older,
      MIGRATIONS.filter(({ id }) => id < 17),
    );
    older.exec(`INSERT INTO projects (key, name, root, created_at) VALUES ('k', 'n', '/r', 1);
      INSERT INTO sessions (session_id, agent, project_id, cwd, started_at, last_at) VALUES ('s', 'codex', 1, '/r', 1, 1);
      INSERT INTO messages (session_db_id, prompt_number, uuid, role, text, thinking, created_at)
        VALUES (1, 1, 'a', 'assistant', 'yes', 'I wonder', 1), (1, 1, 'b', 'assistant', 'no', NULL, 1);`);
    older.close();
    const db = openStore(path);
    updateSearchIndex(db);
    expect(db.all("SELECT rowid FROM thinking_fts WHERE thinking_fts MATCH 'wonder'")).toEqual([{ rowid: 1 }]);
    expect(db.all("SELECT * FROM stale_thinking")).toEqual([]);
    db.close();
  });

  it("makes Windows paths in an older database relative to their project", () => {
    const path = join(folder(), "c-mem.db");
    const older = openDriver(path, { busyTimeoutMs: 0 });
    migrate(
      older,
      MIGRATIONS.filter(({ id }) => id < 18),
    );
    const root = String.raw`c:\Users\x\proj`;
    older.run("INSERT INTO projects (key, name, root, created_at) VALUES (?, ?, ?, 1)", root, root, root);
    older.exec(String.raw`INSERT INTO projects (key, name, root, created_at) VALUES ('/home/x/app', 'app', '/home/x/app', 1);
      INSERT INTO sessions (session_id, agent, project_id, cwd, started_at, last_at)
        VALUES ('w', 'codex', 1, 'c:\Users\x\proj', 1, 1), ('p', 'codex', 2, '/home/x/app', 1, 1);
      INSERT INTO prompts (session_db_id, prompt_number, text, created_at) VALUES (1, 1, 'a', 1), (2, 1, 'b', 1);
      INSERT INTO tool_uses (session_db_id, prompt_number, tool_use_id, name, input, is_error, created_at)
        VALUES (1, 1, 't1', 'Edit', '{}', 0, 1), (2, 1, 't2', 'Edit', '{}', 0, 1);`);
    const touched = (session: number, file: string) =>
      older.run(
        "INSERT INTO file_touches (session_db_id, tool_use_db_id, path, kind, created_at) VALUES (?1, ?1, ?2, 'edit', 1)",
        session,
        file,
      );
    const windows = ["C:/Users/x/proj/b.ts", "/c/Users/X/proj/c.ts", "e.ts", "D:/elsewhere/f.ts"];
    const written = [String.raw`C:\Users\x\proj\src\a.ts`, String.raw`\\?\C:\Users\x\proj\d.ts`];
    // The last one is the same file as src/a.ts above, written as a relative path.
    for (const file of [...windows, ...written, String.raw`src\a.ts`]) touched(1, file);
    for (const file of ["/c/Users/x/proj/b.ts", String.raw`odd\name.ts`]) touched(2, file);
    older.run("DELETE FROM stale_memory");
    older.close();
    const db = openStore(path, { migrations: MIGRATIONS.filter(({ id }) => id <= 18) });
    const paths = (session: number) =>
      db
        .all<{ path: string }>("SELECT path FROM file_touches WHERE session_db_id = ? ORDER BY path", session)
        .map((row) => row.path);
    expect(paths(1)).toEqual(["D:/elsewhere/f.ts", "b.ts", "c.ts", "d.ts", "e.ts", "src/a.ts"]);
    expect(paths(2)).toEqual(["/c/Users/x/proj/b.ts", String.raw`odd\name.ts`]);
    expect(db.all("SELECT * FROM stale_memory")).toEqual([{ prompt_db_id: 1 }]);
    const native = String.raw`C:\Users\x\proj`;
    expect(db.get("SELECT key, name, root FROM projects WHERE id = 1")).toEqual({
      key: native,
      name: "proj",
      root: native,
    });
    db.close();
  });

  it("has an older database's memory derived again, and no old decision injected until then", () => {
    const path = join(folder(), "c-mem.db");
    const older = openStore(path, { migrations: MIGRATIONS.filter(({ id }) => id < 22) });
    older.exec(`INSERT INTO projects (key, name, root, created_at) VALUES ('k', 'n', '/r', 1);
      INSERT INTO sessions (session_id, agent, project_id, prompt_count, cwd, started_at, last_at)
        VALUES ('s', 'claude-code', 1, 2, '/r', 1, 1);
      INSERT INTO prompts (session_db_id, prompt_number, text, created_at) VALUES (1, 1, 'a', 1), (1, 2, 'b', 2);
      DELETE FROM stale_memory;
      DELETE FROM stale_links;`);
    older.exec(`INSERT INTO sessions (session_id, agent, project_id, prompt_count, cwd, started_at, last_at, status, ended_at)
        VALUES ('read', 'codex', 1, 0, '/r', 1, 1, 'interrupted', 1), ('live', 'codex', 1, 0, '/r', 1, 1, 'interrupted', 1),
          ('stopped', 'codex', 1, 1, '/r', 1, 1, 'interrupted', 1);
      INSERT INTO prompts (session_db_id, prompt_number, text, created_at, is_interrupted) VALUES (4, 1, 'c', 1, 1);
      INSERT INTO injections (session_db_id, surface, item_ids, chars, tokens, created_at)
        VALUES (3, 'session-start', '[]', 1, 1, 1);
      INSERT INTO sync_state (path, agent, session_id, byte_offset, line, size, mtime, fingerprint, state, synced_at)
        VALUES ('/a', 'claude-code', 's', 9, 1, 9, 1, 'f', '{}', 1), ('/b', 'codex', 'live', 9, 1, 9, 1, 'f', '{}', 1);
      DELETE FROM stale_memory WHERE prompt_db_id = 3;`);
    const insert = (row: Record<string, string | number>) => {
      const all = { producer: "extractor", type: "decision", title: "x", content_hash: "x", ...row };
      const names = Object.keys(all);
      older.run(
        `INSERT INTO observations (project_id, session_db_id, prompt_number, narrative, facts, concepts, files, evidence, origin,
           valid_from, created_at, ${names.join(", ")})
         VALUES (1, 1, 1, '', '[]', '[]', '[]', '[]', 'user', 1, 1, ${names.map(() => "?").join(", ")})`,
        ...Object.values(all),
      );
    };
    const rows = [
      { title: "false decision" },
      { title: "change", type: "change" },
      { title: "fix of an error", type: "bugfix", subject: "error:FAIL" },
      { title: "pinned", pinned: 1 },
      { title: "edited", edited_at: 5 },
      { title: "written", producer: "user" },
      { title: "by a model", producer: "anthropic/x" },
      { title: "superseded by hand", superseded_by: 4, superseded_at: 5 },
    ];
    for (const row of rows) insert(row);
    older.close();
    const db = openStore(path);
    expect(db.column("SELECT title FROM observations WHERE is_current = 0")).toEqual([
      "false decision",
      "fix of an error",
    ]);
    expect(db.column("SELECT prompt_db_id FROM stale_memory")).toEqual([1, 2, 3]);
    expect(db.column("SELECT session_db_id FROM stale_links")).toEqual([1, 4]);
    expect(db.column("SELECT path FROM sync_state WHERE size = -1 AND fingerprint = ''")).toEqual(["/a"]);
    expect(db.column("SELECT session_id FROM sessions WHERE status = 'interrupted'")).toEqual(["live", "stopped"]);
    db.close();
  });

  it("opens a database written by a newer version", () => {
    const path = join(folder(), "c-mem.db");
    const newer = openStore(path);
    migrate(newer, [...MIGRATIONS, next]);
    newer.close();
    const db = openStore(path);
    expect(db.all("SELECT id FROM migrations WHERE id = 1000")).toHaveLength(1);
    db.close();
  });

  it("refuses a newer database with a breaking migration, with a hint", () => {
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

  it("has its migrations sorted by id, each with the SQL of its file", () => {
    const ids = MIGRATIONS.map((migration) => migration.id);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    for (const { id, name, sql } of MIGRATIONS) {
      const file = `${String(id).padStart(4, "0")}-${name}.sql`;
      expect(sql).toBe(readFileSync(join(import.meta.dirname, "migrations", file), "utf8"));
    }
  });
});
