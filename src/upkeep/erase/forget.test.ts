import { mkdirSync, mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bash, prompt, said, seedStore } from "../../../test/seed.ts";
import { AGENTS } from "../../agents/spec.ts";
import { startSync, syncTranscripts } from "../../capture/sync/sync.ts";
import { resolvePaths } from "../../config/paths.ts";
import { EXTRACTOR, type Observation, type Summary } from "../../core/memory.ts";
import { type DeletionSet, emptyDeletionSet } from "./deletion-set.ts";
import type { Db } from "../../store/db/driver.ts";
import { isUnclean, overwriteDeleted, scrub } from "./erase-rows.ts";
import { getObservation } from "../../store/tables/observations.ts";
import { openStore } from "../../store/db/open.ts";
import { insertReply } from "../../store/tables/model-replies.ts";
import { updateSearchIndex } from "../../store/fts/search-index.ts";
import { staleSessions } from "../../store/tables/stale-turns.ts";
import { deriveSession, rebuildMemory } from "../../memory/derive.ts";
import { forget } from "./forget.ts";
import { remember, supersede } from "../../memory/user-edits.ts";
import { saveSessionSummary } from "../../memory/save-session.ts";
import { saveTurnMemory } from "../../memory/save-turn.ts";
import { piecesOf, verifyErased } from "./verify-erased.ts";

const NOW = Date.UTC(2026, 5, 1);

/** Unique words that no stemmer changes: "qzaaaxqvxq", "qzaabxqvxq", … */
const mark = (number: number): string =>
  `qz${[...number.toString(36).padStart(3, "0")].map((digit) => "abcdefghijklmnopqrstuvwxyz0123456789"[parseInt(digit, 36)]).join("")}xqvxq`;

interface Item {
  id: "prompt" | "message" | "tool";
  turn: number;
  marks: string[];
  lines: string[];
}

/** Four turns, each with a message, a tool use and a response; every item has unique words. */
function conversation(): Item[] {
  const items: Item[] = [];
  let count = 0;
  const add = (id: Item["id"], turn: number, marks: number, lines: (marks: string[]) => object[]): void => {
    const own = Array.from({ length: marks }, () => mark(count++));
    const at = new Date(NOW + count * 60_000).toISOString();
    const base = { cwd: "/gone/app", sessionId: "s", timestamp: at, version: "2.1.0" };
    items.push({ id, turn, marks: own, lines: lines(own).map((line) => JSON.stringify({ ...base, ...line })) });
  };
  for (const turn of [1, 2, 3, 4]) {
    const promptId = `p${turn}`;
    const says = (id: string, text: string) => ({
      type: "assistant",
      message: { id, role: "assistant", content: [{ type: "text", text }] },
    });
    add("prompt", turn, 1, ([a]) => [
      {
        type: "user",
        uuid: `u${turn}`,
        promptId,
        message: { content: `Please look at src/${a}.ts and say why ${a} fails` },
      },
    ]);
    add("message", turn, 1, ([a]) => [says(`m${turn}a`, `I will look at ${a} now, because ${a} is odd.`)]);
    add("tool", turn, 2, ([a, b]) => [
      {
        type: "assistant",
        message: {
          id: `m${turn}t`,
          role: "assistant",
          content: [{ type: "tool_use", id: `t${turn}`, name: "Bash", input: { command: `git commit -m "${a}"` } }],
        },
      },
      {
        type: "user",
        uuid: `r${turn}`,
        promptId,
        message: { content: [{ type: "tool_result", tool_use_id: `t${turn}`, content: `[main 1a2b3c${turn}] ${b}` }] },
      },
    ]);
    add("message", turn, 1, ([a]) => [says(`m${turn}z`, `We decided to use ${a} from now on. It works.`)]);
  }
  return items;
}

interface Machine {
  db: Db;
  home: string;
  database: string;
  write(items: readonly Item[]): void;
  sync(force?: boolean): void;
  contents(): unknown;
  bytes(): string;
}

