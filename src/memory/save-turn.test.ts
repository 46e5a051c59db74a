import { describe, expect, it } from "vitest";
import { bash, prompt, said, seedStore } from "../../test/seed.ts";
import { EXTRACTOR, type Observation, type Producer, type Summary } from "../core/memory.ts";
import type { Db } from "../store/db/driver.ts";
import { insertTombstone, tombstoneOf } from "../store/tables/tombstones.ts";
import { sessionIdOf } from "../store/tables/sessions.ts";
import { contentHash, type ObservationRow, observationsOfTurn } from "../store/tables/observations.ts";
import { summariesOfTurn } from "../store/tables/summaries.ts";
import { loadTurnEvidence } from "../store/reads/turn-evidence.ts";
import { insertWrongItem, isWrongObservation } from "../store/tables/wrong-items.ts";
import { saveSession } from "./save-session.ts";
import { saveTurnMemory } from "./save-turn.ts";

const MODEL: Producer = { name: "anthropic/some-model", promptHash: "abc" };
const NOW = Date.UTC(2026, 1, 1);

function observation(title: string, extra: Partial<Observation> = {}): Observation {
  return {
    type: "change",
    title,
    narrative: `${title}.`,
    facts: [],
    concepts: [],
    files: [],
    evidence: ["p1"],
    origin: "assistant",
    ...extra,
  };
}

const summary = (request: string): Summary => ({
  request,
  investigated: "",
  learned: "",
  completed: "",
  nextSteps: "",
  filesRead: [],
  filesEdited: [],
  notes: "",
  evidence: ["p1"],
});

function store(): { db: Db; save: (titles: (string | Observation)[], turn?: number, producer?: Producer) => boolean } {
  const { db, add } = seedStore();
  add("a", prompt("Fix the build"));
  add("a", bash("npm run build", "Exit code 1\nError: no", 1));
  add("a", bash("npm run build", "ok"));
  add("a", prompt("And the tests"));
  add("a", said("u1", "Done."));
  return {
    db,
    save: (titles, turn = 1, producer = EXTRACTOR) =>
      saveTurnMemory(
        db,
        { sessionDbId: 1, promptNumber: turn },
        {
          observations: titles.map((one) => (typeof one === "string" ? observation(one) : one)),
          summary: summary("Fix"),
        },
        producer,
        NOW,
      ),
  };
}

const titles = (db: Db, turn = 1): string[] => observationsOfTurn(db, 1, turn).map((row) => row.title);
const row = (db: Db, title: string): ObservationRow =>
  db.get("SELECT * FROM observations WHERE title = ?", title) as ObservationRow;
const found = (db: Db, word: string): number =>
  db.all("SELECT rowid FROM observations_fts WHERE observations_fts MATCH ?", word).length;

