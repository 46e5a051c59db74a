// Links depend only on evidence, not on the order in which it arrives.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bash, DAY, ended, MINUTE, prompt, type Seeded, seedStore, START, touch } from "../../../test/seed.ts";
import type { Activity, CapturedEvent } from "../../core/event.ts";
import type { Db } from "../../store/db/driver.ts";
import { emptyDeletionSet } from "../../upkeep/erase/deletion-set.ts";
import { clearStaleLinks } from "../../store/tables/stale-links.ts";
import { forget } from "../../upkeep/erase/forget.ts";
import { rebuildMemory } from "../derive.ts";
import { updateLinks } from "./update-links.ts";

type Row = { source_id: string; target_id: string; relationship: string; weight: number };

function linkAll(db: Db): void {
  updateLinks(db, { maxMs: Infinity });
}

function between(db: Db, relationship = "continues"): [string, string, number][] {
  const rows = db.all<Row>(
    `SELECT source_id, target_id, weight FROM links
     WHERE source_type = 'session' AND target_type = 'session' AND relationship = ? ORDER BY source_id, target_id`,
    relationship,
  );
  return rows.map(({ source_id, target_id, weight }) => [source_id, target_id, weight]);
}

/** Adds sessions about other topics: a file or word can only be rare among many sessions. */
function addOthers({ add }: Seeded, count = 12): void {
  for (let index = 0; index < count; index += 1) {
    add(`other${index}`, prompt(`Do thing${index} with widget${index}`), { at: START + index * MINUTE });
    add(`other${index}`, touch(`lib/${index}.ts`));
    add(`other${index}`, touch("CHANGELOG.md"));
  }
}

it("updating links stops at marks without a session", () => {
  const { db, add } = seedStore();
  add("one", prompt("Go"));
  db.exec("PRAGMA foreign_keys = OFF; INSERT INTO stale_links VALUES (999, NULL); PRAGMA foreign_keys = ON");
  expect(updateLinks(db, { maxMs: 5_000 })).toBe(1);
  db.close();
});

describe("a session continues", () => {
  const PLAN = { kind: "origin", plan: "calm-blue-sea" } as const;

  it("the session whose plan it carries out, whose transcript it names, or from which it was forked", () => {
    const { db, add } = seedStore();
    const id = "0b7e2a54-1111-4222-8333-444455556666";
    add(id, prompt("Make a plan"));
    add(id, PLAN);
    add("carries", prompt("Carry it out"));
    add("carries", PLAN);
    add("reads", prompt(`More is in /x/${id}.jsonl`));
    add("forks", prompt("Try another way"));
    add("forks", { kind: "origin", forkedFrom: "reads" });
    add("names", prompt(`Go on with ${id}`));
    linkAll(db);
    expect(between(db)).toEqual([
      ["carries", id, 0.95],
      ["forks", "reads", 1],
      ["names", id, 0.9],
      ["reads", id, 1],
    ]);
    db.close();
  });

  it("the previous session on its branch, if one of the two changed files", () => {
    const { db, add } = seedStore();
    const on = { branch: "feat/login" };
    add("a", prompt("Add the login form"), on);
    add("a", touch("login.ts"), on);
    add("b", prompt("now the tests"), on);
    add("c", prompt("unrelated"), { branch: "fix/other" });
    add("late", prompt("and again"), { ...on, at: START + 30 * DAY });
    add("x", prompt("hello"), { branch: "try", at: START + 31 * DAY });
    add("y", prompt("hello"), { branch: "try" });
    linkAll(db);
    expect(between(db).map(([source, target]) => [source, target])).toEqual([["b", "a"]]);
    db.close();
  });

  it("on the trunk, the session with the same rare files and words", () => {
    const seeded = seedStore();
    const { db, add } = seeded;
    addOthers(seeded);
    add("a", prompt("Add a parser for invoices"), { at: START + DAY });
    add("a", touch("src/invoice.ts"));
    add("a", touch("CHANGELOG.md"));
    add("b", prompt("The invoice parser drops the last line"), { at: START + DAY + 60 * MINUTE });
    add("b", touch("src/invoice.ts"));
    add("words", prompt("What is an invoice parser?"));
    add("common", prompt("Release it"));
    add("common", touch("CHANGELOG.md"));
    linkAll(db);
    expect(between(db).map(([source, target]) => [source, target])).toEqual([["b", "a"]]);
    db.close();
  });

  it("no session of a different branch", () => {
    const seeded = seedStore();
    const { db, add } = seeded;
    addOthers(seeded);
    add("a", prompt("Add a parser for invoices"), { at: START + DAY, branch: "feat/a" });
    add("a", touch("src/invoice.ts"), { branch: "feat/a" });
    add("b", prompt("Rework the invoice parser"), { branch: "feat/b" });
    add("b", touch("src/invoice.ts"), { branch: "feat/b" });
    linkAll(db);
    expect(between(db)).toEqual([]);
    expect(between(db, "related_to").map(([source, target]) => [source, target])).toEqual([["b", "a"]]);
    db.close();
  });
});

