import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { importDatabase } from "../../capture/import/import-database.ts";
import { resolvePaths } from "../../config/paths.ts";
import { checkDatabase, createBackup, listBackups } from "../../store/db/backup.ts";
import { emptyDeletionSet } from "./deletion-set.ts";
import { openDriver, type Param } from "../../store/db/driver.ts";
import { findTextAnywhere } from "./rows-containing.ts";
import { migrate, MIGRATIONS } from "../../store/db/migrate.ts";
import { purgeEvidence } from "../../store/tables/purge.ts";
import { updateSearchIndex } from "../../store/fts/search-index.ts";
import { transaction } from "../../store/db/transaction.ts";
import { bash, ended, prompt, said, type Seeded, seedStore } from "../../../test/seed.ts";
import { deriveSession } from "../../memory/derive.ts";
import { clearCopies, deleteForgotten, isInCopies } from "./scrub-backups.ts";
import { forget } from "./forget.ts";
import { remember } from "../../memory/user-edits.ts";
import { restoreBackup } from "../backup/restore.ts";

const NOW = Date.UTC(2026, 5, 1);
const SECRET = "the lighthouse keeper sings at midnight";

function machine(): { paths: ReturnType<typeof resolvePaths> } & Seeded {
  const paths = resolvePaths({ C_MEM_HOME: mkdtempSync(join(tmpdir(), "c-mem-again-")) });
  const seeded = seedStore(paths.database);
  const { add, db } = seeded;
  add("4c1f-one", prompt("what is the weather"));
  add("4c1f-one", ended("it rains"));
  add("4c1f-one", prompt(`remember that ${SECRET}`));
  add("4c1f-one", said("m1", `noted: ${SECRET}`));
  add("4c1f-one", bash("grep lighthouse notes.txt", SECRET));
  add("4c1f-one", ended(`noted: ${SECRET}`));
  add("other", prompt("ok"));
  deriveSession(db, 1, NOW);
  updateSearchIndex(db);
  return { paths, ...seeded };
}

function forgetTurn(db: Seeded["db"]): ReturnType<typeof forget> {
  const deletion = emptyDeletionSet();
  deletion.prompts.add(db.get<{ id: number }>("SELECT id FROM prompts WHERE prompt_number = 2")?.id ?? 0);
  return forget(db, deletion, NOW);
}

const hasSecret = (path: string): boolean => readFileSync(path, "latin1").includes("lighthouse");

