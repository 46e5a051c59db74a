import { describe, expect, it } from "vitest";
import { prompt, seedStore, START } from "../../../test/seed.ts";
import type { Observation } from "../../core/memory.ts";
import type { Db } from "../db/driver.ts";
import { observationsByIds } from "../fts/observation-words.ts";
import { newestCurrent } from "../reads/observation-list.ts";
import { contentHash, deleteObservation, insertObservation, observationsAbout } from "./observations.ts";
import { recentSessions } from "./sessions.ts";
import { deleteWrongItem, insertWrongItem } from "./wrong-items.ts";

const FILE = "src/telescope.ts";
const OBSERVATION: Observation = {
  type: "discovery",
  title: "The telescope reads its lens table twice",
  narrative: "",
  facts: [],
  concepts: [],
  files: [FILE],
  evidence: ["p1"],
  origin: "assistant",
};
const MARK = { item: "o1", projectId: 1, contentHash: contentHash(OBSERVATION) };

function store(): Db {
  const { db, add } = seedStore();
  add("one", prompt("Look at the telescope"));
  return db;
}

function derive(db: Db): number {
  const turn = { sessionDbId: 1, promptNumber: 1 };
  return insertObservation(
    db,
    { projectId: 1, turn, observation: OBSERVATION, producer: { name: "extractor" }, validFrom: START },
    START,
  );
}

const injectable = (db: Db): number[][] => [
  newestCurrent(db, 1, { limit: 9 }).map(({ id }) => id),
  observationsByIds(db, [1, 2]).map(({ id }) => id),
  observationsAbout(db, { kind: "file", key: FILE }, 1, 9).map(({ id }) => id),
];

describe("an observation marked as wrong", () => {
  it("is injected by no surface until the mark is taken back", () => {
    const db = store();
    derive(db);
    expect(injectable(db)).toEqual([[1], [1], [1]]);
    expect(insertWrongItem(db, MARK, START)).toBe(true);
    expect(insertWrongItem(db, MARK, START)).toBe(false);
    expect(injectable(db)).toEqual([[], [], []]);
    expect(deleteWrongItem(db, MARK)).toBe(true);
    expect(injectable(db)).toEqual([[1], [1], [1]]);
  });

  it("stays marked if it is derived again with the same content under another id", () => {
    const db = store();
    derive(db);
    insertWrongItem(db, MARK, START);
    deleteObservation(db, 1);
    expect(derive(db)).toBe(2);
    expect(injectable(db)).toEqual([[], [], []]);
    deleteWrongItem(db, { ...MARK, item: "o2" });
    expect(injectable(db)).toEqual([[2], [2], [2]]);
  });
});

it("a session marked as wrong is not injected, and its mark is deleted with it", () => {
  const db = store();
  insertWrongItem(db, { item: "session:1", projectId: 1 }, START);
  expect(recentSessions(db, 1, { limit: 9 })).toEqual([]);
  db.run("DELETE FROM sessions");
  expect(db.value("SELECT count(*) FROM wrong_items")).toBe(0);
});