function machine(): Machine {
  const root = mkdtempSync(join(tmpdir(), "c-mem-forget-"));
  const env = { HOME: root, CLAUDE_CONFIG_DIR: join(root, "claude") };
  const folder = join(env.CLAUDE_CONFIG_DIR, "projects", "-gone-app");
  mkdirSync(folder, { recursive: true });
  const paths = resolvePaths({ C_MEM_HOME: join(root, "home") });
  const db = openStore(paths.database);
  let version = 0;
  return {
    db,
    home: paths.home,
    database: paths.database,
    write(items) {
      const path = join(folder, "s.jsonl");
      writeFileSync(path, `${items.flatMap((item) => item.lines).join("\n")}\n`);
      utimesSync(path, 1_700_000_000, 1_700_000_000 + ++version);
    },
    sync(force = false) {
      const context = startSync(db, paths, env, { force });
      const transcripts = AGENTS.flatMap(({ sources }) =>
        sources.flatMap(({ find, reader }) => find(env).map((file) => ({ file, reader }))),
      );
      for (const _ of syncTranscripts(db, transcripts, context));
      for (const { id } of staleSessions(db)) deriveSession(db, id, NOW);
      updateSearchIndex(db);
    },
    contents: () => [
      db.all("SELECT prompt_number, text, response FROM prompts ORDER BY prompt_number"),
      db.all("SELECT prompt_number, uuid, text FROM messages ORDER BY created_at, id"),
      db.all("SELECT prompt_number, tool_use_id, output FROM tool_uses ORDER BY created_at, id"),
      db.all("SELECT sha, subject, prompt_number FROM commits ORDER BY sha"),
      db.all("SELECT prompt_count, title, subtitle FROM sessions"),
      db.all("SELECT target_id FROM links WHERE source_type = 'session' ORDER BY target_id"),
      db.all("SELECT prompt_number, title, narrative, facts FROM observations ORDER BY prompt_number, content_hash"),
      db.all("SELECT prompt_number, request, learned, completed FROM summaries ORDER BY prompt_number"),
    ],
    bytes: () =>
      readdirSync(paths.home)
        .map((name) => readFileSync(join(paths.home, name), "latin1"))
        .join(""),
  };
}

const INDEXES = ["turns_fts", "tool_uses_fts", "thinking_fts", "observations_fts", "prompts_trigram"];

/** Every word of every index, as FTS5 itself lists them. */
function vocabulary(db: Db): string[] {
  return INDEXES.flatMap((index) => {
    db.exec(`CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', '${index}', 'row')`);
    const rows = db.all<{ term: string }>(`SELECT term FROM temp.words /* ${index}: a statement of its own */`);
    db.exec("DROP TABLE temp.words");
    return rows.map((row) => row.term);
  });
}

function choose(db: Db, chosen: readonly Item[]): DeletionSet {
  const deletion = emptyDeletionSet();
  for (const { id, marks } of chosen) {
    const like = `%${marks[0]}%`;
    const one = (sql: string): number => db.get<{ id: number }>(sql, like)?.id ?? 0;
    if (id === "prompt") deletion.prompts.add(one("SELECT id FROM prompts WHERE text LIKE ?"));
    if (id === "message") deletion.messages.add(one("SELECT id FROM messages WHERE text LIKE ?"));
    if (id === "tool") deletion.tool_uses.add(one("SELECT id FROM tool_uses WHERE input LIKE ?"));
  }
  return deletion;
}

