import { describe, expect, it } from "vitest";
import { DAY, ended, prompt, said, type Seeded, seedStore, START } from "../../../test/seed.ts";
import { EXTRACTOR, type Observation } from "../../core/memory.ts";
import { countIndexGaps, updateSearchIndex } from "../fts/search-index.ts";
import { exportRows } from "../reads/export-rows.ts";
import { insertObservation, setSuccessor } from "../tables/observations.ts";
import { setPinned } from "../tables/observation-edits.ts";
import { upsertSummary, WHOLE_SESSION } from "../tables/summaries.ts";
import { insertTombstone, tombstoneOf } from "../tables/tombstones.ts";
import { insertWrongItem } from "../tables/wrong-items.ts";
import type { Db } from "./driver.ts";
import { createMerge, MERGE_TABLES, type MergedRow, type MergeOutcome, type MergeTable } from "./merge.ts";
import { sql } from "./sql.ts";
import { transaction } from "./transaction.ts";

const NOTE: Observation = {
  type: "decision",
  title: "Use pnpm",
  narrative: "Use pnpm.",
  facts: [],
  concepts: [],
  files: [],
  evidence: [],
  origin: "user",
};

function turn({ add }: Seeded, session: string, text: string, at?: number): void {
  add(session, { kind: "prompt", text, promptId: `prompt ${text}` }, at === undefined ? {} : { at });
  add(session, said(`message after ${text}`, `About ${text}.`));
  const use = { name: "Bash", input: { command: `echo ${text}` }, output: text, isError: false, files: [] };
  add(session, { kind: "tool-use", toolUseId: `use ${text}`, ...use });
  add(session, ended("Done."));
}

function observe(
  db: Db,
  observation: Partial<Observation>,
  turnOf?: { sessionDbId: number; promptNumber: number },
): number {
  const seed = {
    projectId: 1,
    turn: turnOf,
    observation: { ...NOTE, ...observation },
    producer: EXTRACTOR,
    validFrom: 1,
  };
  return insertObservation(db, seed, 1);
}

/** Merges all rows of a database, like an import. */
function mergeAll(from: Db, into: Db): Record<MergeOutcome, number> {
  const outcomes = { added: 0, known: 0, refused: 0 };
  const merge = createMerge(into);
  transaction(into, () => {
    for (const { table, row } of exportRows(from)) outcomes[merge.add(table, row)] += 1;
    merge.finish();
  });
  return outcomes;
}

function addRow(db: Db, table: MergeTable, row: MergedRow): MergeOutcome {
  return transaction(db, () => createMerge(db).add(table, row));
}

const turnsOf = (db: Db, session: string) =>
  db.all(sql`SELECT p.prompt_number AS number, p.text, m.text AS message, t.output
    FROM sessions s JOIN prompts p ON p.session_db_id = s.id
      JOIN messages m ON m.session_db_id = s.id AND m.prompt_number = p.prompt_number
      JOIN tool_uses t ON t.session_db_id = s.id AND t.prompt_number = p.prompt_number
    WHERE s.session_id = ${session} ORDER BY p.prompt_number`);

const expectedTurn = (text: string, number: number) => ({ number, text, message: `About ${text}.`, output: text });

