// Turns and the whole session, with a real store and scripted replies.
import { describe, expect, it } from "vitest";
import { bash, DAY, ended, prompt, said, seedStore, touch } from "../../../test/seed.ts";
import { DEFAULT_SETTINGS, scripted } from "../../../test/scripted-model.ts";
import { currentSummary } from "../../store/tables/summaries.ts";
import { enqueueTurns, waitingTurns } from "../../store/tables/model-turns.ts";
import { getObservation } from "../../store/tables/observations.ts";
import { sessionTitles } from "../../store/tables/sessions.ts";
import { deriveSession } from "../derive.ts";
import { remember, supersede, undoSupersede } from "../user-edits.ts";
import { enrichSession } from "./enrich-session.ts";
import { enrichTurns } from "./enrich-turns.ts";

const LATER = Date.now() + DAY;
const OPTIONS = { settings: DEFAULT_SETTINGS, now: () => LATER };

const summaryOf = (turn: number, completed: string, next_steps = "") => ({
  turn,
  request: "",
  investigated: "",
  learned: "",
  completed,
  next_steps,
  notes: "",
  evidence: [`p${turn}`],
});

/** A session of two turns; before it another one left something open, and the user had noted a rule. */
function world() {
  const { db, add } = seedStore();
  add("before", prompt("Start the upload feature"));
  add("before", touch("src/upload.ts"));
  add("before", ended("The upload works."));
  deriveSession(db, 1, LATER);
  db.run("UPDATE summaries SET next_steps = 'Retry failed uploads' WHERE session_db_id = 1");
  const rule = { type: "decision", title: "Upload chunks of 4 MB", narrative: "Upload chunks of 4 MB" } as const;
  remember(db, 1, { ...rule, facts: [], concepts: [], files: [], evidence: [], origin: "user" }, 1);
  add("s", prompt("Retry failed uploads in src/upload.ts. Use chunks of 8 MB from now on."));
  add("s", touch("src/upload.ts"));
  add("s", said("u1", "Failed uploads are retried three times."));
  add("s", ended("Failed uploads are retried three times."));
  add("s", prompt("Now run the tests"));
  add("s", bash("npm test", "42 passed"));
  add("s", ended("All 42 tests pass."));
  deriveSession(db, 2, LATER);
  const own = db.all<{ id: number }>("SELECT id FROM prompts WHERE session_db_id = 2 ORDER BY id").map(({ id }) => id);
  const [first = 0, second = 0] = own;
  enqueueTurns(db, own, LATER);
  const user = db.value<number>("SELECT id FROM observations WHERE producer = 'user'") ?? 0;
  const note = { turn: 1, facts: [], concepts: [], files: [], subtitle: "", narrative: "", quote: "", replaces: [] };
  const turnsReply = {
    observations: [
      { ...note, type: "feature", title: "Failed uploads are retried three times", evidence: ["m1"] },
      {
        ...note,
        type: "decision",
        title: "Upload chunks of 8 MB",
        quote: "Use chunks of 8 MB from now on",
        evidence: [`p${first}`],
        replaces: [`o${user}`],
      },
    ],
    confirmed: [],
    closed: [{ id: "n1", evidence: ["m1"] }],
    turns: [
      { ...summaryOf(1, "Uploads are retried"), evidence: [`p${first}`] },
      { ...summaryOf(2, "All 42 tests pass", "Push the branch"), evidence: [`p${second}`] },
    ],
  };
  const sessionReply = {
    title: "Failed uploads are retried; chunks are 8 MB",
    subtitle: "The tests pass.",
    request: "Retry failed uploads",
    investigated: "",
    learned: "",
    completed: "Failed uploads are retried three times.",
    notes: "",
    open: ["Push the branch", "Look at src/never-seen.ts"],
    decisions: [
      { title: "Upload chunks of 8 MB", by: "user", quote: "Use chunks of 8 MB", turn: 1, evidence: [`p${first}`] },
      { title: "Retry failed uploads", by: "user", quote: "Retry failed uploads", turn: 1, evidence: [`p${first}`] },
    ],
    handover: ["Failed uploads are retried three times in src/upload.ts.", "The timeout is 99 seconds."],
    evidence: [`p${first}`, "p999"],
  };
  return { db, add, turnsReply, sessionReply, rule: user };
}

