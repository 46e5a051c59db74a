import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { prompt, seedStore } from "../../test/seed.ts";
import { resolvePaths } from "../config/paths.ts";
import { applyFixes } from "./doctor-fixes.ts";
import { DamagedStore } from "./store.ts";

it("throws DamagedStore if a fix finds damage, so that the caller repairs the database", async () => {
  const paths = resolvePaths({ C_MEM_HOME: mkdtempSync(join(tmpdir(), "c-mem-fix-")) });
  const { db, add } = seedStore(paths.database);
  add("one", prompt("Fix it"));
  const sql = "SELECT max(pageno) AS page, pgsize AS size FROM dbstat WHERE name = 'prompts'";
  const { page, size } = db.get<{ page: number; size: number }>(sql) ?? { page: 0, size: 0 };
  db.close();
  const bytes = readFileSync(paths.database).fill(0x5a, (page - 1) * size, page * size);
  writeFileSync(paths.database, bytes);
  const check = { name: "search index", state: "warn", message: "60,000 rows to index" } as const;
  await expect(applyFixes(paths, [check])).rejects.toBeInstanceOf(DamagedStore);
});