describe("a forgotten item", () => {
  it("is in no byte and no index, never comes back, and the rest is as if it had never existed", () => {
    const items = conversation();
    fc.assert(
      fc.property(
        fc.subarray(
          items.map((_, index) => index),
          { minLength: 1 },
        ),
        fc.integer({ min: 1, max: items.length }),
        (numbers, cut) => {
          const { db, write, sync, contents, bytes } = machine();
          write(items);
          sync();
          const chosen = numbers.map((number) => items[number] as Item);
          const turns = new Set(chosen.filter(({ id }) => id === "prompt").map(({ turn }) => turn));
          const isGone = (item: Item): boolean => chosen.includes(item) || turns.has(item.turn);
          const deletion = choose(db, chosen);
          // Leave words of deleted rows in free pages.
          db.exec(
            "CREATE TABLE before AS SELECT text FROM prompts UNION ALL SELECT text FROM messages; DROP TABLE before",
          );
          overwriteDeleted(db);
          forget(db, deletion, NOW);
          updateSearchIndex(db);
          expect(scrub(db)).toBe(true);
          const gone = items.filter(isGone).flatMap((item) => item.marks);
          const expectGone = (): void => {
            const all = bytes();
            const words = new Set(vocabulary(db));
            const isFound = (word: string): boolean =>
              db.get("SELECT 1 FROM prompts_trigram WHERE prompts_trigram MATCH ?", word) !== undefined;
            expect(gone.filter((word) => all.includes(word) || words.has(word) || isFound(word))).toEqual([]);
          };
          expectGone();
          const after = contents();
          sync(true);
          expect(contents()).toEqual(after);
          // Truncate the transcript, then write all of it again.
          write(items.slice(0, cut));
          sync();
          write(items);
          sync();
          const rebuild = rebuildMemory(db, { now: NOW });
          while (!rebuild.next().done);
          expectGone();
          expect(strip(contents())).toEqual(strip(after));
          const other = machine();
          other.write(items.filter((item) => !isGone(item)));
          other.sync();
          if (items.some((item) => item.id === "prompt" && !isGone(item))) {
            expect(JSON.stringify(strip(contents()))).toEqual(JSON.stringify(strip(other.contents())));
          }
          db.close();
          other.db.close();
        },
      ),
      { numRuns: 12 },
    );
  });
});

/** Removes responses: a turn that is read again without its last message gets the previous one as its response. */
function strip(contents: unknown): unknown {
  const [prompts, messages, uses, commits] = contents as [{ response: null }[], ...unknown[]];
  return [prompts.map((row) => ({ ...row, response: null })), messages, uses, commits];
}

const SUMMARY: Summary = {
  request: "",
  investigated: "",
  learned: "",
  completed: "",
  nextSteps: "",
  filesRead: [],
  filesEdited: [],
  notes: "",
  evidence: ["p1"],
};

function note(title: string, extra: Partial<Observation> = {}): Observation {
  return {
    type: "decision",
    title,
    narrative: `${title}.`,
    facts: [],
    concepts: [],
    files: [],
    evidence: ["p1"],
    origin: "user",
    ...extra,
  };
}

function store(): { db: Db; home: string; derive: (turn: number, ...observations: Observation[]) => void } {
  const home = mkdtempSync(join(tmpdir(), "c-mem-forget-"));
  const { db, add } = seedStore(join(home, "c-mem.db"));
  add("a", prompt("Build the thing that no one has built"));
  add("a", bash("npm run build", "Exit code 1\nError: no", 1));
  add("a", prompt("And now the tests of that thing"));
  add("a", said("u1", "The tests are there and they pass."));
  add("a", bash("npm test", "passed"), { agentId: "sub" });
  return {
    db,
    home,
    derive: (turn, ...observations) =>
      saveTurnMemory(db, { sessionDbId: 1, promptNumber: turn }, { observations, summary: SUMMARY }, EXTRACTOR, NOW),
  };
}

const only = (deletion: Partial<DeletionSet>): DeletionSet => ({ ...emptyDeletionSet(), ...deletion });