describe("the turns of a session", () => {
  it("share one request, which shows what is known; rules are superseded and open ends closed by id", async () => {
    const { db, turnsReply, rule } = world();
    const provider = scripted(turnsReply);
    expect(await enrichTurns(db, provider, 2, OPTIONS)).toEqual({ kind: "saved", observations: 2 });
    expect(provider.asked).toHaveLength(1);
    const [{ text } = { text: "" }] = provider.asked;
    expect(text).toContain(`o${rule} decision (the user): Upload chunks of 4 MB`);
    expect(text).toContain("n1 open: Retry failed uploads");
    expect(text).toMatch(/=== turn 1 ===[\s\S]*=== turn 2 ===[\s\S]*42 passed/);
    expect(waitingTurns(db, 2)).toEqual([]);
    expect(getObservation(db, rule)).toMatchObject({ superseded_producer: "openai/m", superseded_at: null });
    expect(currentSummary(db, 1, 0)?.next_steps).toBe("");
    expect(db.all("SELECT reply FROM model_replies")).toEqual([]);
    expect(db.get("SELECT purpose, kept > 0 AS kept, dropped FROM ledger")).toEqual({
      purpose: "turns",
      kept: 1,
      dropped: 0,
    });
    // The step stays closed when the memory of its session is derived again, and the user can undo the rest.
    db.run("INSERT INTO stale_memory SELECT id FROM prompts WHERE session_db_id = 1");
    deriveSession(db, 1, LATER);
    expect(currentSummary(db, 1, 0)?.next_steps).not.toContain("Retry failed uploads");
    expect(undoSupersede(db, rule, LATER)).toMatchObject({ superseded_by: null, superseded_producer: null });
  });

  it("are sent one by one if a request for several fails", async () => {
    const { db } = world();
    const provider = scripted({ observations: "none" });
    await enrichTurns(db, provider, 2, OPTIONS);
    // Each request is repeated once with the reason.
    expect(provider.asked.map(({ text }) => text.match(/^=== turn \d+ ===$/gm)?.length)).toEqual([2, 2, 1, 1, 1, 1]);
    expect(waitingTurns(db, 2)).toEqual([]);
  });

  it("are sent in one request only once if it fails; short turns among them are not sent alone", async () => {
    const { db, add } = seedStore();
    for (const text of ["Run the tests", "Yes", "Run them again", "And once more"]) {
      add("s", prompt(text));
      if (text !== "Yes") add("s", bash("npm test", "42 passed"));
      add("s", ended("Done."));
    }
    enqueueTurns(db, [1, 2, 3, 4], LATER);
    const provider = scripted({ observations: "none" });
    await enrichTurns(db, provider, 1, OPTIONS);
    const turns = provider.asked.map(({ text }) => text.match(/(?<=^=== turn )\d+(?= ===$)/gm)?.join(" "));
    expect(turns).toEqual(["1 2 3 4", "1 2 3 4", "1", "1", "3", "3", "4", "4"]);
    expect(waitingTurns(db, 1)).toEqual([]);
  });
});

