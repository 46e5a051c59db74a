// Runs enrichTurns with a real store against fake models on loopback ports.
import { describe, expect, it } from "vitest";
import { type Loopback, type Script, startLoopback, WIRES } from "../../../test/conformance/loopback.ts";
import type { Scene } from "../../../test/conformance/scenes.ts";
import { bash, ended, prompt, said, seedStore, touch } from "../../../test/seed.ts";
import { SETTINGS, type SettingKey, type Settings } from "../../config/schema.ts";
import { EXTRACTOR, type Observation } from "../../core/memory.ts";
import { maximumCost } from "../../llm/budget.ts";
import type { Provider } from "../../llm/provider.ts";
import { openProvider } from "../../llm/providers.ts";
import type { Db } from "../../store/db/driver.ts";
import { costs } from "../../store/tables/ledger.ts";
import { clearPauses } from "../../store/tables/model-pauses.ts";
import { observationsOfTurn } from "../../store/tables/observations.ts";
import { summariesOfTurn } from "../../store/tables/summaries.ts";
import { transaction } from "../../store/db/transaction.ts";
import { loadTurnEvidence, type TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { enqueueTurns } from "../../store/tables/model-turns.ts";
import type { Enriched } from "./ask-model.ts";
import { enrichTurns, type Recording } from "./enrich-turns.ts";
import { turnRecord } from "./turn-record.ts";
import { turnsRequest } from "./turns-request.ts";
import { saveTurnMemory } from "../save-turn.ts";

const NOW = Date.UTC(2026, 0, 5, 12);
const TURN = { sessionDbId: 1, promptNumber: 1 };

const DEFAULTS = Object.fromEntries(
  Object.entries(SETTINGS).map(([key, setting]) => [key as SettingKey, setting.default]),
) as unknown as Settings;

interface World {
  db: Db;
  loopback: Loopback;
  provider: Provider;
  settings: Settings;
  /** Adds the turn to the waiting ones and sends it. */
  enrich(options?: { at?: number; settings?: Partial<Settings> }): Promise<Enriched>;
}

/** A scripted model, and a store with an extracted turn, in which a test failed and its cause was fixed. */
async function world(script: Script, extra: Partial<Settings> = {}): Promise<World> {
  const { db, add } = seedStore();
  add("s", prompt("Why does the test fail? Fix src/add.ts."));
  add("s", bash("npm test", "AssertionError: expected 3 to be -1", 1));
  add("s", touch("src/add.ts"));
  add("s", said("u1", "add() subtracted; it adds now."));
  add("s", ended("add() subtracted; it adds now."));
  extract(db);
  const loopback = await startLoopback(WIRES.messages, script);
  const settings: Settings = {
    ...DEFAULTS,
    provider: "anthropic",
    model: "claude-haiku-4-5",
    baseUrl: loopback.url,
    apiKeyEnv: "KEY",
    modelTimeoutSeconds: 30,
    ...extra,
  };
  const provider = openProvider(settings, { KEY: "k" }) as Provider;
  return {
    db,
    loopback,
    provider,
    settings,
    enrich({ at = NOW, settings: own = {} } = {}) {
      enqueueTurns(db, [1], at);
      return enrichTurns(db, provider, 1, { settings: { ...settings, ...own }, now: () => at });
    },
  };
}

const OLD: Observation = {
  type: "bugfix",
  title: "npm test passes again",
  narrative: "It failed and passes.",
  facts: [],
  concepts: [],
  files: ["src/add.ts"],
  evidence: ["t1", "t2"],
  origin: "tool",
  subject: "command:npm test",
};

function extract(db: Db): void {
  const fields = { request: "r", investigated: "", learned: "", completed: "", nextSteps: "", notes: "" };
  const summary = { ...fields, filesRead: [], filesEdited: [], evidence: ["p1"] };
  transaction(db, () => saveTurnMemory(db, TURN, { observations: [OLD], summary }, EXTRACTOR, NOW));
}

const SUMMARY = {
  turn: 1,
  request: "Find out why the test fails",
  investigated: "npm test",
  learned: "add() subtracted",
  completed: "add() adds",
  next_steps: "",
  notes: "",
  evidence: ["p1", "t1"],
};

const GOOD = {
  turn: 1,
  type: "bugfix",
  title: "add() in src/add.ts subtracted",
  subtitle: "It adds now",
  narrative: "npm test failed with an AssertionError because add() subtracted. src/add.ts was changed.",
  facts: ["AssertionError: expected 3 to be -1"],
  concepts: ["problem-solution", "nonsense"],
  files: ["/app/src/add.ts", "src/other.ts"],
  evidence: ["p1", "m1", "t1", "t2", "t99"],
  quote: "",
  replaces: [],
};

const answer = (...observations: object[]): Scene => ({
  kind: "answer",
  value: { observations, confirmed: [], closed: [], turns: [SUMMARY] },
});

const ledger = (db: Db): object[] =>
  db
    .all<object>("SELECT status, input_tokens, output_tokens, cost_microusd FROM ledger ORDER BY id")
    .map((row) => ({ ...row }));

function currentVersions(db: Db): { title: string; producer: string }[] {
  return observationsOfTurn(db, 1, 1)
    .filter((row) => row.is_current === 1)
    .map(({ title, producer }) => ({ title, producer }));
}

describe("a model's version that passes the checks", () => {
  it("becomes current, and the extractor's stays stored", async () => {
    const { db, enrich, loopback } = await world([answer(GOOD)]);
    expect(await enrich()).toEqual({ kind: "saved", observations: 1 });
    const rows = observationsOfTurn(db, 1, 1);
    expect(rows.map(({ producer, is_current }) => [producer, is_current])).toEqual([
      ["extractor", 0],
      ["anthropic/claude-haiku-4-5", 1],
    ]);
    expect(rows[1]).toMatchObject({
      type: "bugfix",
      title: GOOD.title,
      concepts: '["problem-solution"]',
      files: '["src/add.ts"]',
      evidence: '["p1","m1","t1","t2"]',
      origin: "tool",
      subject: "command:npm test",
      prompt_hash: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    const summary = summariesOfTurn(db, 1, 1).find((row) => row.is_current === 1);
    expect(summary).toMatchObject({
      producer: "anthropic/claude-haiku-4-5",
      learned: "add() subtracted",
      files_edited: '["src/add.ts"]',
      evidence: '["p1","t1"]',
    });
    expect(loopback.asked).toHaveLength(1);
    expect(ledger(db)).toEqual([{ status: "spent", input_tokens: 321, output_tokens: 45, cost_microusd: 546 }]);
  });

  it("is not requested again after it was saved", async () => {
    const { db, provider, settings, enrich, loopback } = await world([answer(GOOD)]);
    await enrich();
    const again = await enrichTurns(db, provider, 1, { settings, now: () => NOW });
    expect(again).toMatchObject({ kind: "kept", message: "no turn has enough content" });
    expect(loopback.asked).toHaveLength(1);
  });
});

describe("a reply that breaks a rule", () => {
  it.each([
    ["cites nothing", { ...GOOD, evidence: [] }],
    ["cites ids that are not in the record", { ...GOOD, evidence: ["t99", "p7", 3] }],
    ["has an unknown type", { ...GOOD, type: "insight" }],
    [
      "names what is not in the record",
      { ...GOOD, title: "Moved to redis_7 in src/cache/store.ts", narrative: "x_y", facts: [] },
    ],
  ])("loses an observation that %s", async (_, observation) => {
    const { db, enrich } = await world([answer(GOOD, observation)]);
    expect(await enrich()).toMatchObject({ kind: "saved", observations: 1 });
    expect(currentVersions(db)).toHaveLength(1);
  });

  it("is requested once more with the reason, then rejected", async () => {
    const { db, enrich, loopback } = await world([answer({ ...GOOD, evidence: [] })]);
    expect(await enrich()).toMatchObject({ kind: "kept" });
    expect(loopback.asked).toHaveLength(2);
    expect(JSON.stringify(loopback.asked[1]?.body)).toContain("no observation cites ids of the record");
    expect(currentVersions(db)).toEqual([{ title: OLD.title, producer: "extractor" }]);
    expect(ledger(db)).toHaveLength(2);
  });

  it("is accepted at the second try", async () => {
    const { db, enrich } = await world([{ kind: "words", text: "Sure! Here is what I think." }, answer(GOOD)]);
    expect(await enrich()).toMatchObject({ kind: "saved" });
    expect(currentVersions(db)).toEqual([{ title: GOOD.title, producer: "anthropic/claude-haiku-4-5" }]);
  });

  it("is saved without its secrets", async () => {
    const token = `ghp_${"aB3".repeat(12)}`;
    const { db, enrich } = await world([answer({ ...GOOD, narrative: `It used ${token} in src/add.ts.` })]);
    await enrich();
    expect(JSON.stringify(observationsOfTurn(db, 1, 1))).not.toContain(token);
  });

  it("that omits changed files is rejected: the extractor's version stays", async () => {
    const { db, enrich } = await world([answer()]);
    expect(await enrich()).toMatchObject({ kind: "kept" });
    expect(currentVersions(db)).toEqual([{ title: OLD.title, producer: "extractor" }]);
  });

  it.each([
    ["no object", "just a string"],
    ["no list", { observations: {}, turns: [SUMMARY] }],
    ["no summary", { observations: [GOOD] }],
    ["a summary of another turn", { observations: [GOOD], turns: [{ ...SUMMARY, turn: 7 }] }],
    ["an empty summary", { observations: [GOOD], turns: [{ turn: 1, request: "", completed: 5 }] }],
    ["hostile shapes", { observations: [null, 1, [], { type: {} }], turns: [[], null, { turn: {} }] }],
  ])("with %s is rejected", async (_, value) => {
    const { enrich } = await world([{ kind: "answer", value: value as object }]);
    expect(await enrich()).toMatchObject({ kind: "kept" });
  });
});

describe("a turn", () => {
  it("with too little content is not sent", async () => {
    const { db, enrich, loopback } = await world([answer(GOOD)]);
    db.run("DELETE FROM file_touches");
    db.run("DELETE FROM tool_uses");
    expect(await enrich()).toMatchObject({ kind: "kept", message: "no turn has enough content" });
    expect(loopback.asked).toEqual([]);
  });

  it("that was deleted during the request is not an error", async () => {
    const { db, enrich } = await world([
      () => {
        db.run("DELETE FROM prompts WHERE id = 1");
        return answer(GOOD);
      },
    ]);
    expect(await enrich()).toMatchObject({ kind: "kept", message: expect.stringContaining("changed") });
  });

  it("in a folder that is excluded now is not sent", async () => {
    const { db, provider, settings, loopback } = await world([answer(GOOD)]);
    const recording = (cwd: string): Recording => (cwd === "/app" ? "off" : "on");
    enqueueTurns(db, [1], NOW);
    expect(await enrichTurns(db, provider, 1, { settings, recording })).toMatchObject({ kind: "kept" });
    expect(loopback.asked).toEqual([]);
  });

  it("does not send a password in the server's address", async () => {
    const { db, settings } = await world([answer(GOOD)]);
    const own = { ...settings, baseUrl: "http://bob:open-sesame-42@127.0.0.1:9" };
    enqueueTurns(db, [1], NOW);
    await enrichTurns(db, openProvider(own, { KEY: "k" }) as Provider, 1, { settings: own });
    expect(JSON.stringify(db.all("SELECT * FROM model_pauses"))).not.toContain("open-sesame-42");
    expect(db.all("SELECT 1 FROM model_pauses")).toHaveLength(1);
  });

  it("that was forgotten while the model worked is not saved to another turn that got its ids", async () => {
    const { db, enrich } = await world([
      () => {
        // As if an older version of C-Mem had given the ids of the forgotten turn to the next one.
        db.run("UPDATE prompts SET text = 'Something else', created_at = created_at + 90000 WHERE id = 1");
        return answer(GOOD);
      },
    ]);
    expect(await enrich()).toMatchObject({ kind: "kept", message: expect.stringContaining("changed") });
    expect(currentVersions(db)).toEqual([{ title: OLD.title, producer: "extractor" }]);
  });

  it("whose evidence was forgotten while the model worked gets no version from the model", async () => {
    const { db, enrich } = await world([
      () => {
        db.run("DELETE FROM tool_uses WHERE id = 1");
        return answer(GOOD);
      },
    ]);
    expect(await enrich()).toMatchObject({ kind: "kept", message: expect.stringContaining("changed") });
    expect(observationsOfTurn(db, 1, 1).map((row) => row.producer)).toEqual(["extractor"]);
  });
});

describe("the budget", () => {
  it.each([
    [{ tokensPerDay: 0 }, "tokensPerDay"],
    [{ tokensPerDay: 3_000 }, "tokensPerDay"],
    [{ tokensPerProjectAndDay: 3_000 }, "tokensPerProjectAndDay"],
    [{ usdPerDay: 0.01 }, "usdPerDay"],
    [{ usdPerProjectAndDay: 0 }, "usdPerProjectAndDay"],
  ])("stops the request at %j: it waits until tomorrow, at most an hour at a time", async (limit, name) => {
    const { db, enrich, loopback } = await world([answer(GOOD)], limit);
    const wait = { kind: "later", afterMs: 3_600_000, counts: false, message: expect.stringContaining(name) };
    expect(await enrich()).toMatchObject(wait);
    expect(await enrich()).toMatchObject(wait);
    expect(loopback.asked).toEqual([]);
    expect(currentVersions(db)).toEqual([{ title: OLD.title, producer: "extractor" }]);
    expect(ledger(db)).toEqual([{ status: "declined", input_tokens: 0, output_tokens: 0, cost_microusd: 0 }]);
  });

  it("also stops the second request", async () => {
    const { db, enrich, loopback, provider, settings } = await world([{ kind: "words", text: "no" }]);
    const evidence = loadTurnEvidence(db, 1, 1) as TurnEvidence;
    const known = { text: "", notes: new Map(), openEnds: new Map() };
    const most = maximumCost(turnsRequest([{ evidence, record: turnRecord(evidence) }], known), provider, settings);
    const tokensPerDay = most.inputTokens + most.outputTokens;
    expect(await enrich({ settings: { tokensPerDay } })).toMatchObject({
      kind: "later",
      message: expect.stringContaining("budget"),
    });
    expect(loopback.asked).toHaveLength(1);
  });

  it("limits tokens if the price is unknown", async () => {
    const { db, enrich } = await world([answer(GOOD)], { model: "a-model-of-ones-own" });
    expect(await enrich()).toMatchObject({ kind: "saved" });
    expect(ledger(db)).toEqual([{ status: "spent", input_tokens: 321, output_tokens: 45, cost_microusd: null }]);
    db.run("UPDATE tool_uses SET output = 'more' WHERE id = 1");
    expect(await enrich({ settings: { tokensPerDay: 4_000 } })).toMatchObject({
      kind: "later",
      message: expect.stringContaining("budget"),
    });
  });

  it("uses the prices in the settings", async () => {
    const own = { model: "a-model-of-ones-own", prices: { "a-model-of-ones-own": "10/100" } };
    const { db, enrich } = await world([answer(GOOD)], own);
    expect(await enrich()).toMatchObject({ kind: "later", message: expect.stringContaining("budget") });
    expect(await enrich({ settings: { usdPerDay: 5, usdPerProjectAndDay: 5 } })).toMatchObject({ kind: "saved" });
    expect(ledger(db).at(-1)).toMatchObject({ cost_microusd: 321 * 10 + 45 * 100 });
  });

  it("starts again each day", async () => {
    const { db, enrich } = await world([answer(GOOD)]);
    await enrich();
    db.run("UPDATE ledger SET input_tokens = 1000000");
    db.run("UPDATE tool_uses SET output = 'more' WHERE id = 1");
    expect(await enrich()).toMatchObject({ message: expect.stringContaining("budget") });
    expect(await enrich({ at: NOW + 36 * 3_600_000 })).toMatchObject({ kind: "saved" });
  });
});

describe("when the model fails", () => {
  it("because it has no key, no requests follow until the settings change or the user retries", async () => {
    const { db, enrich, loopback, settings } = await world([{ kind: "status", status: 401 }, answer(GOOD)]);
    expect(await enrich()).toMatchObject({ kind: "later", counts: false, afterMs: 3_600_000 });
    expect(await enrich({ at: NOW + 30 * 86_400_000 })).toMatchObject({ kind: "later", counts: false });
    expect(loopback.asked).toHaveLength(1);
    const other = openProvider(settings, { KEY: "another" }) as Provider;
    expect(await enrichTurns(db, other, 1, { settings, now: () => NOW })).toMatchObject({ kind: "saved" });
    expect(ledger(db)[0]).toEqual({ status: "failed", input_tokens: 0, output_tokens: 0, cost_microusd: 0 });
  });

  it("a retry by the user sends a new request", async () => {
    const { db, enrich } = await world([{ kind: "status", status: 403 }, answer(GOOD)]);
    await enrich();
    expect(clearPauses(db)).toBe(1);
    expect(await enrich()).toMatchObject({ kind: "saved" });
  });

  it("because of a rate limit, all jobs wait as long as the server says", async () => {
    const limit: Scene = { kind: "status", status: 429, headers: { "retry-after": "90" } };
    const { enrich, loopback } = await world([limit, answer(GOOD)]);
    expect(await enrich()).toMatchObject({ kind: "later", afterMs: 90_000, counts: false });
    expect(await enrich({ at: NOW + 60_000 })).toMatchObject({ kind: "later", afterMs: 30_000 });
    expect(loopback.asked).toHaveLength(1);
    expect(await enrich({ at: NOW + 91_000 })).toMatchObject({ kind: "saved" });
  });

  it("jobs wait at most an hour, and send no requests during a longer pause", async () => {
    const limit: Scene = { kind: "status", status: 429, headers: { "retry-after": "999999" } };
    const { enrich, loopback } = await world([limit, limit]);
    expect(await enrich()).toMatchObject({ kind: "later", afterMs: 3_600_000 });
    expect(await enrich({ at: NOW + 3_600_000 })).toMatchObject({ kind: "later", afterMs: 3_600_000 });
    expect(loopback.asked).toHaveLength(1);
  });

  it("a pause written while the clock was ahead is ignored", async () => {
    const limit: Scene = { kind: "status", status: 429, headers: { "retry-after": "90" } };
    const { enrich, loopback } = await world([limit, answer(GOOD)]);
    await enrich({ at: NOW + 365 * 86_400_000 });
    expect(await enrich()).toMatchObject({ kind: "saved" });
    expect(loopback.asked).toHaveLength(2);
  });

  it("repeated failures lengthen the pauses up to 15 minutes, and an answer ends them", async () => {
    let isUp = false;
    const { db, enrich } = await world([() => (isUp ? answer(GOOD) : { kind: "status", status: 500 })]);
    const waits: number[] = [];
    let at = NOW;
    for (let round = 0; round < 7; round++) {
      const outcome = await enrich({ at });
      expect(outcome).toMatchObject({ kind: "later", counts: true });
      if (outcome.kind !== "later") return;
      waits.push(outcome.afterMs / 1000);
      at += outcome.afterMs;
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900]);
    isUp = true;
    expect(await enrich({ at })).toMatchObject({ kind: "saved" });
    expect(db.all("SELECT * FROM model_pauses")).toEqual([]);
  });

  it.each<[string, Scene, object]>([
    ["a refusal", { kind: "refusal" }, { status: "failed", input_tokens: 321 }],
    ["a cut answer", { kind: "truncated" }, { status: "failed", input_tokens: 321 }],
    ["a rejected request", { kind: "status", status: 400, message: "no" }, { status: "failed", input_tokens: 0 }],
  ])("with %s, the extractor's version stays and the actual cost is recorded", async (_, scene, entry) => {
    const { db, enrich } = await world([scene]);
    expect(await enrich()).toMatchObject({ kind: "kept" });
    expect(ledger(db).at(-1)).toMatchObject(entry);
    expect(currentVersions(db)).toEqual([{ title: OLD.title, producer: "extractor" }]);
  });

  it("after the request was sent, an estimated cost is recorded: the server may bill it", async () => {
    const { db, enrich } = await world([{ kind: "silence" }], { modelTimeoutSeconds: 0.3 });
    expect(await enrich()).toMatchObject({ kind: "later", counts: true });
    const [entry] = db.all<Record<string, number>>("SELECT * FROM ledger");
    expect(entry).toMatchObject({ status: "failed", is_estimate: 1, output_tokens: 5_000 });
    expect(entry?.["input_tokens"]).toBeGreaterThan(1_000);
    expect(costs(db, "total", { sinceDay: "2000-01-01" })).toMatchObject([{ failed: 1, estimated: 1 }]);
  });

  it.each<[string, Scene]>([
    ["a server error", { kind: "status", status: 500 }],
    ["a reply that does not follow the protocol", { kind: "nonsense" }],
  ])("with %s, no cost is recorded", async (_, scene) => {
    const { db, enrich } = await world([scene]);
    await enrich();
    expect(db.all("SELECT status, is_estimate, input_tokens, output_tokens FROM ledger")).toEqual([
      { status: "failed", is_estimate: 0, input_tokens: 0, output_tokens: 0 },
    ]);
  });

  it("because the worker stops, no attempt is counted", async () => {
    const { db, provider, settings } = await world([{ kind: "silence" }]);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    enqueueTurns(db, [1], NOW);
    const outcome = await enrichTurns(db, provider, 1, { settings, now: () => NOW, signal: stop.signal });
    expect(outcome).toMatchObject({ kind: "later", afterMs: 0, counts: false });
    expect(db.all("SELECT * FROM model_pauses")).toEqual([]);
  });
});
