import { describe, expect, it } from "vitest";
import { DAY, ended, prompt, said, type Seeded, seedStore, START } from "../../../test/seed.ts";
import { EXTRACTOR, type Observation } from "../../core/memory.ts";
import { exportRows } from "../reads/export-rows.ts";
import { insertObservation, setSuccessor } from "../tables/observations.ts";
import { setPinned } from "../tables/observation-edits.ts";
import { insertTombstone, tombstoneOf } from "../tables/tombstones.ts";
import type { Db } from "./driver.ts";
import { createMerge, type MergedRow, type MergeOutcome, type MergeTable } from "./merge.ts";
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

/** Merges all rows, as an import does. */
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

describe("a merge into an empty database", () => {
  it("copies every row with its id, and a second one changes nothing", () => {
    const source = seedStore();
    turn(source, "one", "first");
    turn(source, "one", "second");
    observe(source.db, { evidence: ["p1", "m1", "t1"] }, { sessionDbId: 1, promptNumber: 1 });
    const { db } = seedStore();
    expect(mergeAll(source.db, db)).toMatchObject({ refused: 0, known: 0 });
    expect(mergeAll(source.db, db)).toMatchObject({ refused: 0, added: 0 });
    for (const table of ["sessions", "prompts", "messages", "tool_uses", "observations"] as const)
      expect([...exportRows(db)].filter((row) => row.table === table)).toEqual(
        [...exportRows(source.db)].filter((row) => row.table === table),
      );
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
    // t99 was not in the source.
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
      ["first", "second", "third"].map((text, index) => ({
        number: index + 1,
        text,
        message: `About ${text}.`,
        output: text,
      })),
    );
    expect(target.db.value(sql`SELECT prompt_count FROM sessions`)).toBe(3);
  });

  it("fills in missing values, and keeps the known ones", () => {
    const [source, target] = [seedStore(), seedStore()];
    turn(source, "one", "first");
    turn(target, "one", "first");
    source.db.run(sql`UPDATE sessions SET model = 'theirs', title = 'Their title'`);
    target.db.run(sql`UPDATE sessions SET model = NULL, title = 'Our title'`);
    mergeAll(source.db, target.db);
    expect(target.db.get(sql`SELECT model, title FROM sessions`)).toEqual({ model: "theirs", title: "Our title" });
  });

  it("puts a subagent of a subagent below the conversation", () => {
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
  it("that is known takes over a pin and a later edit, and is indexed by the new text", () => {
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
    // An older edit does not come back.
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
