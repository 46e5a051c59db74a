import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Db } from "../store/driver.ts";
import { updateSearchIndex } from "../store/search-index.ts";
import { type FindKind, findSessions } from "./find.ts";
import { searchTurns } from "./search.ts";
import { prompt, said, seedStore } from "../../test/seed.ts";
import { addTo, seededStore } from "../../test/seed-search.ts";

const found = (db: Db, text: string, options: { kind?: FindKind } = {}) => {
  const { findings, rung } = findSessions(db, text, { scope: {}, limit: 5, ...options });
  return { rung, sessions: findings.map(({ session }) => session.session_id) };
};

describe("search", () => {
  it("finds a session by what was asked, answered, run, printed and touched", () => {
    const db = seededStore();
    updateSearchIndex(db);
    expect(found(db, "why do the customers see a blank invoice?").sessions[0]).toBe("invoice");
    expect(found(db, "the locale was never loaded").sessions[0]).toBe("invoice");
    expect(found(db, "pnpm run render").sessions[0]).toBe("invoice");
    expect(found(db, "TypeError: formatter is not a function").sessions[0]).toBe("invoice");
    expect(found(db, "src/billing/invoice-view.ts").sessions[0]).toBe("invoice");
    expect(found(db, "deploy pipeline").sessions[0]).toBe("deploy");
    db.close();
  });

  it("splits names, folds endings, and climbs down to prefixes and typos", () => {
    const db = seededStore();
    updateSearchIndex(db);
    expect(found(db, "invoice view")).toMatchObject({ rung: "words", sessions: ["invoice"] });
    expect(found(db, "rendering invoices").sessions[0]).toBe("invoice");
    expect(found(db, "pipel")).toMatchObject({ rung: "prefix", sessions: ["deploy"] });
    expect(found(db, "custmoers").sessions[0]).toBe("invoice");
    expect(found(db, "pipelnie")).toMatchObject({ rung: "typo", sessions: ["deploy"] });
    expect(found(db, '"blank invoice"')).toMatchObject({ rung: "phrase", sessions: ["invoice"] });
    expect(found(db, "請求書").sessions[0]).toBe("cjk");
    expect(found(db, "qqqqzzzz").sessions).toEqual([]);
    db.close();
  });

  it("ranks a turn by what was said beside it, and quotes only what is its own", () => {
    const { db, add } = seedStore();
    add("a", prompt("Which wood for the table?"));
    add("a", prompt("Walnut, and oil on top"));
    add("b", prompt("Which table holds the invoices?"));
    add("c", prompt("Walnut shells block the drain"));
    updateSearchIndex(db);
    expect(found(db, "walnut table").sessions[0]).toBe("a");
    const phrase = findSessions(db, '"oil on top"', { scope: {}, limit: 5 });
    expect(phrase.findings.map(({ promptNumber }) => promptNumber)).toEqual([2]);
    const asked = searchTurns(db, "oil", { limit: 5, kind: "prompt" });
    expect(asked.turns.map(({ promptNumber }) => promptNumber)).toEqual([2]);
    db.close();
  });

  it("can be about one kind only", () => {
    const db = seededStore();
    updateSearchIndex(db);
    expect(found(db, "customers", { kind: "prompt" }).sessions).toEqual(["invoice"]);
    expect(found(db, "customers", { kind: "message" }).sessions).toEqual([]);
    expect(found(db, "locale", { kind: "message" }).sessions).toEqual(["invoice"]);
    expect(found(db, "formatter", { kind: "tool" }).sessions).toEqual(["invoice"]);
    expect(found(db, "invoice-view.ts", { kind: "file" }).sessions).toEqual(["invoice"]);
    expect(found(db, "invoice view", { kind: "file" }).sessions).toEqual(["invoice"]);
    expect(found(db, "billing/inv", { kind: "file" }).sessions).toEqual(["invoice"]);
    expect(found(db, "invoice_view", { kind: "file" }).sessions).not.toContain("deploy");
    db.close();
  });

  it("finds sessions by what they are called", () => {
    const { db, add } = seedStore();
    add("a", prompt("Rewrite the invoice renderer"), { branch: "feat/printing" });
    add("a", said("m1", "The deploy pipeline is untouched."), { branch: "feat/printing" });
    add("b", prompt("yes"));
    add("b", { kind: "title", title: "Deploy pipelineSetup for staging" });
    add("c", prompt("請求書を直す"));
    updateSearchIndex(db);
    const named = (text: string) => found(db, text, { kind: "session" });
    expect(named("invoices")).toEqual({ rung: "words", sessions: ["a"] });
    expect(named("deploy the pipeline")).toEqual({ rung: "words", sessions: ["b"] });
    expect(named("printing")).toEqual({ rung: "words", sessions: ["a"] });
    expect(named("setup")).toEqual({ rung: "words", sessions: ["b"] });
    expect(named('"invoice renderer"')).toEqual({ rung: "phrase", sessions: ["a"] });
    expect(named("pipel")).toEqual({ rung: "prefix", sessions: ["b"] });
    expect(named("invocie")).toEqual({ rung: "typo", sessions: ["a"] });
    expect(named("請求書").sessions).toEqual(["c"]);
    expect(named("qqqqzzzz").sessions).toEqual([]);
    expect(findSessions(db, "invoice", { scope: { agent: "codex" }, limit: 5, kind: "session" }).findings).toEqual([]);
    expect(findSessions(db, "invoice", { scope: {}, limit: 5, kind: "session" }).findings).toMatchObject([
      { kind: "session", role: null, item: "a", snippet: { text: "Rewrite the invoice renderer · feat/printing" } },
    ]);
    db.close();
  });

  it("sees what was written after the index was made", () => {
    const db = seededStore();
    updateSearchIndex(db);
    expect(updateSearchIndex(db)).toBe(0);
    addTo(db, "deploy", {
      kind: "message",
      uuid: "m9",
      promptId: "d1",
      role: "assistant",
      text: "The gatekeeper waits.",
    });
    expect(found(db, "gatekeeper").sessions).toEqual([]);
    expect(updateSearchIndex(db)).toBe(1);
    expect(found(db, "gatekeeper").sessions).toEqual(["deploy"]);
    db.close();
  });

  it("never throws, whatever is asked", () => {
    const db = seededStore();
    updateSearchIndex(db);
    const nasty = [
      '"',
      "'",
      "*",
      "NEAR(",
      "a AND OR NOT",
      "col:umn",
      "^x",
      "\0",
      "(((",
      "-",
      "x".repeat(100_000),
      '"a" "b',
    ];
    for (const text of nasty) expect(() => found(db, text)).not.toThrow("fts5");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        found(db, text);
      }),
      { numRuns: 200 },
    );
    db.close();
  });
});
