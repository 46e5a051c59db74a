import { describe, expect, it } from "vitest";
import { bash, ended, prompt, said, seedStore } from "../../../test/seed.ts";
import { EXTRACTOR } from "../../core/memory.ts";
import { forget } from "../../upkeep/erase/forget.ts";
import { addToDeletion } from "../../upkeep/erase/select-deletion.ts";
import { emptyDeletionSet } from "../../upkeep/erase/deletion-set.ts";
import { ITEM_TABLES } from "./item-ids.ts";
import { insertObservation } from "../tables/observations.ts";

const TABLES = Object.values(ITEM_TABLES);
const NOTE = {
  type: "decision",
  title: "Use pnpm",
  narrative: "Use pnpm.",
  facts: [],
  concepts: [],
  files: [],
  evidence: [],
  origin: "user",
} as const;

function seeded() {
  const { db, add } = seedStore();
  const note = (title: string) =>
    insertObservation(db, { observation: { ...NOTE, title }, producer: EXTRACTOR, validFrom: 1 } as never, 1);
  const turn = (session: string) => {
    add(session, prompt(`Look at ${session}`));
    add(session, bash(`cat ${session}`, `output of ${session}`));
    add(session, said(`m-${session}`, `I looked at ${session}.`));
    add(session, ended("Done."));
  };
  const last = (table: string) => db.get<{ id: number }>(`SELECT max(id) AS id FROM ${table}`)?.id ?? 0;
  return { db, turn, note, last };
}

describe("the id of a deleted row", () => {
  it("is not reused after the row was forgotten", () => {
    const { db, turn, note, last } = seeded();
    turn("one");
    turn("two");
    note("first");
    const forgotten = note("second");
    const before = TABLES.map((table) => last(table));
    const deletion = emptyDeletionSet();
    for (const what of ["two", `o${forgotten}`]) expect(addToDeletion(db, deletion, what)).toBe(true);
    forget(db, deletion, Date.now());
    for (const [index, table] of TABLES.entries()) expect(last(table)).toBeLessThan(before[index] ?? 0);
    turn("three");
    note("third");
    for (const [index, table] of TABLES.entries()) expect(last(table)).toBeGreaterThan(before[index] ?? 0);
    expect(note("fourth")).toBe(forgotten + 2);
  });

  it("is not reused after all rows were deleted", () => {
    const { db, note } = seeded();
    const ids = [note("a"), note("b"), note("c")];
    db.exec("DELETE FROM observations");
    expect(note("d")).toBe(Math.max(...ids) + 1);
  });
});