describe("saving a turn's memory", () => {
  it("keeps the mark as wrong when an observation is derived again in other words", () => {
    const { db, save } = store();
    save(["First thing", observation("Second thing", { type: "discovery" })]);
    const { id, content_hash: contentHashOf } = row(db, "First thing");
    insertWrongItem(db, { item: `o${id}`, projectId: 1, contentHash: contentHashOf }, NOW);
    save(["The first thing again", observation("Another thing", { type: "discovery" })]);
    const isWrong = (title: string): boolean => isWrongObservation(db, row(db, title).id);
    expect([isWrong("The first thing again"), isWrong("Another thing")]).toEqual([true, false]);
  });

  it("keeps the ids of unchanged rows, and deletes old rows from table and index", () => {
    const { db, save } = store();
    expect(save(["First thing", "Second thing"])).toBe(true);
    const { id } = row(db, "Second thing");
    expect(save(["First thing", "Second thing"])).toBe(false);
    expect(save(["Second thing", "Third thing"])).toBe(true);
    expect(titles(db)).toEqual(["Second thing", "Third thing"]);
    expect(row(db, "Second thing").id).toBe(id);
    expect([found(db, "first"), found(db, "second"), found(db, "thirds")]).toEqual([0, 1, 1]);
  });

  it("saves the same text once, with the newest evidence and its time", () => {
    const { db, save } = store();
    save(["Same"]);
    expect(save([observation("Same", { evidence: ["p1", "t2"] }), "Same"])).toBe(false);
    expect(titles(db)).toEqual(["Same"]);
    const { created_at: at } = db.get("SELECT created_at FROM tool_uses WHERE id = 2") as { created_at: number };
    expect(row(db, "Same")).toMatchObject({ evidence: '["p1","t2"]', valid_from: at, created_at: NOW });
  });

  it("keeps rows that a session used, but not as current ones", () => {
    const { db, save } = store();
    save(["Used", "Unused"]);
    const id = row(db, "Used").id;
    db.run(
      `INSERT INTO injections (session_db_id, surface, item_ids, chars, tokens, cited, created_at)
       VALUES (1, 'session-start', ?, 1, 1, 1, 1)`,
      JSON.stringify([`o${id}`, "o123"]),
    );
    expect(save(["Another"])).toBe(true);
    expect(titles(db)).toEqual(["Used", "Another"]);
    expect(row(db, "Used")).toMatchObject({ id, is_current: 0 });
    expect(save(["Another"])).toBe(false);
    expect(save(["Used"])).toBe(true);
    expect(row(db, "Used")).toMatchObject({ id, is_current: 1 });
  });

  it("does not make a model's retired row current when the turn is derived again", () => {
    const { db, save } = store();
    save(["From the model"], 1, MODEL);
    db.run(
      `INSERT INTO injections (session_db_id, surface, item_ids, chars, tokens, cited, created_at)
       VALUES (1, 'session-start', ?, 1, 1, 1, 1)`,
      JSON.stringify([`o${row(db, "From the model").id}`]),
    );
    save(["Better"], 1, MODEL);
    save(["From the extractor"]);
    const current = observationsOfTurn(db, 1, 1).filter((one) => one.is_current === 1);
    expect(current.map(({ title }) => title)).toEqual(["Better"]);
  });

  it("keeps no used row in a session of which a part was forgotten", () => {
    const { db, save } = store();
    save(["Used"]);
    db.run(
      `INSERT INTO injections (session_db_id, surface, item_ids, chars, tokens, cited, created_at)
       VALUES (1, 'session-start', ?, 1, 1, 1, 1)`,
      JSON.stringify([`i${row(db, "Used").id}`]),
    );
    save(["Another"]);
    expect(titles(db)).toEqual(["Used", "Another"]);
    insertTombstone(db, tombstoneOf("part", sessionIdOf(db, 1) ?? ""), NOW);
    save(["Another"]);
    expect(titles(db)).toEqual(["Another"]);
  });

  it("keeps pinned and edited rows, and does not restore forgotten ones", () => {
    const { db, save } = store();
    save(["Pinned", "Reworded", "Forgotten"]);
    db.run("UPDATE observations SET pinned = 1 WHERE title = 'Pinned'");
    db.run("UPDATE observations SET edited_at = 1, title = 'In my words' WHERE title = 'Reworded'");
    const hash = contentHash(observation("Forgotten"));
    db.run("DELETE FROM observations WHERE content_hash = ?", hash);
    db.run("INSERT INTO tombstones (kind, hash, created_at) VALUES ('observation', ?, 1)", hash);
    save(["Reworded", "Forgotten", "Other"]);
    expect(titles(db)).toEqual(["Pinned", "In my words", "Other"]);
    save([], 1, MODEL);
    expect(observationsOfTurn(db, 1, 1).map((one) => one.is_current)).toEqual([1, 1, 0]);
  });

  it("prefers a model's version to the extractor's in any order, and keeps both", () => {
    const { db, save } = store();
    save(["Plain"]);
    save(["Fine"], 1, MODEL);
    save(["Plain", "Plainer"]);
    expect(observationsOfTurn(db, 1, 1).map((one) => [one.title, one.producer, one.is_current])).toEqual([
      ["Plain", "extractor", 0],
      ["Fine", MODEL.name, 1],
      ["Plainer", "extractor", 0],
    ]);
    expect(summariesOfTurn(db, 1, 1).map((one) => [one.producer, one.is_current])).toEqual([
      ["extractor", 0],
      [MODEL.name, 1],
    ]);
    expect(db.get("SELECT title FROM sessions")).toEqual({ title: "Fix the build" });
    saveSession(db, 1, NOW);
    expect(summariesOfTurn(db, 1, 0)).toHaveLength(1);
    save(["Finer"], 1, { name: "openai/other" });
    expect(
      observationsOfTurn(db, 1, 1)
        .filter((one) => one.is_current)
        .map((one) => one.title),
    ).toEqual(["Finer"]);
  });

  it("links a fix to the failures it fixed", () => {
    const { db, save } = store();
    save([observation("Build fixed", { type: "bugfix", evidence: ["t1", "t2"] })]);
    expect(db.all("SELECT source_type, source_id, target_type, target_id, relationship FROM links")).toEqual([
      { source_type: "observation", source_id: "o1", target_type: "tool-use", target_id: "t1", relationship: "fixes" },
    ]);
    save([]);
    expect(db.all("SELECT * FROM links")).toEqual([]);
  });
});

