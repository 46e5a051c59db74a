import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { prompt, seedStore } from "../../../test/seed.ts";
import { drainSpool } from "./drain.ts";
import { writeDrop } from "./spool.ts";

it("drainSpool applies one batch even if its time is over, and the next run applies the rest", () => {
  const folder = mkdtempSync(join(tmpdir(), "c-mem-drain-"));
  const { db } = seedStore(join(folder, "c-mem.db"));
  const spool = join(folder, "spool");
  for (let index = 0; index < 250; index++)
    writeDrop(spool, {
      agent: "claude-code",
      sessionId: `s${index}`,
      cwd: "/app",
      project: { key: "k", name: "app", root: "/app" },
      activity: prompt("Why?"),
      at: Date.now(),
    });
  expect(drainSpool(db, spool, { maxMs: 0 })).toEqual({ applied: 200, bad: 0, remaining: 50 });
  expect(drainSpool(db, spool)).toEqual({ applied: 50, bad: 0, remaining: 0 });
  db.close();
});
