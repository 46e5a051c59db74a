import { describe, expect, it } from "vitest";
import { bash, prompt, said, seedStore } from "../../test/seed.ts";
import { EXTRACTOR, type Observation, type Summary } from "../core/memory.ts";
import { findObservations } from "../recall/search/find-observations.ts";
import { readObservation } from "../recall/history/observation.ts";
import type { Db } from "../store/db/driver.ts";
import { listObservations } from "../store/reads/observation-list.ts";
import { getObservation, observationOf, type ObservationRow } from "../store/tables/observations.ts";
import { rebuildMemory } from "./derive.ts";
import { edit, isUsersOwn, pin, remember, supersede, undoSupersede, withdraw } from "./user-edits.ts";
import { saveTurnMemory } from "./save-turn.ts";

const NOW = Date.UTC(2026, 1, 1);

function note(title: string, extra: Partial<Observation> = {}): Observation {
  return {
    type: "decision",
    title,
    narrative: `${title}.`,
    facts: [],
    concepts: [],
    files: [],
    evidence: [],
    origin: "user",
    ...extra,
  };
}

const SUMMARY: Summary = {
  request: "Build it",
  investigated: "",
  learned: "",
  completed: "",
  nextSteps: "",
  filesRead: [],
  filesEdited: [],
  notes: "",
  evidence: ["p1"],
};

/** A session of two turns, and a function that derives the given observations for one of them. */
function store(): { db: Db; derive: (turn: number, ...observations: Observation[]) => void } {
  const { db, add } = seedStore();
  add("a", prompt("Build it"));
  add("a", bash("npm run build", "Exit code 1\nError: no", 1));
  add("a", prompt("And the tests"));
  add("a", said("u1", "Done."));
  return {
    db,
    derive: (turn, ...observations) =>
      saveTurnMemory(db, { sessionDbId: 1, promptNumber: turn }, { observations, summary: SUMMARY }, EXTRACTOR, NOW),
  };
}

const row = (db: Db, id: number): ObservationRow => getObservation(db, id) as ObservationRow;
const titles = (db: Db, projectId?: number): string[] =>
  listObservations(db, { projectId }, 100).map((one) => one.title);

describe("remembering", () => {
  it("saves a text once per project or for all projects, and reports similar texts", () => {
    const { db } = store();
    const first = remember(db, 1, note("Packages come from pnpm and never from npm"), NOW);
    expect(first).toEqual({ id: 1, isNew: true, alike: [] });
    expect(remember(db, 1, note("Packages come from pnpm and never from npm"), NOW)).toMatchObject({
      id: 1,
      isNew: false,
    });
    expect(remember(db, undefined, note("Packages always come from pnpm, never npm"), NOW)).toMatchObject({
      isNew: true,
      alike: [],
    });
    expect(remember(db, 1, note("Here packages come from pnpm, never npm"), NOW).alike).toHaveLength(2);
    expect(titles(db, 2)).toEqual(["Packages always come from pnpm, never npm"]);
    expect(row(db, 1)).toMatchObject({ producer: "user", origin: "user", session_db_id: null, valid_from: NOW });
  });

  it("filters private text and secrets", () => {
    const { db } = store();
    const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    const { id } = remember(
      db,
      1,
      note(`Token ${secret}`, { narrative: `It is ${secret} <private>HUSH</private>` }),
      NOW,
    );
    edit(db, id, { ...observationOf(row(db, id)), facts: [secret, "<private>HUSH</private>"] }, NOW);
    expect(JSON.stringify(row(db, id))).not.toMatch(/ghp_|HUSH/);
    expect(() => remember(db, 1, note("<private>HUSH</private>"), NOW)).toThrow(/all private/);
  });
});