describe("observations on one subject", () => {
  const older = observation("Use npm", { subject: "packages", evidence: ["p1"] });
  const newer = observation("Use pnpm", { subject: "packages", evidence: ["p2"] });

  it.each([[["older", "newer"]], [["newer", "older"]]])(
    "leave only the newest valid if derived in the order %s",
    (order) => {
      const { db, save } = store();
      for (const one of order) {
        if (one === "older") save([older], 1);
        else save([newer], 2);
      }
      expect(row(db, "Use npm")).toMatchObject({
        superseded_by: row(db, "Use pnpm").id,
        valid_to: row(db, "Use pnpm").valid_from,
      });
      expect(row(db, "Use pnpm")).toMatchObject({ superseded_by: null, valid_to: null });
      expect(db.all("SELECT source_id, target_id FROM links WHERE relationship = 'supersedes'")).toEqual([
        { source_id: `o${row(db, "Use pnpm").id}`, target_id: `o${row(db, "Use npm").id}` },
      ]);
    },
  );

  it("make the older one valid again if the newer one is deleted or not current", () => {
    const { db, save } = store();
    save([older], 1);
    save([newer], 2);
    save([], 2);
    expect(row(db, "Use npm")).toMatchObject({ superseded_by: null, valid_to: null });
    save([newer], 2);
    save(["Something else"], 2, MODEL);
    expect(row(db, "Use npm")).toMatchObject({ superseded_by: null, valid_to: null });
    expect(db.all("SELECT * FROM links")).toEqual([]);
  });

  it("keep a successor that a user chose", () => {
    const { db, save } = store();
    save([older, "By hand"], 1);
    db.run(
      "UPDATE observations SET superseded_by = ?, superseded_at = 1 WHERE title = 'Use npm'",
      row(db, "By hand").id,
    );
    save([newer], 2);
    expect(row(db, "Use npm").superseded_by).toBe(row(db, "By hand").id);
  });
});

describe("the evidence of a turn", () => {
  it("includes subagents, but no other turns", () => {
    const { db, add } = seedStore();
    add("a", prompt("Go"));
    add("a", said("u1", "I look."));
    add("a", bash("make", "ok"), { agentId: "sub" });
    add("a", bash("git commit -m x", "[main abc1234] Do it"));
    add("a", prompt("Again"));
    const turn = loadTurnEvidence(db, 1, 1);
    expect(turn).toMatchObject({
      project: "app",
      prompt: { id: "p1", text: "Go", response: "" },
      messages: [{ id: "m1", text: "I look.", isSubagent: false }],
      toolUses: [
        { id: "t1", input: { command: "make" }, output: "ok", isSubagent: true, exitCode: 0 },
        { id: "t2", isSubagent: false },
      ],
      commits: [{ sha: "abc1234", subject: "Do it" }],
    });
    expect(loadTurnEvidence(db, 1, 3)).toBeUndefined();
  });
});
