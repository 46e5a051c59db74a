import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { countRows, TURNS } from "../fts/fts-index.ts";
import { sessionIdsOf } from "../tables/sessions.ts";
import { openStore } from "./open.ts";
import { cachedQuery, writeVersion } from "./query-cache.ts";

function createStore() {
  const path = join(mkdtempSync(join(tmpdir(), "c-mem-cache-")), "c-mem.db");
  const open = () => {
    const db = openStore(path);
    onTestFinished(() => db.close());
    return db;
  };
  return { db: open(), open };
}

const addSession = (db: ReturnType<typeof openStore>, id: string) =>
  db.run(
    "INSERT INTO sessions (session_id, agent, project_id, cwd, started_at, last_at) VALUES (?, 'claude-code', 1, '/', 1, 1)",
    id,
  );

it("cachedQuery computes a result again only after any connection has written", () => {
  const { db, open } = createStore();
  db.run("INSERT INTO projects (key, name, root, created_at) VALUES ('a', 'a', '/', 1)");
  const ask = vi.fn<() => number>(() => 1);
  for (let times = 0; times < 3; times++) cachedQuery(db, "x", ask);
  expect(ask).toHaveBeenCalledTimes(1);
  addSession(db, "own");
  cachedQuery(db, "x", ask);
  expect(ask).toHaveBeenCalledTimes(2);
  expect(sessionIdsOf(db, 1).size).toBe(1);
  addSession(open(), "of another");
  expect(sessionIdsOf(db, 1).size).toBe(2);
});

it("rows of rare words are counted every time, rows of common words only once", () => {
  const { db } = createStore();
  const say = (words: string, times: number) => {
    for (let time = 0; time < times; time++) db.run("INSERT INTO turns_fts (prompt) VALUES (?)", words);
  };
  say("common", 600);
  say("rare", 2);
  expect(countRows(db, TURNS, "rare", 500)).toBe(2);
  expect(countRows(db, TURNS, "common", 500)).toBe(500);
  say("rare", 3);
  expect(countRows(db, TURNS, "rare", 500)).toBe(5);
  const get = vi.spyOn(db, "get");
  expect(countRows(db, TURNS, "common", 500)).toBe(500);
  expect(get).not.toHaveBeenCalled();
  expect(countRows(db, TURNS, "common", 1_000)).toBe(600);
});

it("the write version changes if the database was written to while it was closed", () => {
  const path = join(mkdtempSync(join(tmpdir(), "c-mem-version-")), "c-mem.db");
  openStore(path).close();
  const kept = openStore(path);
  const before = writeVersion(kept);
  expect(writeVersion(kept)).toBe(before);
  kept.close();
  const other = openStore(path);
  other.run("INSERT INTO index_state (name, last_id) VALUES ('x', 1)");
  other.close();
  const again = openStore(path);
  expect(writeVersion(again)).not.toBe(before);
  again.close();
});