/** A database with at least one row in every table that is merged. */
function fullStore(): Seeded {
  const source = seedStore();
  const { db } = source;
  turn(source, "one", "first");
  turn(source, "one", "second");
  observe(db, { evidence: ["p1", "m1", "t1"] }, { sessionDbId: 1, promptNumber: 1 });
  db.exec(`INSERT INTO file_touches VALUES (1, 1, 1, 'src/a.ts', 'edit', 1, 0, NULL, ${START});
    INSERT INTO file_snapshots VALUES (1, 1, 1, 'src/b.ts', 'edit', NULL, ${START});
    INSERT INTO commits VALUES (1, 1, 1, 'c0ffee1', 'main', 'Fix it', ${START}, 'output', 1, NULL, NULL);
    INSERT INTO summaries VALUES (1, 1, 0, 1, 'title', NULL, 'r', 'i', 'l', 'c', 'n', '[]', '[]', '', '["line"]', '["p1"]', 'openai/m',
      NULL, 1, ${START});
    INSERT INTO injections VALUES (1, 1, 'session-start', '["o1"]', 10, 3, 0, ${START});
    INSERT INTO ledger (day, project_id, provider, model, purpose, request_hash, status, input_tokens, output_tokens, created_at)
      VALUES ('2026-01-05', 1, 'p', 'm', 'turn', 'h', 'spent', 1, 1, ${START})`);
  insertTombstone(db, tombstoneOf("session", "gone"), START);
  insertWrongItem(db, { item: "o1", projectId: 1, contentHash: "h" }, START);
  return source;
}

describe("a merge into an empty database", () => {
  it("copies every row of every table with its id; merging again changes nothing", () => {
    const source = fullStore();
    const { db } = seedStore();
    expect(mergeAll(source.db, db)).toMatchObject({ refused: 0, known: 0 });
    expect(mergeAll(source.db, db)).toMatchObject({ refused: 0, added: 0 });
    expect([...exportRows(db)]).toEqual([...exportRows(source.db)]);
    expect(new Set(Array.from(exportRows(db), ({ table }) => table))).toEqual(new Set(MERGE_TABLES));
  });
});