describe("forgetting an observation", () => {
  it("deletes all observations with its text and prevents deriving them again", () => {
    const { db, derive } = store();
    derive(1, note("Say it twice"), note("Another"));
    derive(2, note("Say it twice"));
    const { removed } = forget(db, only({ observations: new Set([1]) }), NOW);
    expect(removed).toMatchObject({ observations: 2, prompts: 0 });
    derive(2, note("Say it twice"), note("New"));
    expect(db.all("SELECT title FROM observations ORDER BY id")).toEqual([{ title: "Another" }, { title: "New" }]);
    remember(db, 1, note("Say it twice", { evidence: [] }), NOW);
    expect(db.all("SELECT 1 FROM observations WHERE title = 'Say it twice'")).toHaveLength(1);
  });

  it("makes the observation it superseded current again, by subject and by hand", () => {
    const { db, derive } = store();
    derive(1, note("Use npm", { subject: "packages" }));
    derive(2, note("Use pnpm", { subject: "packages", evidence: ["p2"] }));
    for (const title of ["Old", "New"]) remember(db, 1, note(title), NOW);
    supersede(db, 3, 4, NOW);
    forget(db, only({ observations: new Set([2, 4]) }), NOW);
    for (const id of [1, 3]) {
      expect(getObservation(db, id)).toMatchObject({ superseded_by: null, superseded_at: null, valid_to: null });
    }
    expect(db.all("SELECT * FROM links")).toEqual([]);
  });
});