describe("a forgotten text", () => {
  it("is deleted from every backup; the rest of the backup stays", () => {
    const { db, paths } = machine();
    createBackup(paths.database, "daily", NOW - 1);
    createBackup(paths.database, "manual", NOW);
    writeFileSync(join(paths.backups, ".c-mem-half.db.1.tmp"), `half a copy: ${SECRET}`);
    const { touched } = forgetTurn(db);
    const cleared = clearCopies(db, paths, { pieces: [SECRET], sessions: touched });
    expect(readdirSync(paths.backups)).toHaveLength(2);
    const backups = listBackups(paths.database);
    expect(cleared).toEqual({ cleaned: backups.map(({ path }) => path), without: [], removed: [], tombstones: [] });
    for (const { path } of backups) {
      expect(hasSecret(path)).toBe(false);
      expect(checkDatabase(path)).toMatchObject({ sessions: 2, prompts: 2, messages: 0, tool_uses: 0 });
    }
    db.close();
  });

  it("is deleted from a copy made before a migration", () => {
    const { db, paths } = machine();
    const older = join(paths.backups, "c-mem-2026-01-01T00-00-00-000Z-migration.db");
    mkdirSync(paths.backups);
    const copy = openDriver(older, { busyTimeoutMs: 0 });
    migrate(copy, MIGRATIONS.slice(0, 7));
    for (const table of ["projects", "sessions", "prompts"]) {
      const columns = copy.all<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`);
      for (const row of db.all<Record<string, Param>>(`SELECT * FROM ${table}`)) {
        const names = columns.map(({ name }) => name);
        const sql = `INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => "?").join()})`;
        copy.run(sql, ...names.map((name) => row[name] ?? null));
      }
    }
    copy.exec("INSERT INTO prompts_trigram (prompts_trigram) VALUES ('rebuild')");
    copy.close();
    const { touched } = forgetTurn(db);
    expect(clearCopies(db, paths, { pieces: [SECRET], sessions: touched })).toMatchObject({ cleaned: [older] });
    expect([hasSecret(older), checkDatabase(older).prompts]).toEqual([false, 2]);
    db.close();
  });

  it("is deleted with the whole backup if that cannot be cleaned; other files stay", () => {
    const { db, paths } = machine();
    const older = createBackup(paths.database, "migration", NOW);
    const copy = openDriver(older.path, { busyTimeoutMs: 0 });
    copy.run("DELETE FROM migrations WHERE id > 5");
    copy.close();
    const damaged = join(paths.quarantine, "then", "c-mem.db");
    mkdirSync(dirname(damaged), { recursive: true });
    writeFileSync(damaged, `not a database, but ${SECRET}`);
    const harmless = join(paths.quarantine, "before", "c-mem.db");
    mkdirSync(dirname(harmless));
    writeFileSync(harmless, "not a database");
    const { touched } = forgetTurn(db);
    const cleared = clearCopies(db, paths, { pieces: [SECRET], sessions: touched });
    expect(cleared.removed.toSorted()).toEqual([older.path, damaged].toSorted());
    expect(readFileSync(harmless, "utf8")).toBe("not a database");
    db.close();
  });

  it("does not come back with a backup stored elsewhere", () => {
    const { db, paths } = machine();
    const backup = createBackup(paths.database, "manual", NOW);
    const elsewhere = join(dirname(paths.home), `elsewhere-${process.pid}.db`);
    renameSync(backup.path, elsewhere);
    forgetTurn(db);
    db.close();
    const { forgotten, quarantine } = restoreBackup(paths, elsewhere, NOW);
    expect(forgotten).toBeGreaterThan(0);
    const restored = openDriver(paths.database, { busyTimeoutMs: 0 });
    expect(restored.all("SELECT text FROM prompts ORDER BY id")).toEqual([
      { text: "what is the weather" },
      { text: "ok" },
    ]);
    restored.close();
    expect(hasSecret(paths.database)).toBe(false);
    expect(checkDatabase(join(quarantine, "c-mem.db")).prompts).toBe(2);
  });

  it("that only a backup contained does not come back when an old export is imported", () => {
    const { db, paths } = machine();
    const elsewhere = join(dirname(paths.home), `export-${process.pid}.db`);
    copyFileSync(createBackup(paths.database, "manual", NOW).path, elsewhere);
    transaction(db, () => [...purgeEvidence(db, 1)]);
    db.run("DELETE FROM observations");
    const { tombstones } = clearCopies(db, paths, {
      pieces: [SECRET],
      sessions: [],
      words: { text: "lighthouse", projectId: undefined },
    });
    expect(new Set(tombstones.map(({ kind }) => kind))).toEqual(
      new Set(["part", "moment", "text", "message", "tool-use"]),
    );
    importDatabase(db, elsewhere);
    expect(deleteForgotten(db, NOW)).toBeGreaterThan(0);
    expect(db.all("SELECT text FROM prompts ORDER BY created_at")).toEqual([
      { text: "what is the weather" },
      { text: "ok" },
    ]);
    expect(findTextAnywhere(db, ["lighthouse"])).toEqual([]);
    db.close();
  });

  it("that only a backup contains is deleted there without deleting rows of the current database", () => {
    const { db, paths } = machine();
    const lists = { facts: [], concepts: [], files: [], evidence: [] };
    const note = { type: "decision", title: "Where", narrative: `Where ${SECRET}`, ...lists, origin: "user" } as const;
    remember(db, undefined, note, NOW);
    createBackup(paths.database, "manual", NOW);
    // Like an audit or a user's edits: the rows stay, without the text.
    for (const [table, column] of [
      ["prompts", "text"],
      ["prompts", "response"],
      ["messages", "text"],
      ["tool_uses", "output"],
      ["observations", "narrative"],
    ] as const)
      db.run(`UPDATE ${table} SET ${column} = replace(${column}, ?, '[redacted]')`, SECRET);
    db.run("UPDATE tool_uses SET input = replace(input, 'lighthouse', 'house')");
    expect(findTextAnywhere(db, ["lighthouse"]).filter((place) => /^[pmto]\d/.test(place))).toEqual([]);
    const count = (): unknown =>
      ["prompts", "messages", "tool_uses", "observations"].map((table) => db.all(`SELECT id FROM ${table}`).length);
    const before = count();
    const words = { text: "lighthouse", projectId: undefined };
    expect(clearCopies(db, paths, { pieces: ["lighthouse"], sessions: [], words }).cleaned).toHaveLength(1);
    deleteForgotten(db, NOW);
    expect(count()).toEqual(before);
    db.close();
  });

  it("does not come back as a turn's response or a session's title", () => {
    const { db, paths, add } = machine();
    add("other", ended("the key lies under the seventh stone"));
    add("other", { kind: "title", title: "The seventh stone" });
    const backup = createBackup(paths.database, "manual", NOW);
    const elsewhere = join(dirname(paths.home), `told-${process.pid}.db`);
    renameSync(backup.path, elsewhere);
    forget(db, emptyDeletionSet(), NOW, { words: { text: "seventh stone", projectId: undefined } });
    expect(findTextAnywhere(db, ["seventh stone"])).toEqual([]);
    db.close();
    restoreBackup(paths, elsewhere, NOW);
    const restored = openDriver(paths.database, { busyTimeoutMs: 0 });
    expect(findTextAnywhere(restored, ["seventh stone"])).toEqual([]);
    expect(restored.get("SELECT text FROM prompts WHERE text = 'ok'")).toBeDefined();
    restored.close();
  });

  it("stays where a remaining turn has the same response or a title repeats a remaining text", () => {
    const { db, add } = seedStore();
    for (const turn of [1, 2, 3]) {
      add("4c1f-one", prompt("go on"));
      add("4c1f-one", said(`m${turn}`, "Done."));
      add("4c1f-one", ended("Done."));
    }
    deriveSession(db, 1, NOW);
    forgetTurn(db);
    const left = () => [db.all("SELECT text, response FROM prompts"), db.all("SELECT title FROM sessions")];
    const before = left();
    expect(before).toMatchObject([[{ response: "Done." }, { response: "Done." }], [{ title: "go on" }]]);
    expect(deleteForgotten(db, NOW)).toBe(0);
    expect(left()).toEqual(before);
    db.close();
  });

  it("of one project is deleted from copies in that project only, whatever its row id there", () => {
    const { db, paths } = machine();
    const quarantined = join(paths.quarantine, "then", "c-mem.db");
    const there = seedStore(quarantined);
    const say = (project: string): void => {
      const options = { project: { key: project, name: project, root: `/${project}` } };
      there.add(`in-${project}`, prompt(`the cellar is flooded, says ${project}`), options);
    };
    const own = db.get<{ id: number; key: string }>("SELECT id, key FROM projects");
    say("another");
    say(own?.key ?? "");
    there.db.close();
    const words = { text: "cellar is flooded", projectId: own?.id };
    expect(isInCopies(db, paths, words)).toBe(true);
    expect(clearCopies(db, paths, { pieces: [words.text], sessions: [], words }).cleaned).toEqual([quarantined]);
    const copy = openDriver(quarantined, { readOnly: true, busyTimeoutMs: 0 });
    expect(copy.all("SELECT text FROM prompts")).toEqual([{ text: "the cellar is flooded, says another" }]);
    copy.close();
    expect(isInCopies(db, paths, words)).toBe(false);
    db.close();
  });
});