it("a session references what it made and mentions what its prompts name", () => {
  const { db, add } = seedStore(undefined, {
    project: { key: "k", name: "app", root: "/app", remote: "https://github.com/me/app" },
  });
  add("a", prompt("Fix #12 in src/a.ts, see https://example.org/x"));
  add("a", bash("git commit -m y", "[feat abc1234] Do it"));
  add("a", bash("gh pr create --fill", "https://github.com/me/app/pull/13"));
  linkAll(db);
  const rows = db.all<{ relationship: string; target: string }>(
    `SELECT relationship, target_type || ' ' || target_id AS target FROM links WHERE target_type <> 'term'
     ORDER BY relationship, target`,
  );
  expect(rows.map(({ relationship, target }) => `${relationship} ${target}`)).toEqual([
    "mentions file src/a.ts",
    "mentions issue me/app#12",
    "mentions url https://example.org/x",
    "references branch feat",
    "references branch main",
    "references commit abc1234",
    "references issue me/app#13",
  ]);
  db.close();
});

describe("forgetting a session", () => {
  it("deletes its links, and no new ones are made if other sessions name it", () => {
    const { db, add } = seedStore();
    const id = "0b7e2a54-1111-4222-8333-444455556666";
    add(id, prompt("Look at src/secret.ts"));
    add("reads", prompt(`More is in /x/${id}.jsonl, about src/open.ts`));
    linkAll(db);
    expect(between(db)).toEqual([["reads", id, 1]]);
    const row = db.get<{ id: number }>("SELECT id FROM sessions WHERE session_id = ?", id);
    forget(db, { ...emptyDeletionSet(), sessions: new Set([row?.id ?? 0]) }, START);
    linkAll(db);
    expect(db.all("SELECT DISTINCT source_id FROM links")).toEqual([{ source_id: "reads" }]);
    expect(db.get("SELECT 1 FROM links WHERE target_id = ?", id)).toBeUndefined();
    for (const _ of rebuildMemory(db, { now: START }));
    expect(db.get("SELECT 1 FROM links WHERE target_id = ?", id)).toBeUndefined();
    db.close();
  });

  it("keeps the links of other sessions", () => {
    const { db, add } = seedStore();
    add("a", prompt("Look at src/secret.ts"));
    add("a", prompt("Look at src/open.ts"));
    linkAll(db);
    const row = db.get<{ id: number }>("SELECT id FROM prompts WHERE prompt_number = 1");
    forget(db, { ...emptyDeletionSet(), prompts: new Set([row?.id ?? 0]) }, START);
    expect(db.get("SELECT 1 FROM links WHERE target_id = 'src/secret.ts'")).toBeUndefined();
    linkAll(db);
    expect(db.all("SELECT target_id FROM links WHERE target_type = 'file'")).toEqual([{ target_id: "src/open.ts" }]);
    db.close();
  });
});

