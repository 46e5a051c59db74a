// Reading the database file in a process that has it open must not drop SQLite's locks on it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { freePages } from "../../store/db/file-format.ts";
import { openStore } from "../../store/db/open.ts";
import { verifyErased } from "./verify-erased.ts";

function inAnotherProcess(path: string, statement: string): string {
  const script = `const { DatabaseSync } = require("node:sqlite");
    const db = new DatabaseSync(${JSON.stringify(path)});
    console.log(JSON.stringify(db.prepare(${JSON.stringify(statement)}).all()));
    db.close();`;
  return spawnSync(process.execPath, ["-e", script], { encoding: "utf8" }).stdout.trim();
}

it("a row written after the file was searched is seen by every process", () => {
  const home = mkdtempSync(join(tmpdir(), "c-mem-locks-"));
  const path = join(home, "c-mem.db");
  const db = openStore(path);
  verifyErased(db, [home], ["a piece that is in no file"], path);
  freePages(path);
  openStore(path).close();
  // If the locks were gone, this process would take itself for the last one and delete the -wal file.
  inAnotherProcess(path, "INSERT INTO index_state VALUES ('other', 1) RETURNING name");
  expect(existsSync(`${path}-wal`)).toBe(true);
  db.run("INSERT INTO index_state VALUES ('own', 2)");
  expect(inAnotherProcess(path, "SELECT name FROM index_state WHERE name IN ('own', 'other') ORDER BY name")).toBe(
    '[{"name":"other"},{"name":"own"}]',
  );
  db.close();
});
