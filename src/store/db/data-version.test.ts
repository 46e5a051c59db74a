import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "./open.ts";
import { writeVersion } from "./data-version.ts";

it("tells a database that was written to while nobody had it open from what it was", () => {
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
