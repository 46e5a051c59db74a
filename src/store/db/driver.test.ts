import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDriver } from "./driver.ts";

// Fails on Node 26 where the number is read as a JavaScript number.
it("writes after a row with an id beyond 2^53, as FTS5 makes them", () => {
  const db = openDriver(join(mkdtempSync(join(tmpdir(), "c-mem-driver-")), "a.db"), { busyTimeoutMs: 1000 });
  db.exec("CREATE TABLE a (id INTEGER PRIMARY KEY, n INTEGER); INSERT INTO a VALUES (9007336693694464, 1)");
  expect(db.run("UPDATE a SET n = 2").changes).toBe(1);
  expect(db.run("INSERT INTO a (id, n) VALUES (7, 3)")).toEqual({ changes: 1, lastId: 7 });
  expect(db.all("SELECT n FROM a ORDER BY id")).toEqual([{ n: 3 }, { n: 2 }]);
  db.close();
});
