import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDriver } from "./driver.ts";

// Node 26 throws if the driver reads the id as a JavaScript number.
it("the driver can write after a row with an id above 2^53, which FTS5 inserts", () => {
  const db = openDriver(join(mkdtempSync(join(tmpdir(), "c-mem-driver-")), "a.db"), { busyTimeoutMs: 1000 });
  db.exec("CREATE TABLE a (id INTEGER PRIMARY KEY, n INTEGER); INSERT INTO a VALUES (9007336693694464, 1)");
  expect(db.run("UPDATE a SET n = 2").changes).toBe(1);
  expect(db.run("INSERT INTO a (id, n) VALUES (7, 3)")).toEqual({ changes: 1, lastId: 7 });
  expect(db.all("SELECT n FROM a ORDER BY id")).toEqual([{ n: 3 }, { n: 2 }]);
  db.close();
});
