// What a model may change of what is known, and what becomes of it when its own notes go.
import { describe, expect, it } from "vitest";
import { bash, DAY, ended, prompt, seedStore, type Seeded, START, touch } from "../../../test/seed.ts";
import { DEFAULT_SETTINGS, scripted } from "../../../test/scripted-model.ts";
import type { Observation } from "../../core/memory.ts";
import type { Db } from "../../store/db/driver.ts";
import { enqueueTurns } from "../../store/tables/model-turns.ts";
import { getObservation } from "../../store/tables/observations.ts";
import { currentSummary } from "../../store/tables/summaries.ts";
import { repairSession } from "../../upkeep/erase/erase-rows.ts";
import { deriveSession } from "../derive.ts";
import { edit, remember } from "../user-edits.ts";
import { enrichTurns } from "./enrich-turns.ts";

const LATER = Date.now() + DAY;
const OPTIONS = { settings: DEFAULT_SETTINGS, now: () => LATER };

const rule = (title: string): Observation => ({
  type: "decision",
  title,
  narrative: title,
  facts: [],
  concepts: [],
  files: [],
  evidence: [],
  origin: "assistant",
});

interface Said {
  turn: number;
  next?: string;
  /** A known rule that this turn's decision replaces. */
  replaces?: number;
  closed?: string[];
}

/** A reply about one turn whose prompt has the same number as its row. */
function reply({ turn, next = "", replaces, closed = [] }: Said): object {
  const evidence = [`p${turn}`];
  const about = { turn, evidence, facts: [], concepts: [], files: [], subtitle: "", narrative: "" };
  const observation =
    replaces === undefined
      ? { ...about, type: "change", title: `Uploads changed`, quote: "", replaces: [] }
      : {
          ...about,
          type: "decision",
          title: "Upload chunks of 8 MB",
          quote: "Upload chunks of 8 MB from now on",
          replaces: [`o${replaces}`],
        };
  const empty = { request: "", investigated: "", learned: "", notes: "" };
  return {
    observations: [observation],
    confirmed: [],
    closed: closed.map((id) => ({ id, evidence })),
    turns: [{ ...empty, turn, completed: "Uploads changed", next_steps: next, evidence }],
  };
}

/** A session in which the agent, or the user, decided on the size of chunks. */
function world(decidedBy: "agent" | "user" = "agent"): Seeded {
  const seeded = seedStore();
  const words = "Upload chunks of 8 MB from now on.";
  seeded.add("s", prompt(`Change the uploads. ${decidedBy === "user" ? words : ""}`));
  seeded.add("s", touch("src/upload.ts"));
  seeded.add("s", ended(decidedBy === "agent" ? words : "Uploads changed."));
  deriveSession(seeded.db, 1, LATER);
  return seeded;
}

async function send(db: Db, turn: number, answer: object | (() => object)) {
  enqueueTurns(db, [turn], LATER);
  const model = scripted(answer);
  expect(
    await enrichTurns(db, model, db.value("SELECT session_db_id FROM prompts WHERE id = ?", turn) ?? 0, OPTIONS),
  ).toEqual({ kind: "saved", observations: 1 });
  return model.asked[0]?.text ?? "";
}

const successorOf = (db: Db, id: number): number | null | undefined => getObservation(db, id)?.superseded_by;