describe("a merge into a database with other sessions", () => {
  it("gives new ids to rows whose ids are taken, and translates references to them", () => {
    const [source, target] = [seedStore(), seedStore()];
    turn(source, "theirs", "first");
    observe(source.db, { evidence: ["p1", "m1", "t1", "t99"] }, { sessionDbId: 1, promptNumber: 1 });
    turn(target, "ours", "other");
    expect(mergeAll(source.db, target.db).refused).toBe(0);
    expect(turnsOf(target.db, "theirs")).toEqual(turnsOf(source.db, "theirs"));
    expect(turnsOf(target.db, "ours")).toHaveLength(1);
    // t99 does not exist in the source.
    expect(target.db.get(sql`SELECT session_db_id, evidence FROM observations`)).toEqual({
      session_db_id: 2,
      evidence: '["p2","m2","t2"]',
    });
  });

  it("numbers the turns of a shared session by time", () => {
    const [source, target] = [seedStore(), seedStore()];
    turn(source, "one", "first", START);
    turn(source, "one", "third", START + 2 * DAY);
    turn(target, "one", "second", START + DAY);
    turn(target, "one", "third", START + 2 * DAY);
    mergeAll(source.db, target.db);
    expect(turnsOf(target.db, "one")).toEqual(
      ["first", "second", "third"].map((text, index) => expectedTurn(text, index + 1)),
    );
    expect(target.db.value(sql`SELECT prompt_count FROM sessions`)).toBe(3);
  });

  it("keeps the last turn that a written summary of a shared session covers", () => {
    const [here, there] = [seedStore(), seedStore()];
    turn(here, "s", "early", START);
    turn(there, "s", "middle", START + DAY);
    turn(there, "s", "late", START + 2 * DAY);
    const summary = { request: "", investigated: "", learned: "", completed: "Done", nextSteps: "", notes: "" };
    const lists = { filesRead: [], filesEdited: [], handover: [], evidence: [] };
    const whole = { ...summary, ...lists, title: "Both", subtitle: "", lastPrompt: 2 };
    upsertSummary(there.db, { sessionDbId: 1, promptNumber: WHOLE_SESSION }, whole, { name: "openai/m" }, START);
    mergeAll(there.db, here.db);
    expect(here.db.column("SELECT last_prompt FROM summaries WHERE producer = 'openai/m'")).toEqual([3]);
  });

  it("does not reuse the id of a deleted row", () => {
    const [source, target] = [seedStore(), seedStore()];
    for (const { db, add } of [source, target]) {
      add("one", prompt("first"));
      observe(db, {});
    }
    target.db.run(sql`DELETE FROM observations`);
    mergeAll(source.db, target.db);
    expect(target.db.column(sql`SELECT id FROM observations`)).toEqual([2]);
  });

  it("gives a tool use a new id if the search index has passed its id", () => {
    const [source, target] = [seedStore(), seedStore()];
    turn(source, "theirs", "first");
    for (const text of ["one", "two"]) turn(target, "ours", text);
    updateSearchIndex(target.db);
    target.db.run(sql`DELETE FROM tool_uses WHERE id = 1`);
    mergeAll(source.db, target.db);
    updateSearchIndex(target.db);
    expect(target.db.column(sql`SELECT id FROM tool_uses`)).toEqual([2, 3]);
    expect(target.db.column(sql`SELECT rowid FROM tool_uses_fts WHERE tool_uses_fts MATCH 'first'`)).toEqual([3]);
  });

  it("matches a prompt without an id by its text and time", () => {
    const [source, target] = [seedStore(), seedStore()];
    source.add("one", prompt("only theirs"), { at: START });
    for (const { add } of [source, target]) {
      for (const at of [START + DAY, START + 2 * DAY]) {
        add("one", prompt("again"), { at });
        add("one", ended("Done."));
      }
    }
    mergeAll(source.db, target.db);
    expect(target.db.column(sql`SELECT text FROM prompts ORDER BY prompt_number`)).toEqual([
      "only theirs",
      "again",
      "again",
    ]);
  });

  it("fills in missing values and keeps existing ones", () => {
    const [source, target] = [seedStore(), seedStore()];
    turn(source, "one", "first");
    turn(target, "one", "first");
    source.db.run(sql`UPDATE sessions SET model = 'theirs', title = 'Their title'`);
    target.db.run(sql`UPDATE sessions SET model = NULL, title = 'Our title'`);
    mergeAll(source.db, target.db);
    expect(target.db.get(sql`SELECT model, title FROM sessions`)).toEqual({ model: "theirs", title: "Our title" });
  });

  it("makes the conversation the parent of a subagent's subagent", () => {
    const source = seedStore();
    turn(source, "one", "first");
    for (const [id, parent] of [
      ["agent-a", 1],
      ["agent-b", 2],
    ] as const)
      source.db
        .run(sql`INSERT INTO sessions (session_id, agent, project_id, parent_session_db_id, cwd, started_at, last_at)
        VALUES (${id}, 'claude-code', 1, ${parent}, '/app', 1, 1)`);
    const { db } = seedStore();
    mergeAll(source.db, db);
    const parents = sql`SELECT parent_session_db_id FROM sessions ORDER BY session_id`;
    expect(db.column(parents)).toEqual([1, 1, null]);
  });
});

describe("a merged observation", () => {
  it("that exists already gets a pin and a later edit, and the new text is indexed", () => {
    const [source, target] = [seedStore(), seedStore()];
    for (const { db, add } of [source, target]) {
      add("one", prompt("first"));
      observe(db, {});
    }
    source.db.run(sql`UPDATE observations SET title = 'Use bun', edited_at = ${START}`);
    setPinned(source.db, 1, true);
    mergeAll(source.db, target.db);
    expect(target.db.all(sql`SELECT title, pinned, edited_at FROM observations`)).toEqual([
      { title: "Use bun", pinned: 1, edited_at: START },
    ]);
    expect(target.db.has(sql`SELECT 1 FROM observations_fts WHERE observations_fts MATCH 'bun'`)).toBe(true);
    // An older edit does not replace a newer one.
    target.db.run(sql`UPDATE observations SET title = 'Use npm', edited_at = ${START + 1}`);
    mergeAll(source.db, target.db);
    expect(target.db.value(sql`SELECT title FROM observations`)).toBe("Use npm");
  });

  it("is superseded by the same observation as before", () => {
    const [source, target] = [seedStore(), seedStore()];
    source.add("one", prompt("first"));
    const [older, newer] = [observe(source.db, { title: "Older" }), observe(source.db, { title: "Newer" })];
    setSuccessor(source.db, older, { id: newer, at: 2 });
    target.add("two", prompt("other"));
    observe(target.db, { title: "Unrelated" });
    mergeAll(source.db, target.db);
    const titles = sql`SELECT n.title FROM observations o JOIN observations n ON n.id = o.superseded_by WHERE o.title = 'Older'`;
    expect(target.db.value(titles)).toBe("Newer");
  });
});