describe("forgetting evidence", () => {
  it("deletes the observations derived from it, pinned ones too, but not equal ones of other turns", () => {
    const { db, derive } = store();
    derive(1, note("Both say it", { evidence: ["p1", "t1"] }));
    derive(2, note("Both say it", { evidence: ["p2"] }));
    db.run("UPDATE observations SET pinned = 1");
    const { removed } = forget(db, only({ tool_uses: new Set([1]) }), NOW);
    expect(removed).toMatchObject({ tool_uses: 1, observations: 1, sessions: 0 });
    expect(getObservation(db, 2)).toMatchObject({ title: "Both say it", pinned: 1 });
    // Reset to 0, so that the next row is indexed, too.
    expect(db.get("SELECT last_id FROM index_state WHERE name = 'tool_uses'")).toEqual({ last_id: 0 });
  });

  it("deletes a model's other notes of that turn, which may repeat it", () => {
    const { db } = store();
    const told = note("The depot burned", { evidence: ["p1"] });
    const model = { name: "anthropic/some-model" };
    saveTurnMemory(db, { sessionDbId: 1, promptNumber: 1 }, { observations: [told], summary: SUMMARY }, model, NOW);
    forget(db, only({ tool_uses: new Set([1]) }), NOW);
    expect(db.all("SELECT title FROM observations WHERE producer <> 'extractor'")).toEqual([]);
  });

  it("deletes what a later turn took from it: the offer that its prompt accepted", () => {
    const { db, add } = seedStore();
    add("s", prompt("How could uploads get more reliable?"));
    add("s", {
      kind: "turn-end",
      response: "Uploads fail at times. Want me to add a retry to the upload of walrus files?",
    });
    add("s", prompt("yes"), { at: NOW });
    const edit = { path: "src/upload.ts", kind: "edit" as const, added: 9, removed: 1 };
    add(
      "s",
      { kind: "tool-use", toolUseId: "t1", name: "Edit", input: {}, isError: false, files: [edit] },
      { at: NOW },
    );
    add("s", { kind: "turn-end", response: "OK." }, { at: NOW });
    for (const { id } of staleSessions(db)) deriveSession(db, id, NOW);
    const titles = () => db.column<string>("SELECT title FROM observations");
    expect(titles()).toEqual(["Add a retry to the upload of walrus files"]);
    db.run("UPDATE observations SET pinned = 1");
    forget(db, { ...emptyDeletionSet(), prompts: new Set([1]) }, NOW);
    expect(titles().join("\n")).not.toContain("walrus");
  });

  it("deletes a subagent that worked only for a forgotten turn; a forgotten session leaves no rows", () => {
    const { db } = store();
    updateSearchIndex(db);
    forget(db, only({ prompts: new Set([2]) }), NOW);
    expect(db.all("SELECT session_id, prompt_count FROM sessions")).toEqual([{ session_id: "a", prompt_count: 1 }]);
    forget(db, only({ sessions: new Set([1]) }), NOW);
    const tables = ["projects", "sessions", "prompts", "messages", "tool_uses", "observations", "summaries", "links"];
    for (const table of [...tables, "jobs", "stale_turns", "stale_memory", "turns_fts", "tool_uses_fts"]) {
      expect([table, db.all(`SELECT 1 FROM ${table}`)]).toEqual([table, []]);
    }
  });

  it("marks the database as unclean until scrub, and verifyErased searches every file", () => {
    const { db, home, derive } = store();
    const database = join(home, "c-mem.db");
    derive(2, note("The tests of that thing are there", { evidence: ["m1"] }));
    const { texts } = forget(db, only({ messages: new Set([1]) }), NOW);
    expect(isUnclean(db)).toBe(true);
    expect(scrub(db)).toBe(true);
    expect(isUnclean(db)).toBe(false);
    const pieces = piecesOf([...texts, "And now the tests of that thing"]);
    expect(verifyErased(db, [home], pieces, database)).toMatchObject({
      found: [],
      elsewhere: ["p2", "a"],
      searchHits: 0,
    });
    mkdirSync(join(home, "cache"));
    writeFileSync(join(home, "cache", "cli-list-v24.1.0-x64"), "The tests are there and they pass.");
    expect(verifyErased(db, [home], pieces, database).found).toEqual([]);
    writeFileSync(join(home, "left.log"), "they say: The tests are there and they pass.");
    expect(verifyErased(db, [home], pieces, database).found).toEqual([join(home, "left.log")]);
  });

  it("by text clears the summaries, titles and responses that contain it, and reports folders with that name", () => {
    const { db, home } = store();
    const model = { name: "anthropic/some-model" };
    const summary = { ...SUMMARY, learned: "There is a Walrus Depot." };
    saveTurnMemory(db, { sessionDbId: 1, promptNumber: 1 }, { observations: [note("Fine")], summary }, model, NOW);
    db.run("UPDATE sessions SET agent_title = 'The walrus depot', title = 'The walrus depot' WHERE id = 1");
    db.run("UPDATE prompts SET response = 'Sent to the walrus depot.' WHERE id = 2");
    const { touched } = forget(db, emptyDeletionSet(), NOW, { words: { text: "walrus depot", projectId: 1 } });
    expect(touched).toEqual(["a"]);
    scrub(db);
    const database = join(home, "c-mem.db");
    expect(verifyErased(db, [home], ["walrus depot"], database)).toMatchObject({
      found: [],
      elsewhere: [],
      searchHits: 0,
    });
    expect(db.all("SELECT DISTINCT producer FROM summaries")).toEqual([{ producer: "extractor" }]);
    expect(db.all("SELECT title FROM observations WHERE is_current = 1 AND title = 'Fine'")).toEqual([]);
    db.run("UPDATE sessions SET cwd = '/home/me/walrus depot' WHERE id = 1");
    expect(verifyErased(db, [home], ["walrus depot"], database)).toMatchObject({ found: [], elsewhere: ["a"] });
  });

  it("by text also clears a model's title and handover, and replies that are not saved yet", () => {
    const { db, home } = store();
    const written = { ...SUMMARY, title: "Fine", subtitle: "", handover: ["Ask at the walrus depot."], lastPrompt: 2 };
    saveSessionSummary(db, 1, written, { name: "anthropic/some-model" }, NOW);
    insertReply(db, { requestHash: "h", sessionDbId: 1, reply: { text: "The Walrus Depot is open" } }, NOW);
    forget(db, emptyDeletionSet(), NOW, { words: { text: "walrus depot", projectId: 1 } });
    scrub(db);
    expect(verifyErased(db, [home], ["walrus depot"], join(home, "c-mem.db"))).toMatchObject({
      found: [],
      elsewhere: [],
    });
    expect(db.all("SELECT 1 FROM summaries WHERE last_prompt > 0")).toEqual([]);
    expect(db.all("SELECT 1 FROM model_replies")).toEqual([]);
  });
});
