import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { beginSwap, endSwap, incomingPath, isSwapping, settleSwap } from "./swap.ts";

const DEAD_PID = 2 ** 22 + 1;

/** A data directory in which a process was killed while it replaced the database. */
function createKilledSwap(files: Record<string, string>): { folder: string; database: string } {
  const folder = mkdtempSync(join(tmpdir(), "c-mem-swap-"));
  const database = join(folder, "c-mem.db");
  for (const [name, text] of Object.entries({ "": "before", ...files })) writeFileSync(database + name, text);
  return { folder, database };
}

const markerOf = (folder: string, more: object = {}) =>
  JSON.stringify({ pid: DEAD_PID, birth: "1", machine: "another", aside: join(folder, "quarantine"), ...more });

it("a swap that fails is cancelled, because its marker would lock out all other processes", () => {
  const { folder, database } = createKilledSwap({ ".incoming": "next" });
  beginSwap(database, join(folder, "quarantine"), 0);
  mkdirSync(`${database}.swap.next`);
  expect(() => endSwap(database, incomingPath(database))).toThrow("EISDIR");
  expect(isSwapping(database)).toBe(false);
  expect(readFileSync(database, "utf8")).toBe("before");
});

describe("a swap whose process was killed", () => {
  it("before the new database was complete is cancelled, and its files are deleted", () => {
    const { folder, database } = createKilledSwap({
      ".swap": markerOf("/nowhere"),
      ".swap.next": "{",
      ".incoming": "half",
      ".incoming-wal": "log",
      ".incoming-shm": "index",
    });
    expect(settleSwap(database)).toBe(true);
    expect(readdirSync(folder)).toEqual(["c-mem.db"]);
    expect(readFileSync(database, "utf8")).toBe("before");
  });

  it.each(["", '{"pid": 12'])("while it wrote its marker (%j) is cancelled", (text) => {
    const { folder, database } = createKilledSwap({ ".swap": text });
    expect(settleSwap(database)).toBe(true);
    expect(readdirSync(folder)).toEqual(["c-mem.db"]);
  });

  it("after the new database was complete is finished before another swap begins", () => {
    const { folder, database } = createKilledSwap({ ".incoming": "first" });
    writeFileSync(`${database}.swap`, markerOf(folder, { incoming: incomingPath(database) }));
    beginSwap(database, join(folder, "second"), 0);
    expect(readFileSync(database, "utf8")).toBe("first");
    expect(readFileSync(join(folder, "quarantine", "c-mem.db"), "utf8")).toBe("before");
    writeFileSync(incomingPath(database), "second");
    endSwap(database, incomingPath(database));
    expect(readFileSync(database, "utf8")).toBe("second");
    expect(readFileSync(join(folder, "second", "c-mem.db"), "utf8")).toBe("first");
    expect([isSwapping(database), existsSync(`${database}.swap.next`)]).toEqual([false, false]);
  });
});