describe("a rule that a model replaces", () => {
  it("stays if it holds for every project", async () => {
    const { db } = world("user");
    const { id } = remember(db, undefined, { ...rule("Upload chunks of 4 MB"), origin: "user" }, START);
    await send(db, 1, reply({ turn: 1, replaces: id }));
    expect(successorOf(db, id)).toBeNull();
  });

  it("stays if it is newer than the turn, which was sent again", async () => {
    const { db } = world();
    const { id } = remember(db, 1, rule("Upload chunks of 4 MB"), LATER);
    await send(db, 1, reply({ turn: 1, replaces: id }));
    expect(successorOf(db, id)).toBeNull();
  });

  it("stays if the user reworded it during the request", async () => {
    const { db } = world();
    const { id } = remember(db, 1, rule("Upload chunks of 4 MB"), START);
    await send(db, 1, () => {
      edit(db, id, rule("Upload chunks of 4 MB, always"), LATER);
      return reply({ turn: 1, replaces: id });
    });
    expect(successorOf(db, id)).toBeNull();
  });

  it("holds again when the turn of the newer one loses its notes", async () => {
    const { db } = world();
    const { id } = remember(db, 1, rule("Upload chunks of 4 MB"), START);
    await send(db, 1, reply({ turn: 1, replaces: id }));
    expect(successorOf(db, id)).toBeGreaterThan(id);
    repairSession(db, 1, [1]);
    expect(getObservation(db, id)).toMatchObject({ superseded_by: null, superseded_producer: null, valid_to: null });
    expect(db.all("SELECT * FROM links WHERE relationship = 'supersedes'")).toEqual([]);
  });
});

describe("the decisions that are shown with a turn", () => {
  it("leave out the extractor's own of that turn: its version is replaced by the model's", async () => {
    const { db } = world("user");
    const own = "SELECT count(*) FROM observations WHERE type = 'decision' AND session_db_id = 1";
    expect(db.value(own)).toBe(1);
    const asked = await send(db, 1, reply({ turn: 1 }));
    expect(asked).not.toContain("decision (the user)");
  });

  it("include a short rule that shares one of its two words", async () => {
    const { db, add } = world();
    const { id } = remember(db, 1, rule("Use npm for packages"), START);
    const { id: other } = remember(db, 1, rule("Use tabs in Makefiles"), START);
    add("s", prompt("Use pnpm for all packages"));
    add("s", bash("pnpm install", "ok"));
    add("s", ended("Uploads changed."));
    deriveSession(db, 1, LATER);
    const asked = await send(db, 2, reply({ turn: 2 }));
    expect(asked).toContain(`o${id} decision`);
    expect(asked).not.toContain(`o${other} decision`);
  });
});

describe("an open end", () => {
  it("of a newer session is not shown with an old turn that is sent again", async () => {
    const { db, add } = world();
    add("newer", prompt("Look at the uploads"));
    add("newer", touch("src/upload.ts"));
    add("newer", ended("Uploads fail."));
    deriveSession(db, 2, LATER);
    db.run("UPDATE summaries SET next_steps = 'Change the uploads' WHERE session_db_id = 2");
    expect(await send(db, 1, reply({ turn: 1, closed: ["n1"] }))).not.toContain("n1 open");
    expect(currentSummary(db, 2, 1)?.next_steps).toBe("Change the uploads");
  });

  it("is open again if a turn after the one that did it names it", async () => {
    const { db, add } = world();
    await send(db, 1, reply({ turn: 1, next: "Push the branch" }));
    for (const [turn, said] of [
      [2, { closed: ["n1"] }],
      [3, { next: "Push the branch" }],
    ] as const) {
      add("s", prompt("Uploads changed"));
      add("s", bash("git status", "ok"));
      add("s", ended("Uploads changed, the branch is pushed."));
      deriveSession(db, 1, LATER);
      await send(db, turn, reply({ turn, ...said, closed: "closed" in said ? [...said.closed] : [] }));
    }
    expect([1, 2, 3].map((turn) => currentSummary(db, 1, turn)?.next_steps)).toEqual(["", "", "Push the branch"]);
    expect(currentSummary(db, 1, 0)?.next_steps).toContain("Push the branch");
  });
});

it("An unusable first reply is deleted when the second one is saved", async () => {
  const { db } = world();
  enqueueTurns(db, [1], LATER);
  const model = scripted({}, reply({ turn: 1 }));
  expect(await enrichTurns(db, model, 1, OPTIONS)).toMatchObject({ kind: "saved" });
  expect(model.asked).toHaveLength(2);
  expect(db.all("SELECT * FROM model_replies")).toEqual([]);
});