describe("an observation that replaces others", () => {
  it("supersedes them, also if it was known before, and not twice", () => {
    const { db } = store();
    remember(db, 1, note("Use npm for packages"), NOW);
    const second = remember(db, 1, note("Use pnpm for packages"), NOW + 1);
    expect(second.alike).toEqual([{ id: 1, title: "Use npm for packages", isSame: false }]);
    const again = remember(db, 1, note("Use pnpm for packages"), NOW + 2, { replaces: [1] });
    expect(again).toEqual({ id: 2, isNew: false, alike: [] });
    expect(row(db, 1)).toMatchObject({ superseded_by: 2, superseded_at: NOW + 2, valid_to: NOW + 1 });
    expect(() => remember(db, 1, note("Use yarn"), NOW, { replaces: [1] })).toThrow("already replaced by o2");
    expect(titles(db, 1)).toEqual(["Use pnpm for packages"]);
  });

  it("belongs to their project, else nothing is saved", () => {
    const { db } = store();
    remember(db, undefined, note("Use npm for packages"), NOW);
    expect(() => remember(db, 1, note("Use pnpm"), NOW, { replaces: [1] })).toThrow("is for every project");
    remember(db, 1, note("Use tabs"), NOW);
    expect(() => remember(db, undefined, note("Use spaces"), NOW, { replaces: [2] })).toThrow("another project");
    expect(() => remember(db, 1, note("Use spaces"), NOW, { replaces: [99] })).toThrow("no observation o99");
    expect(titles(db, 1)).toEqual(["Use tabs", "Use npm for packages"]);
  });

  it("may be an agent's unless a user wrote, reworded or pinned what it replaces", () => {
    const { db } = store();
    const [own, agents] = ["user", "assistant"].map(
      (origin) => remember(db, 1, note(`Rule of the ${origin}`, { origin: origin as "user" }), NOW).id,
    ) as [number, number];
    expect([isUsersOwn(row(db, own)), isUsersOwn(row(db, agents))]).toEqual([true, false]);
    pin(db, agents, true);
    expect(isUsersOwn(row(db, agents))).toBe(true);
  });
});

describe("an observation that no longer holds", () => {
  it("stays as history with a note that says why, and can be made valid again", () => {
    const { db, derive } = store();
    derive(1, note("Use npm for packages", { evidence: ["p1"] }));
    const turn = { sessionDbId: 1, promptNumber: 2, evidence: ["p2"] };
    expect(withdraw(db, 1, "The user prefers pnpm.", NOW, turn)).toMatchObject({ id: 1, note: 2 });
    expect(row(db, 1)).toMatchObject({ superseded_by: 2, superseded_at: NOW });
    expect(row(db, 2)).toMatchObject({
      title: "No longer holds: Use npm for packages",
      narrative: "The user prefers pnpm.",
      producer: "agent",
      session_db_id: 1,
      evidence: '["o1","p2"]',
    });
    const rebuild = rebuildMemory(db, { now: NOW + 1 });
    while (!rebuild.next().done);
    expect([row(db, 1).superseded_by, row(db, 2).is_current]).toEqual([2, 1]);
    expect(readObservation(db, 2)).toMatchObject({ evidence: [{ kind: "prompt", id: "p2" }], versions: [] });
    undoSupersede(db, 1, NOW + 2);
    expect(row(db, 1)).toMatchObject({ superseded_by: null, valid_to: null });
    expect(getObservation(db, 2)).toBeUndefined();
  });
});

