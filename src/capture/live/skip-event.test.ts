import { describe, expect, it } from "vitest";
import { DAY, prompt, seedStore, type Seeded, START } from "../../../test/seed.ts";
import { forget } from "../../upkeep/erase/forget.ts";
import { emptyDeletionSet } from "../../upkeep/erase/deletion-set.ts";
import { purgeEvidence } from "../../store/tables/purge.ts";
import { insertTombstone, tombstoneOf } from "../../store/tables/tombstones.ts";
import { transaction } from "../../store/db/transaction.ts";

/** Reads a fork of "before", whose transcript is deleted: two prompts are copied, the third is new. */
function readFork({ db, add }: Seeded, stamp: { copiedFrom?: string } = { copiedFrom: "before" }): string[] {
  for (const [day, words] of ["Fix it", "Fix that, too"].entries())
    add("fork", prompt(words), { at: START + day * DAY, ...stamp });
  add("fork", prompt("Try another way"), { at: START + 2 * DAY });
  const sql =
    "SELECT s.session_id || ': ' || p.text AS row FROM prompts p JOIN sessions s ON s.id = p.session_db_id ORDER BY p.created_at";
  const rows = db.all<{ row: string }>(sql).map((one) => one.row);
  db.close();
  return rows;
}

describe("the copied part of a fork", () => {
  it("is stored if the original session is not stored", () => {
    expect(readFork(seedStore())).toEqual(["fork: Fix it", "fork: Fix that, too", "fork: Try another way"]);
  });

  it("is not stored if the original session has it", () => {
    const store = seedStore();
    store.add("before", prompt("Fix it"), { at: START });
    store.add("before", prompt("Fix that, too"), { at: START + DAY });
    expect(readFork(store)).toEqual(["before: Fix it", "before: Fix that, too", "fork: Try another way"]);
  });

  it("is stored up to the first stored event of the original session", () => {
    const store = seedStore();
    store.add("before", prompt("Fix that, too"), { at: START + DAY });
    expect(readFork(store)).toEqual(["fork: Fix it", "before: Fix that, too", "fork: Try another way"]);
  });

  it("restores nothing that was purged or forgotten in the original", () => {
    const purged = seedStore();
    purged.add("before", prompt("Fix it"), { at: START });
    purged.add("before", prompt("Fix that, too"), { at: START + DAY });
    transaction(purged.db, () => [...purgeEvidence(purged.db, 1)]);
    expect(readFork(purged)).toEqual(["fork: Try another way"]);
    const forgotten = seedStore();
    insertTombstone(forgotten.db, tombstoneOf("session", "before"), START);
    expect(readFork(forgotten)).toEqual(["fork: Try another way"]);
    const emptied = seedStore();
    emptied.add("before", prompt("Fix it"), { at: START });
    emptied.add("before", prompt("Fix that, too"), { at: START + DAY });
    forget(emptied.db, { ...emptyDeletionSet(), prompts: new Set([1, 2]) }, START);
    expect(readFork(emptied)).toEqual(["fork: Try another way"]);
  });

  it("restores nothing forgotten in the original, even if only the times show that it is a copy", () => {
    const store = seedStore();
    store.add("before", prompt("Fix it"), { at: START });
    store.add("before", prompt("Fix that, too"), { at: START + DAY });
    store.add("fork", prompt("Try another way"), { at: START + 2 * DAY });
    store.add("fork", { kind: "origin", forkedFrom: "before" }, { at: START + 2 * DAY });
    forget(store.db, { ...emptyDeletionSet(), prompts: new Set([1]) }, START);
    expect(readFork(store, {})).toEqual(["before: Fix that, too", "fork: Try another way"]);
  });
});