describe("links", () => {
  const SUBJECTS = ["invoice parser", "login form", "search index"];
  /** Sessions that are linked by plans, branches, shared files and words. */
  const sessions = Array.from({ length: 14 }, (_, index) => {
    const branch = index % 4 === 0 ? "feat/x" : "main";
    const at = START + index * 7 * 60 * MINUTE;
    const subject = SUBJECTS[index % 3] ?? "";
    const event = (activity: Activity, minutes: number): [string, Activity, Partial<CapturedEvent>] => [
      `s${index}`,
      activity,
      { at: at + minutes * MINUTE, branch },
    ];
    return [
      event(prompt(`Work on the ${subject}, part ${index}`), 0),
      event(touch(`src/${subject.replace(" ", "-")}.ts`), 1),
      event(touch(`src/${index % 5}.ts`), 2),
      ...(index % 6 > 3 ? [event({ kind: "origin", plan: `plan${Math.floor(index / 6)}` }, 3)] : []),
      event(ended("Done."), 4),
      event(prompt(`And src/${index % 5}.ts again, for #${index % 4}`), 200),
      event(touch("CHANGELOG.md"), 201),
    ];
  });
  const rows = (db: Db): unknown[] =>
    db.all(
      `SELECT source_id, target_type, target_id, relationship, weight, created_at FROM links
       WHERE source_type = 'session' ORDER BY source_id, target_type, target_id, relationship`,
    );
  const inOrder = seedStore();
  for (const events of sessions) for (const one of events) inOrder.add(...one);
  linkAll(inOrder.db);
  const expected = rows(inOrder.db);

  it("are the same in any order of sessions, updated after each or at the end", () => {
    expect(between(inOrder.db).length).toBeGreaterThan(5);
    const order = fc.shuffledSubarray(
      sessions.map((_, index) => index),
      { minLength: sessions.length },
    );
    fc.assert(
      fc.property(order, fc.array(fc.boolean(), { minLength: 14, maxLength: 14 }), (arrival, pauses) => {
        const { db, add } = seedStore();
        for (const [step, index] of arrival.entries()) {
          for (const one of sessions[index] ?? []) add(...one);
          if (pauses[step]) linkAll(db);
        }
        linkAll(db);
        expect(rows(db)).toEqual(expected);
        db.close();
      }),
      { numRuns: 15 },
    );
  });

  it("are the same if turns of several sessions alternate, updated after each", () => {
    const { db, add } = seedStore();
    const events = sessions.flat().toSorted((a, b) => (a[2].at ?? 0) - (b[2].at ?? 0));
    for (const one of events) {
      add(...one);
      linkAll(db);
    }
    expect(rows(db)).toEqual(expected);
    for (const _ of rebuildMemory(db, { now: START }));
    expect(rows(db)).toEqual(expected);
    db.close();
  });

  it("of a continued session are updated, but not those of sessions that began before its new turn", () => {
    const { db, add } = seedStore();
    for (const session of sessions) for (const one of session) add(...one);
    linkAll(db);
    add("s0", prompt("Taken up again"), { at: START + 20 * DAY, branch: "feat/x" });
    expect(updateLinks(db, { maxMs: Infinity })).toBe(1);
    expect(updateLinks(db, { maxMs: Infinity })).toBe(0);
    db.close();
  });

  it("of a session that changed meanwhile stay stale", () => {
    const { db, add } = seedStore();
    add("s1", prompt("Begin"), {});
    const id = db.get<{ id: number }>("SELECT id FROM sessions")?.id ?? 0;
    clearStaleLinks(db, id);
    expect(updateLinks(db, { maxMs: Infinity })).toBe(1);
    expect(updateLinks(db, { maxMs: Infinity })).toBe(0);
    db.close();
  });
});