describe("users' edits", () => {
  it("survive a rebuild: pins, texts, successors", () => {
    const { db, derive } = store();
    derive(
      1,
      note("Pinned", { evidence: ["p1"] }),
      note("Reworded", { evidence: ["t1"] }),
      note("Gone", { evidence: ["p1"] }),
    );
    derive(2, note("Old way", { evidence: ["p2"] }), note("New way", { evidence: ["m1"] }));
    const [pinned, reworded, , old, newer] = [1, 2, 3, 4, 5];
    pin(db, pinned as number, true);
    edit(db, reworded as number, { ...observationOf(row(db, 2)), title: "In my words" }, NOW);
    supersede(db, old as number, newer as number, NOW);
    const hash = row(db, 2).content_hash;
    const rebuild = rebuildMemory(db, { now: NOW + 1 });
    while (!rebuild.next().done);
    expect(row(db, 1)).toMatchObject({ title: "Pinned", pinned: 1, is_current: 1 });
    expect(row(db, 2)).toMatchObject({ title: "In my words", edited_at: NOW, content_hash: hash });
    expect(row(db, 4)).toMatchObject({ superseded_by: 5, superseded_at: NOW });
    expect(row(db, 5)).toMatchObject({ title: "New way", superseded_by: null });
    expect(titles(db)).not.toContain("Gone");
  });

  it("record what superseded what, with date and link, ranked below valid observations", () => {
    const { db } = store();
    remember(db, 1, note("Use npm for packages"), NOW);
    remember(db, 1, note("Use pnpm for packages"), NOW + 5);
    supersede(db, 1, 2, NOW + 9);
    expect(row(db, 1)).toMatchObject({ superseded_by: 2, valid_to: NOW + 5 });
    expect(db.all("SELECT source_id, target_id, relationship FROM links")).toEqual([
      { source_id: "o2", target_id: "o1", relationship: "supersedes" },
    ]);
    expect(titles(db, 1)).toEqual(["Use pnpm for packages"]);
    expect(findObservations(db, "npm packages", { projectId: 1 }, 9).rows.map((one) => one.id)).toEqual([2, 1]);
    expect(readObservation(db, 1)?.successor?.id).toBe(2);
    expect(readObservation(db, 2)?.predecessors.map((one) => one.id)).toEqual([1]);
    undoSupersede(db, 1, NOW);
    expect(row(db, 1)).toMatchObject({ superseded_by: null, superseded_at: null, valid_to: null });
    expect(db.all("SELECT * FROM links")).toEqual([]);
  });

  it("override the order by subject, even if the older observation supersedes the newer", () => {
    const { db, derive } = store();
    derive(1, note("Use npm", { subject: "packages", evidence: ["p1"] }));
    derive(2, note("Use pnpm", { subject: "packages", evidence: ["p2"] }));
    expect(row(db, 1).superseded_by).toBe(2);
    supersede(db, 2, 1, NOW);
    expect([row(db, 1).superseded_by, row(db, 2).superseded_by]).toEqual([null, 1]);
    derive(2, note("Use pnpm", { subject: "packages", evidence: ["p2"] }));
    expect([row(db, 1).superseded_by, row(db, 2).superseded_by]).toEqual([null, 1]);
    undoSupersede(db, 2, NOW);
    expect([row(db, 1).superseded_by, row(db, 2).superseded_by]).toEqual([2, null]);
  });

  it("reject cycles without changing anything", () => {
    const { db } = store();
    for (const title of ["One", "Two", "Three"]) remember(db, 1, note(title), NOW);
    supersede(db, 1, 2, NOW);
    supersede(db, 2, 3, NOW);
    expect(() => supersede(db, 3, 1, NOW)).toThrow(/itself superseded/);
    expect(() => supersede(db, 3, 3, NOW)).toThrow(/itself/);
    expect(() => supersede(db, 3, 9, NOW)).toThrow(/no observation o9/);
    expect(row(db, 3).superseded_by).toBeNull();
  });
});

describe("observations", () => {
  it("are filtered by type, concept, file, pin, time and agent", () => {
    const { db, derive } = store();
    derive(1, note("Of a session", { type: "bugfix", files: ["src/login.ts"], evidence: ["p1"] }));
    remember(db, 1, note("By hand", { concepts: ["gotcha"] }), NOW);
    pin(db, 2, true);
    const found = (filter: object) => listObservations(db, { projectId: 1, ...filter }, 9).map((one) => one.title);
    expect(found({})).toEqual(["By hand", "Of a session"]);
    expect(found({ type: "bugfix" })).toEqual(["Of a session"]);
    expect(found({ concept: "gotcha" })).toEqual(["By hand"]);
    expect(found({ file: "login.ts" })).toEqual(["Of a session"]);
    expect(found({ file: "ogin.ts" })).toEqual([]);
    expect(found({ isPinned: true })).toEqual(["By hand"]);
    expect(found({ since: NOW })).toEqual(["By hand"]);
    expect(found({ agent: "claude-code" })).toEqual(["Of a session"]);
  });

  it("are found by words, parts of names, prefixes, and misspelt words", () => {
    const { db, add } = seedStore();
    add("a", prompt("Fix the migration of the productTour"));
    remember(db, 1, note("The productTour waits for a migration"), NOW);
    remember(db, 1, note("Another matter"), NOW);
    const found = (text: string) => {
      const { rows, rung } = findObservations(db, text, { projectId: 1 }, 9);
      return [rows.map((one) => one.id), rung];
    };
    expect(found('"waits for"')).toEqual([[1], "phrase"]);
    expect(found("product tour")).toEqual([[1], "words"]);
    expect(found("migrat")).toEqual([[1], "words"]);
    expect(found("matt")).toEqual([[2], "prefix"]);
    expect(found("migartion")).toEqual([[1], "typo"]);
    expect(found('AND OR ( " *')).toEqual([[], "typo"]);
  });

  it("are shown with their evidence, even if some of it was deleted", () => {
    const { db, derive } = store();
    derive(1, note("Built", { evidence: ["p1", "t1", "m9"] }));
    expect(readObservation(db, 1)?.evidence).toMatchObject([
      { kind: "prompt", text: "Build it" },
      { kind: "tool", name: "Bash", subject: "npm run build", isError: true },
      { kind: "gone", id: "m9" },
    ]);
    expect(readObservation(db, 2)).toBeUndefined();
  });
});
