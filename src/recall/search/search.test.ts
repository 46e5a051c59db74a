import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Db } from "../../store/db/driver.ts";
import { countIndexGaps } from "../../store/fts/search-index.ts";
import { rebuildSearchIndex, updateSearchIndex } from "../../store/fts/search-index.ts";
import { type FindKind, findSessions } from "./find-sessions.ts";
import { searchSessions } from "./search.ts";
import { bash, ended, prompt, said, seedStore, touch } from "../../../test/seed.ts";
import { addTo, seededStore } from "../../../test/seed-search.ts";

const found = (db: Db, text: string, options: { kind?: FindKind } = {}) => {
  const { findings, rung } = findSessions(db, text, { scope: {}, limit: 5, ...options });
  return { rung, sessions: findings.map(({ session }) => session.session_id) };
};

describe("search", () => {
  it("finds a session by prompt, answer, command, output and file", () => {
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

  it("ranks the session that printed the same line above sessions that talk about it", () => {
    const { db, add } = seedStore();
    const long = (line: string): string => `${"ok compiled\n".repeat(200)}${line}\n${"ok linked\n".repeat(200)}`;
    add("printed", prompt("Build the shop"));
    add(
      "printed",
      bash("npm run build", long("cart.ts(3,4): error TS2339: Property 'total' does not exist on 'Cart'."), 1),
    );
    add("ports", prompt("Start it"));
    add("ports", bash("npm start", "Error: listen EADDRINUSE: address already in use :::3000", 1));
    for (const name of ["a", "b", "c"]) {
      add(
        name,
        prompt(
          "Which property has the total of a cart? Does the property exist in the build, an error, or an address?",
        ),
      );
      add(name, bash("npm test", "property total of cart does exist\naddress in use: none\nlisten", 0));
      add(name, ended("The cart's total property does exist; the address already is in use by listen."));
    }
    updateSearchIndex(db);
    expect(found(db, "src/cart.ts:9:1 - error TS2339: Property 'total' does not exist on 'Cart'.").sessions[0]).toBe(
      "printed",
    );
    expect(found(db, "Error: listen EADDRINUSE: address already in use :::5173").sessions[0]).toBe("ports");
    const pasted =
      "> shop@1.0.0 start\n\nError: listen EADDRINUSE: address already in use :::3000\n    at Server.listen\n";
    expect(found(db, pasted).sessions[0]).toBe("ports");
    db.close();
  });

  it("splits names, folds endings, and falls back to prefixes and typos", () => {
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

  it("ranks a turn higher if neighbouring turns match, and quotes only the turn's own text", () => {
    const { db, add } = seedStore();
    add("a", prompt("Which wood for the table?"));
    add("a", prompt("Walnut, and oil on top"));
    add("b", prompt("Which table holds the invoices?"));
    add("c", prompt("Walnut shells block the drain"));
    updateSearchIndex(db);
    expect(found(db, "walnut table").sessions[0]).toBe("a");
    const phrase = findSessions(db, '"oil on top"', { scope: {}, limit: 5 });
    expect(phrase.findings.map(({ promptNumber }) => promptNumber)).toEqual([2]);
    const asked = searchSessions(db, "oil", { limit: 5, kind: "prompt" }).hits.flatMap(({ turns }) => turns);
    expect(asked.map(({ promptNumber }) => promptNumber)).toEqual([2]);
    db.close();
  });

  it("can be limited to one kind", () => {
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

  it("lists files by path, each file of a session separately", () => {
    const { db, add } = seedStore();
    add("a", prompt("Draw the invoice"));
    add("a", touch("src/billing/invoice-view.ts"));
    add("a", touch("src/billing/invoice-rows.ts"));
    add("a", touch("src/billing/invoice-view.ts"));
    add("b", prompt("Print it"));
    add("b", touch("src/billing/invoice-view.ts"));
    const files = (text: string, limit = 5) =>
      findSessions(db, text, { scope: {}, limit, kind: "file" }).findings.map((finding) => [
        finding.session.session_id,
        finding.path,
        finding.kind,
        finding.role,
      ]);
    const pairs = [
      ["b", "src/billing/invoice-view.ts", "file", null],
      ["a", "src/billing/invoice-rows.ts", "file", null],
      ["a", "src/billing/invoice-view.ts", "file", null],
    ];
    expect(files("invoice").toSorted()).toEqual(pairs.toSorted());
    expect(files("invoice", 2)).toHaveLength(2);
    expect(files("invoice-view.ts").map(([session]) => session)).toEqual(["b", "a"]);
    expect(files(String.raw`billing\invoice-rows.ts`)).toEqual([pairs[1]]);
    const [top] = findSessions(db, "invoice view", { scope: {}, limit: 1, kind: "file" }).findings;
    expect(top).toMatchObject({ item: expect.stringMatching(/^t\d+$/), promptNumber: 1 });
    expect(top?.snippet).toEqual({
      text: "src/billing/invoice-view.ts",
      marks: [
        [12, 19],
        [20, 24],
      ],
    });
    db.close();
  });

  it("finds thinking, ranked below prompts, answers and tool uses", () => {
    const { db, add } = seedStore();
    add("thought", prompt("Which database?"));
    add("thought", said("m1", "SQLite it is.", "PostgreSQL would need a server, and users hate running a server."));
    add("answered", prompt("What runs the reports?"));
    add("answered", said("m2", "PostgreSQL."));
    updateSearchIndex(db);
    expect(found(db, "postgresql").sessions).toEqual(["answered", "thought"]);
    expect(found(db, "postgresql", { kind: "message" }).sessions).toEqual(["answered"]);
    expect(found(db, "postgresql", { kind: "thinking" }).sessions).toEqual(["thought"]);
    expect(found(db, "database", { kind: "thinking" }).sessions).toEqual([]);
    expect(found(db, '"hate running a server"')).toEqual({ rung: "phrase", sessions: ["thought"] });
    const [first] = findSessions(db, "users hate", { scope: {}, limit: 5 }).findings;
    expect(first).toMatchObject({ kind: "thinking", role: "assistant", item: "m1", promptNumber: 1 });
    expect(first?.snippet.text).toContain("users hate running a server");
    // If thinking and an answer both match, the answer is shown.
    const [second] = findSessions(db, "SQLite", { scope: {}, limit: 5 }).findings;
    expect(second?.kind).toBe("message");
    expect(searchSessions(db, "users hate", { limit: 5, without: ["thinking"] }).hits).toEqual([]);
    db.close();
  });

  it("does not find thinking that was changed or deleted", () => {
    const { db, add } = seedStore();
    add("s", prompt("Which database?"));
    add("s", said("m1", "SQLite.", "PostgreSQL needs a server."));
    add("s", said("m2", "Yes.", "MySQL does, too."));
    updateSearchIndex(db);
    db.run("UPDATE messages SET thinking = 'Oracle is expensive.' WHERE uuid = 'm1'");
    db.run("DELETE FROM messages WHERE uuid = 'm2'");
    const thought = (text: string) => found(db, text, { kind: "thinking" }).sessions;
    expect([thought("postgresql"), thought("mysql")]).toEqual([[], []]);
    updateSearchIndex(db);
    expect([thought("postgresql"), thought("oracle")]).toEqual([[], ["s"]]);
    rebuildSearchIndex(db);
    expect(thought("oracle")).toEqual(["s"]);
    expect(countIndexGaps(db)).toBe(0);
    db.run("DELETE FROM sessions");
    expect(db.get("SELECT count(*) AS n FROM thinking_fts_docsize")).toEqual({ n: 0 });
    db.close();
  });

  it("finds sessions by name", () => {
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

  it("finds rows written after the index was built", () => {
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

  it("never throws", () => {
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