describe("a merge that was killed", () => {
  it("after any row is completed by the next one: turns are ordered, indexed and marked to be derived", () => {
    const source = fullStore();
    turn(source, "one", "fourth", START + 3 * DAY);
    const rows = [...exportRows(source.db)];
    for (let merged = 0; merged <= rows.length; merged++) {
      const target = seedStore();
      turn(target, "one", "third", START + 2 * DAY);
      const { db } = target;
      const isMarked = sql`SELECT count(*) FROM prompts p LEFT JOIN stale_memory m ON m.prompt_db_id = p.id WHERE m.prompt_db_id IS NULL`;
      const killed = createMerge(db);
      transaction(db, () => {
        for (const { table, row } of rows.slice(0, merged)) killed.add(table, row);
      });
      mergeAll(source.db, db);
      updateSearchIndex(db);
      expect({ merged, gaps: countIndexGaps(db), unmarked: db.value(isMarked), turns: turnsOf(db, "one") }).toEqual({
        merged,
        gaps: 0,
        unmarked: 0,
        turns: ["first", "second", "third", "fourth"].map((text, index) => expectedTurn(text, index + 1)),
      });
      expect(db.get(sql`SELECT prompt_count FROM sessions WHERE session_id = 'one'`)).toEqual({ prompt_count: 4 });
    }
  });

  it("by a full disk throws and does not refuse the row", () => {
    const source = fullStore();
    const { db } = seedStore();
    db.exec(`PRAGMA max_page_count = ${db.value<number>(sql`PRAGMA page_count`)}`);
    source.db.run(sql`UPDATE prompts SET text = ${"x".repeat(1_000_000)} WHERE id = 1`);
    expect(() => mergeAll(source.db, db)).toThrow(/full/);
    db.exec("PRAGMA max_page_count = 1000000");
    expect([...exportRows(db)]).toEqual([]);
    expect(mergeAll(source.db, db)).toMatchObject({ refused: 0, known: 0 });
  });
});

describe("a row that cannot be merged", () => {
  const SESSION = { id: 7, session_id: "s", agent: "a", project_id: 1, cwd: "/", started_at: START, last_at: START };

  it.each<[string, MergeTable, MergedRow]>([
    ["a session of a project that was not merged", "sessions", SESSION],
    ["a project without a name", "projects", { id: 1, key: "k" }],
    [
      "a project with an impossible creation time",
      "projects",
      { id: 1, key: "k", name: "n", root: "/", created_at: 1e300 },
    ],
    ["an observation whose facts are not a list", "observations", { ...NOTE, facts: "{}" }],
    ["a value SQLite has no type for", "projects", { id: 1, key: { a: 1 }, name: "n", root: "/", created_at: START }],
  ])("is refused: %s", (_, table, row) => {
    const { db } = seedStore();
    expect(addRow(db, table, row)).toBe("refused");
    expect([...exportRows(db)]).toEqual([]);
  });
});

it("merges tombstones", () => {
  const [source, target] = [seedStore(), seedStore()];
  insertTombstone(source.db, tombstoneOf("session", "one"), START);
  expect(mergeAll(source.db, target.db)).toEqual({ added: 1, known: 0, refused: 0 });
  expect(mergeAll(source.db, target.db)).toEqual({ added: 0, known: 1, refused: 0 });
});
