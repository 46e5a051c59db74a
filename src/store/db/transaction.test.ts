import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "./open.ts";
import { startGroup } from "./transaction.ts";

const NOTHING_SHARED = { start: () => undefined, end: () => undefined };

it("a group that cannot be committed throws once and leaves no transaction open", () => {
  const db = openStore(join(mkdtempSync(join(tmpdir(), "c-mem-group-")), "c-mem.db"));
  db.exec(`PRAGMA foreign_keys = ON; CREATE TABLE above (id INTEGER PRIMARY KEY);
    CREATE TABLE below (id INTEGER REFERENCES above (id) DEFERRABLE INITIALLY DEFERRED)`);
  const group = startGroup(db, 100, NOTHING_SHARED);
  group.add(1, () => db.run("INSERT INTO below VALUES (7)"));
  expect(() => group.end()).toThrow("FOREIGN KEY");
  group.end();
  group.add(1, () => db.run("INSERT INTO above VALUES (7)"));
  group.end();
  expect(db.all("SELECT id FROM below")).toEqual([]);
  expect(db.all("SELECT id FROM above")).toEqual([{ id: 7 }]);
  db.close();
});

it("a piece that fails does not roll back the others", () => {
  const db = openStore(join(mkdtempSync(join(tmpdir(), "c-mem-group-")), "c-mem.db"));
  db.exec("CREATE TABLE pieces (id INTEGER PRIMARY KEY)");
  const group = startGroup(db, 100, NOTHING_SHARED);
  const insert =
    (...ids: number[]) =>
    () => {
      for (const id of ids) db.run("INSERT INTO pieces VALUES (?)", id);
    };
  group.add(1, insert(1, 2));
  group.add(1, insert(3));
  expect(() => group.add(1, insert(4, 3))).toThrow("UNIQUE");
  expect(() => group.add(1, insert(5, 1))).toThrow("UNIQUE");
  group.add(1, insert(6));
  group.end();
  expect(db.all("SELECT id FROM pieces")).toEqual([1, 2, 3, 6].map((id) => ({ id })));
  db.close();
});
