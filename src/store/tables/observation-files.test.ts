import { describe, expect, it } from "vitest";
import { prompt, said, seedStore, touch } from "../../../test/seed.ts";
import { EXTRACTOR, type Observation, type Summary } from "../../core/memory.ts";
import { saveTurnMemory } from "../../memory/save-turn.ts";
import { edit, remember } from "../../memory/user-edits.ts";
import type { Db } from "../db/driver.ts";
import { MIGRATIONS } from "../db/migrate.ts";
import { observationFiles } from "./observation-files.ts";
import { getObservation, observationsOfTurn } from "./observations.ts";

const NOW = Date.UTC(2026, 1, 1);
const TURN = { sessionDbId: 1, promptNumber: 1 };
const FILES = ["src/read.ts", "src/edited.ts", "src/new.ts", "src/by-subagent.ts", "docs/mentioned.md"];
const SPLIT = {
  all: FILES,
  modified: ["src/edited.ts", "src/new.ts", "src/by-subagent.ts"],
  read: ["src/read.ts"],
  other: ["docs/mentioned.md"],
};
const EMPTY: Summary = {
  request: "",
  investigated: "",
  learned: "",
  completed: "",
  nextSteps: "",
  filesRead: [],
  filesEdited: [],
  notes: "",
  evidence: ["p1"],
};

function observation(files: string[]): Observation {
  const words = { title: "Moved the cache", narrative: "It is in src/new.ts now.", facts: [], concepts: [] };
  return { type: "change", ...words, files, evidence: ["p1"], origin: "assistant" };
}

/** A turn that reads a file, reads and edits one, and creates one. Its subagent edits another one. */
function seed(): ReturnType<typeof seedStore> {
  const store = seedStore();
  const helper = { agentId: "helper1", agentType: "Explore" };
  store.add("a", prompt("Move the cache"));
  store.add("a", touch("src/read.ts", "read"));
  store.add("a", touch("src/edited.ts", "read"));
  store.add("a", touch("src/edited.ts", "edit"));
  store.add("a", touch("src/new.ts", "create"));
  store.add("a", said("s-1", "Looking."), helper);
  store.add("a", touch("src/by-subagent.ts", "edit"), helper);
  store.add("a", prompt("And now another thing"));
  store.add("a", touch("docs/mentioned.md", "edit"));
  return store;
}

function save(db: Db, files = FILES): void {
  saveTurnMemory(db, TURN, { observations: [observation(files)], summary: EMPTY }, EXTRACTOR, NOW);
}

const only = (db: Db) => {
  const [row] = observationsOfTurn(db, TURN.sessionDbId, TURN.promptNumber);
  if (row === undefined) throw new Error("no observation");
  return row;
};

describe("an observation's files", () => {
  it("are modified or read according to the file touches of its turn and subagents", () => {
    const { db } = seed();
    save(db);
    expect(observationFiles(only(db))).toEqual(SPLIT);
  });

  it("are updated when more file touches of the turn are recorded", () => {
    const { db, add } = seed();
    save(db);
    add("a", touch("src/read.ts", "edit"), { agentId: "helper1", agentType: "Explore" });
    db.run("UPDATE tool_uses SET prompt_number = 1 WHERE session_db_id <> 1");
    save(db);
    expect(observationFiles(only(db))).toMatchObject({ read: [], modified: ["src/read.ts", ...SPLIT.modified] });
  });

  it("are updated when a user edits the list", () => {
    const { db } = seed();
    save(db, ["src/edited.ts"]);
    edit(db, only(db).id, observation(["src/read.ts", "other.md"]), NOW);
    expect(observationFiles(only(db))).toMatchObject({
      read: ["src/read.ts"],
      modified: ["src/new.ts"],
      other: ["other.md"],
    });
  });

  it.each([
    ["It waits in src/read.ts.", ["src/read.ts"]],
    ["`read.ts` waits for it", ["src/read.ts"]],
    ["see src/read.tsx and spread.ts, read.ts.bak and docs/mentioned.md", []],
  ])("include touched files that its text names: %s", (narrative, read) => {
    const { db } = seed();
    const found: Observation = { ...observation([]), narrative };
    saveTurnMemory(db, TURN, { observations: [found], summary: EMPTY }, EXTRACTOR, NOW);
    expect(observationFiles(only(db))).toEqual({ all: read, read, modified: [], other: [] });
  });

  it("are neither read nor modified if a user wrote it", () => {
    const { db } = seed();
    const { id } = remember(db, 1, observation(["src/edited.ts"]), NOW);
    const row = getObservation(db, id);
    expect(row && observationFiles(row)).toMatchObject({ read: [], modified: [], other: ["src/edited.ts"] });
  });

  it("are derived from evidence when an older database is migrated", () => {
    const { db } = seed();
    save(db);
    const { id } = only(db);
    db.exec(`ALTER TABLE observations DROP COLUMN files_read; ALTER TABLE observations DROP COLUMN files_modified;
      ${MIGRATIONS.find(({ name }) => name === "observation-files")?.sql}`);
    const row = getObservation(db, id);
    expect(row && observationFiles(row)).toEqual(SPLIT);
  });
});
