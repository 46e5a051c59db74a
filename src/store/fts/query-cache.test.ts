import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { countRows, TALK } from "./fts-index.ts";
import { openStore } from "../db/open.ts";
import { remembered } from "./query-cache.ts";
import { sessionIdsOf } from "../tables/sessions.ts";

function createStore() {
  const path = join(mkdtempSync(join(tmpdir(), "c-mem-remembered-")), "c-mem.db");
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

it("asks again when anybody has written, and not before", () => {
  const { db, open } = createStore();
  db.run("INSERT INTO projects (key, name, root, created_at) VALUES ('a', 'a', '/', 1)");
  const ask = vi.fn<() => number>(() => 1);
  for (let times = 0; times < 3; times++) remembered(db, "x", ask);
  expect(ask).toHaveBeenCalledTimes(1);
  addSession(db, "own");
  remembered(db, "x", ask);
  expect(ask).toHaveBeenCalledTimes(2);
  expect(sessionIdsOf(db, 1).size).toBe(1);
  addSession(open(), "of another");
  expect(sessionIdsOf(db, 1).size).toBe(2);
});

it("counts rows of rare words whenever asked, of common ones once", () => {
  const { db } = createStore();
  const say = (words: string, times: number) => {
    for (let time = 0; time < times; time++) db.run("INSERT INTO turns_fts (prompt) VALUES (?)", words);
  };
  say("common", 600);
  say("rare", 2);
  expect(countRows(db, TALK, "rare", 500)).toBe(2);
  expect(countRows(db, TALK, "common", 500)).toBe(500);
  say("rare", 3);
  expect(countRows(db, TALK, "rare", 500)).toBe(5);
  const get = vi.spyOn(db, "get");
  expect(countRows(db, TALK, "common", 500)).toBe(500);
  expect(get).not.toHaveBeenCalled();
  expect(countRows(db, TALK, "common", 1_000)).toBe(600);
});
