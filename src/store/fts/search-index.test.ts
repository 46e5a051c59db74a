import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Db } from "../db/driver.ts";
import { openStore } from "../db/open.ts";
import { indexNewToolUses, mergeSearchIndex, updateSearchIndex } from "./search-index.ts";
import { transaction } from "../db/transaction.ts";
import { prompt, said, seedStore } from "../../../test/seed.ts";

function addUses(db: Db, count: number): void {
  transaction(db, () => {
    for (let use = 0; use < count; use++) {
      db.run(
        `INSERT INTO tool_uses (session_db_id, prompt_number, tool_use_id, name, input, output, is_error, created_at)
         VALUES (1, 1, (SELECT count(*) FROM tool_uses), 'Bash', '{}', ?, 0, 1)`,
        `word${use} and more`,
      );
    }
  });
}

const segments = (db: Db): number =>
  db.get<{ n: number }>("SELECT count(DISTINCT segid) AS n FROM tool_uses_fts_idx")?.n ?? 0;

function openWithSession(): Db {
  const db = openStore(join(mkdtempSync(join(tmpdir(), "c-mem-index-")), "c-mem.db"));
  db.run("INSERT INTO projects (key, name, root, created_at) VALUES ('app', 'app', '/', 1)");
  db.run(
    "INSERT INTO sessions (session_id, agent, project_id, cwd, started_at, last_at) VALUES ('s', 'claude-code', 1, '/', 1, 1)",
  );
  return db;
}

it("new tool uses are indexed when they are inserted, unless older ones are waiting", () => {
  const db = openWithSession();
  const use = (id: number) => ({ id, project_id: 1, name: "Bash", input: {}, output: `word${id}`, created_at: 1 });
  const found = (word: string) =>
    db
      .all<{ rowid: number }>("SELECT rowid FROM tool_uses_fts WHERE tool_uses_fts MATCH ?", word)
      .map((row) => row.rowid);
  addUses(db, 2);
  transaction(db, () => indexNewToolUses(db, [use(1), use(2)]));
  expect(found("word2")).toEqual([2]);
  expect(updateSearchIndex(db)).toBe(0);
  addUses(db, 2);
  transaction(db, () => indexNewToolUses(db, [use(4)]));
  expect(found("word4")).toEqual([]);
  expect(updateSearchIndex(db)).toBe(2);
  db.close();
});

it("the index is merged after many new rows, but not after a few", () => {
  const db = openWithSession();
  addUses(db, 3_000);
  expect(updateSearchIndex(db)).toBe(3_000);
  expect(segments(db)).toBeGreaterThan(1);
  for (const _ of mergeSearchIndex(db) ?? expect.fail("there is something to merge"));
  expect(segments(db)).toBe(1);
  addUses(db, 5);
  expect(updateSearchIndex(db)).toBe(5);
  expect(mergeSearchIndex(db)).toBeUndefined();
  expect(segments(db)).toBe(2);
  db.close();
});

describe("the text of neighbour turns", () => {
  /** Prompt numbers of the turns whose index row has the word. */
  const turnsWith = (db: Db, word: string): number[] =>
    db
      .all<{ n: number }>(
        "SELECT p.prompt_number AS n FROM turns_fts JOIN prompts p ON p.id = turns_fts.rowid WHERE turns_fts MATCH ? ORDER BY 1",
        word,
      )
      .map(({ n }) => n);

  it("is indexed with a short turn: two turns before and two after", () => {
    const { db, add } = seedStore();
    for (const word of ["walnut", "cherry", "maple", "linden", "poplar"]) add("a", prompt(`A table of ${word}`));
    add("b", prompt("Another session"));
    updateSearchIndex(db);
    expect(turnsWith(db, "beside : walnut")).toEqual([2, 3]);
    expect(turnsWith(db, "beside : maple")).toEqual([1, 2, 4, 5]);
    expect(turnsWith(db, "maple")).toEqual([1, 2, 3, 4, 5]);
    db.close();
  });

  it("is not indexed with a long turn", () => {
    const { db, add } = seedStore();
    add("a", prompt("A table of walnut"));
    add("a", prompt(`Plane the boards. ${"And again. ".repeat(80)}`));
    updateSearchIndex(db);
    expect(turnsWith(db, "walnut")).toEqual([1]);
    expect(turnsWith(db, "boards")).toEqual([1, 2]);
    db.close();
  });

  it("is updated when a neighbour turn changes, without embedding the turn again", () => {
    const { db, add } = seedStore();
    add("a", prompt("A table of walnut"));
    updateSearchIndex(db);
    db.run("DELETE FROM stale_vectors");
    add("a", prompt("And the chairs"));
    add("a", said("m1", "Of cherry, as you said."));
    expect(updateSearchIndex(db)).toBe(2);
    expect(turnsWith(db, "cherry")).toEqual([1, 2]);
    expect(db.all("SELECT item_id FROM stale_vectors WHERE kind = 'turn'")).toHaveLength(1);
    expect(updateSearchIndex(db)).toBe(0);
    db.close();
  });
});