describe("a whole session", () => {
  it("gets a decision that differs from a known one only in a number", async () => {
    const { db, turnsReply, sessionReply } = world();
    await enrichTurns(db, scripted(turnsReply), 2, OPTIONS);
    const [first] = sessionReply.decisions;
    const changed = { ...first, title: "Upload chunks of 16 MB", quote: "Retry failed uploads" };
    db.run("UPDATE prompts SET text = text || ' Or rather 16 MB.' WHERE id = 2");
    expect(await enrichSession(db, scripted({ ...sessionReply, decisions: [first, changed] }), 2, OPTIONS)).toEqual({
      kind: "saved",
      observations: 1,
    });
  });

  it("gets title, summary, decisions and handover; what is not in the session is dropped", async () => {
    const { db, turnsReply, sessionReply } = world();
    await enrichTurns(db, scripted(turnsReply), 2, OPTIONS);
    const provider = scripted(sessionReply);
    // "Upload chunks of 8 MB" is known from its turn.
    expect(await enrichSession(db, provider, 2, OPTIONS)).toEqual({ kind: "saved", observations: 1 });
    expect(sessionTitles(db, 2).title).toBe(sessionReply.title);
    expect(currentSummary(db, 2, 0)).toMatchObject({
      producer: "openai/m",
      last_prompt: 2,
      next_steps: "Push the branch",
      handover: JSON.stringify([sessionReply.handover[0]]),
      files_edited: '["src/upload.ts"]',
    });
    expect(await enrichSession(db, provider, 2, OPTIONS)).toEqual({ kind: "kept", message: "it has a summary" });
    expect(provider.asked).toHaveLength(1);
    const decisions =
      "SELECT title FROM observations WHERE type = 'decision' AND producer = 'openai/m' AND is_current = 1";
    db.run("INSERT INTO stale_memory SELECT id FROM prompts WHERE session_db_id = 2");
    deriveSession(db, 2, LATER);
    expect(db.all(decisions)).toHaveLength(2);
    expect(sessionTitles(db, 2).title).toBe(sessionReply.title);
  });

  it("keeps the extractor's summary if the title is not in the session, and again after another turn", async () => {
    const { db, sessionReply } = world();
    const wrong = scripted({ ...sessionReply, title: "Downloads use HTTP_3 in src/down.ts" });
    expect(await enrichSession(db, wrong, 2, OPTIONS)).toMatchObject({ kind: "kept" });
    expect(wrong.asked).toHaveLength(2);
    expect(currentSummary(db, 2, 0)?.producer).toBe("extractor");
    await enrichSession(db, scripted(sessionReply), 2, OPTIONS);
    expect(currentSummary(db, 2, 0)?.producer).toBe("openai/m");
  });

  it("is asked for while a turn runs only if the agent compacted its context since the last summary", async () => {
    const { db, add, sessionReply } = world();
    const now = Date.now();
    const options = { ...OPTIONS, now: () => now };
    add("s", prompt("And now the downloads"), { at: now });
    expect(await enrichSession(db, scripted(sessionReply), 2, options)).toMatchObject({
      kind: "later",
      isWaiting: true,
    });
    add("s", { kind: "checkpoint" }, { at: now });
    expect(await enrichSession(db, scripted(sessionReply), 2, options)).toMatchObject({ kind: "saved" });
    add("s", ended("Downloads work."), { at: now });
    add("s", prompt("And the tests"), { at: now });
    expect(await enrichSession(db, scripted(sessionReply), 2, options)).toMatchObject({
      kind: "later",
      isWaiting: true,
    });
  });

  it("is not asked for if the session is a copy of another one", async () => {
    const { db, add } = seedStore();
    for (const session of ["s", "copy"]) {
      add(session, { kind: "prompt", text: "Retry failed uploads", promptId: "0123456789abcdef" });
      add(session, ended("Failed uploads are retried three times. ".repeat(60)));
      deriveSession(db, session === "s" ? 1 : 2, LATER);
    }
    const provider = scripted({});
    const outcome = await enrichSession(db, provider, 2, OPTIONS);
    expect(outcome).toEqual({ kind: "kept", message: "it is a copy of another session" });
    expect(provider.asked).toEqual([]);
  });

  it("does not bring back a decision that the user replaced", async () => {
    const { db, sessionReply } = world();
    const text = "Stream uploads without chunks";
    const lists = { facts: [], concepts: [], files: [], evidence: [] };
    const newer = remember(db, 1, { type: "decision", title: text, narrative: text, origin: "user", ...lists }, LATER);
    const decided = db.column<number>("SELECT id FROM observations WHERE session_db_id = 2 AND type = 'decision'");
    expect(decided).not.toEqual([]);
    for (const id of decided) supersede(db, id, newer.id, LATER);
    await enrichSession(db, scripted(sessionReply), 2, OPTIONS);
    const written = db.column("SELECT title FROM observations WHERE producer = 'openai/m'");
    expect(written).toEqual(["Retry failed uploads"]);
  });

  it("is not paid for again if the process died between the reply and the save", async () => {
    const { db, sessionReply } = world();
    const provider = scripted(sessionReply);
    db.exec("CREATE TEMP TRIGGER crash BEFORE INSERT ON summaries BEGIN SELECT raise(ABORT, 'killed'); END");
    await expect(enrichSession(db, provider, 2, OPTIONS)).rejects.toThrow("killed");
    db.exec("DROP TRIGGER crash");
    expect(await enrichSession(db, provider, 2, OPTIONS)).toMatchObject({ kind: "saved" });
    expect(provider.asked).toHaveLength(1);
    expect(db.all("SELECT status FROM ledger")).toEqual([{ status: "spent" }]);
  });
});
