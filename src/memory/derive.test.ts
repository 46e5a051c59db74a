// Deriving memory gives the same result from the same evidence, in any order.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bash, ended, MINUTE, prompt, said, seedStore, START, touch } from "../../test/seed.ts";
import type { Db } from "../store/db/driver.ts";
import { findItem } from "../store/reads/items.ts";
import { staleSessions } from "../store/tables/stale-turns.ts";
import { transaction } from "../store/db/transaction.ts";
import { loadTurnEvidence, type TurnEvidence } from "../store/reads/turn-evidence.ts";
import { deriveSession, rebuildMemory, type Rebuilt } from "./derive.ts";
import { extractTurn } from "./extract/extract-turn.ts";

const NOW = Date.UTC(2026, 1, 1);

/** All memory in a comparable form: successors by content hash, because row ids differ. */
function memoryOf(db: Db): unknown {
  return {
    observations: db.all(
      `SELECT s.session_id, o.prompt_number, o.type, o.title, o.narrative, o.facts, o.concepts, o.files, o.evidence, o.origin,
         o.subject, o.producer, o.is_current, o.valid_from, o.valid_to, n.content_hash AS replaced_by
       FROM observations o JOIN sessions s ON s.id = o.session_db_id LEFT JOIN observations n ON n.id = o.superseded_by
       ORDER BY s.session_id, o.prompt_number, o.content_hash`,
    ),
    summaries: db.all(
      `SELECT s.session_id, u.prompt_number, request, investigated, learned, completed, next_steps, files_read, files_edited, notes, evidence
       FROM summaries u JOIN sessions s ON s.id = u.session_db_id ORDER BY s.session_id, u.prompt_number`,
    ),
    sessions: db.all("SELECT session_id, title, subtitle FROM sessions ORDER BY session_id"),
    links: db.get("SELECT count(*) AS n FROM links WHERE relationship IN ('supersedes', 'fixes')"),
    found: db.get("SELECT count(*) AS n FROM observations_fts"),
  };
}

const finish = (work: Generator<unknown, Rebuilt>): Rebuilt => {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
};

function history(): { db: Db; sessions: string[] } {
  const { db, add } = seedStore();
  const sessions = ["a", "b", "c"];
  for (const [index, id] of sessions.entries()) {
    const names = index === 1 ? ["npm", "pnpm"] : ["pnpm", "npm"];
    add(id, prompt(`From now on use ${names[0]} instead of ${names[1]} in all packages.`));
    add(id, touch(`${id}/package.json`));
    add(id, said(`${id}1`, `All scripts now call ${names[0]}.`));
    add(id, ended(`All scripts now call ${names[0]}.`));
    add(id, prompt("Make the build pass"));
    add(id, bash("npm run build", "Error: Cannot find module 'settings'", 1));
    add(id, touch(`src/${id}.ts`), { agentId: `sub-${id}` });
    add(id, bash("npm run build", "ok"));
    add(id, said(`${id}2`, "Fixed the import in `index.ts`. The root cause was that `settings` had been renamed."));
  }
  return { db, sessions };
}

describe("deriving a session", () => {
  it("derives every turn once, reports what changed, and leaves nothing stale", () => {
    const { db, add } = seedStore();
    add("a", prompt("Add dark mode to the page"));
    add("a", touch("src/page.ts"));
    add("a", said("u1", "Added dark mode to the page in `page.ts`."));
    add("a", prompt("thanks"));
    expect(deriveSession(db, 1, NOW)).toEqual({ turns: 2, changed: [1, 2] });
    expect(deriveSession(db, 1, NOW)).toEqual({ turns: 0, changed: [] });
    expect(staleSessions(db)).toEqual([]);
    add("a", ended("Bye."));
    expect(deriveSession(db, 1, NOW)).toEqual({ turns: 1, changed: [] });
    expect(db.get("SELECT title, subtitle FROM sessions WHERE id = 1")).toEqual({
      title: "Added dark mode to the page in page.ts",
      subtitle: "1 file changed",
    });
    expect(db.get("SELECT request, completed FROM summaries WHERE prompt_number = 0")).toEqual({
      request: "Add dark mode to the page.",
      completed: "Added dark mode to the page in `page.ts`. Changed 1 file (+3 −1): page.ts.",
    });
  });

  it("refuses to run inside a transaction, and summarises each turn and the session", () => {
    const { db, add } = seedStore();
    add("a", prompt("Add dark mode to the page"));
    add("a", prompt("Add light mode to the page"));
    expect(() =>
      transaction(db, () => {
        deriveSession(db, 1, NOW);
      }),
    ).toThrow("transaction");
    expect(db.get("SELECT count(*) AS n FROM stale_memory")).toEqual({ n: 2 });
    deriveSession(db, 1, NOW);
    expect(db.all("SELECT prompt_number FROM summaries ORDER BY 1")).toEqual([
      { prompt_number: 0 },
      { prompt_number: 1 },
      { prompt_number: 2 },
    ]);
  });

  it("uses the agent's own title", () => {
    const { db, add } = seedStore();
    add("a", prompt("Add dark mode to the page"));
    add("a", { kind: "title", title: "Dark mode" });
    add("a", prompt("Add light mode to the page, please"));
    deriveSession(db, 1, NOW);
    expect(db.get("SELECT title FROM sessions")).toEqual({ title: "Dark mode" });
  });

  it("renumbers memory when an earlier prompt arrives late", () => {
    const { db, add } = seedStore();
    add("a", prompt("Add dark mode to the page"), { at: START + 10 * MINUTE });
    add("a", touch("src/page.ts"));
    deriveSession(db, 1, NOW);
    add("a", { kind: "prompt", text: "hello there", promptId: "early" }, { at: START });
    deriveSession(db, 1, NOW);
    expect(db.all("SELECT prompt_number, title FROM observations")).toEqual([
      { prompt_number: 2, title: "Add dark mode to the page" },
    ]);
    expect(db.all("SELECT prompt_number, request FROM summaries WHERE prompt_number > 0 ORDER BY 1")).toEqual([
      { prompt_number: 1, request: "hello there" },
      { prompt_number: 2, request: "Add dark mode to the page" },
    ]);
  });
});

describe("deriving memory in another order", () => {
  it("gives the same memory, also turn by turn", () => {
    const { db, sessions } = history();
    finish(rebuildMemory(db, { now: NOW }));
    const expected = memoryOf(db);
    expect(db.get("SELECT count(*) AS n FROM observations WHERE superseded_by IS NOT NULL")).not.toEqual({ n: 0 });
    fc.assert(
      fc.property(
        fc.shuffledSubarray(
          sessions.flatMap((_, index) => [[index * 2 + 1], [index * 2 + 2]].flat()),
          { minLength: 6 },
        ),
        (order) => {
          const { db: other } = history();
          for (const id of order) {
            const marked = other.all<{ prompt_db_id: number }>("SELECT prompt_db_id FROM stale_memory");
            const { session_db_id: session } = other.get("SELECT session_db_id FROM prompts WHERE id = ?", id) as {
              session_db_id: number;
            };
            other.run("DELETE FROM stale_memory WHERE prompt_db_id <> ?", id);
            deriveSession(other, session, NOW);
            for (const { prompt_db_id: left } of marked)
              if (left !== id) other.run("INSERT OR IGNORE INTO stale_memory VALUES (?)", left);
          }
          expect(memoryOf(other)).toEqual(expected);
          finish(rebuildMemory(other, { now: NOW }));
          expect(memoryOf(other)).toEqual(expected);
          other.close();
        },
      ),
      { numRuns: 6 },
    );
    expect(finish(rebuildMemory(db, { now: NOW }))).toMatchObject({ sessions: 3, turns: 6, changed: 0 });
  });
});

describe("rebuilding", () => {
  it("deletes rows without a turn, repairs changed rows, and keeps what users wrote", () => {
    const { db } = history();
    finish(rebuildMemory(db, { now: NOW }));
    const expected = memoryOf(db);
    db.run("UPDATE observations SET narrative = 'tampered with', title = 'x' WHERE id = 1");
    db.run(
      `INSERT INTO summaries (session_db_id, prompt_number, request, investigated, learned, completed, next_steps, files_read,
          files_edited, notes, evidence, producer, created_at)
        SELECT session_db_id, 9, request, '', '', '', '', '[]', '[]', '', '[]', producer, 1 FROM summaries LIMIT 1`,
    );
    finish(rebuildMemory(db, { now: NOW }));
    expect(memoryOf(db)).toEqual(expected);
    db.run("UPDATE observations SET narrative = 'in my words', edited_at = 1 WHERE subject IS NOT NULL");
    finish(rebuildMemory(db, { now: NOW }));
    expect(db.get("SELECT count(*) AS n FROM observations WHERE narrative = 'in my words'")).not.toEqual({ n: 0 });
  });
});

describe("rebuilding a store from before observation keys", () => {
  it("restores the files of all observations, including edited ones", () => {
    const { db } = history();
    finish(rebuildMemory(db, { now: NOW }));
    db.run("UPDATE observations SET narrative = 'in my words', edited_at = 1 WHERE id = 1");
    finish(rebuildMemory(db, { now: NOW }));
    const keys = db.all("SELECT * FROM observation_keys ORDER BY kind, key, observation_id");
    expect(keys).toContainEqual({ kind: "file", key: "c/package.json", observation_id: 1 });
    db.run("DELETE FROM observation_keys");
    finish(rebuildMemory(db, { now: NOW }));
    expect(db.all("SELECT * FROM observation_keys ORDER BY kind, key, observation_id")).toEqual(keys);
  });
});

describe("random evidence", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.constantFrom(
      "",
      "```\n",
      "# a\n- b\n**c",
      "- [ ] x\n1) y\n| z |",
      "Root cause: `x` never called because of y.",
      "must never use a instead of b",
      "\ud800",
      "Tests: 1 failed, 2 passed",
      "From now on use a instead of b for all files.",
      "I'd keep a in `b` only, because c goes stale.\n\nWant me to write it up?",
      "A. Keep the queue in a file\nB. Keep the queue in the store of the app",
      "Fixed: `save()` stored only the titles, so they were lost.\n\n## Next steps\n- Migrate the old files",
    ),
    fc
      .array(
        fc.constantFrom("fix", "the", "`a`", "because", ".", "\n", "- ", "never", "(", "https://x.y/z", "…", "“", "?"),
        { maxLength: 60 },
      )
      .map((words) => words.join(" ")),
  );
  const touches = fc.record({ path: text, kind: fc.constantFrom("read" as const, "edit" as const, "create" as const) });
  const use = fc.record({
    name: fc.oneof(
      fc.constantFrom(
        "Bash",
        "Edit",
        "Write",
        "TodoWrite",
        "TaskCreate",
        "AskUserQuestion",
        "ExitPlanMode",
        "update_plan",
      ),
      text,
    ),
    input: fc.oneof(
      fc.dictionary(
        fc.constantFrom(
          "command",
          "file_path",
          "old_string",
          "new_string",
          "patch",
          "edits",
          "todos",
          "plan",
          "question",
          "pattern",
          "__proto__",
        ),
        fc.oneof(text, fc.jsonValue() as fc.Arbitrary<unknown>),
      ),
      fc.record({
        command: fc.constantFrom(
          "npm test",
          "git commit -m x",
          "npm run build",
          "npm i a@1",
          "mv a.ts b.ts",
          "gh pr create --title 'x'",
        ),
      }),
    ),
    output: text,
    isError: fc.boolean(),
    exitCode: fc.option(fc.integer({ min: 0, max: 2 }), { nil: null }),
    isSubagent: fc.boolean(),
    files: fc.array(touches, { maxLength: 3 }),
  });
  const message = fc.record({
    role: fc.constantFrom("assistant" as const, "system" as const, "summary" as const),
    text,
    thinking: fc.constant(""),
    isSubagent: fc.boolean(),
  });
  const evidence: fc.Arbitrary<TurnEvidence> = fc
    .record({
      prompt: text,
      response: text,
      next: fc.oneof(fc.constantFrom(undefined, "yes", "b", "do the quick fix"), text),
      previousResponse: fc.option(text, { nil: undefined }),
      messages: fc.array(message, { maxLength: 4 }),
      uses: fc.array(use, { maxLength: 6 }),
      subjects: fc.array(text, { maxLength: 2 }),
    })
    .map(({ prompt: asked, response, next, previousResponse, messages, uses, subjects }) => ({
      agent: "x",
      projectId: 1,
      project: "app",
      root: "/app",
      cwd: "/app",
      prompt: {
        id: "p1",
        number: 1,
        text: asked,
        response,
        at: 1,
        endedAt: null,
        state: "completed" as const,
        hasCheckpoint: false,
        next,
        previousResponse,
      },
      messages: messages.map((one, index) => ({ ...one, id: `m${index}`, at: index })),
      toolUses: uses.map((one, index) => ({ ...one, id: `t${index}`, at: index })),
      commits: subjects.map((subject, index) => ({ sha: `abc123${index}`, subject, branch: undefined, at: index })),
      earlierTaskUses: [],
    }));

  it("gives the same memory every time, cites existing evidence, and stays within the limits", () => {
    fc.assert(
      fc.property(evidence, (turn) => {
        const memory = extractTurn(turn);
        expect(extractTurn(structuredClone(turn))).toEqual(memory);
        const ids = new Set(["p1", ...turn.messages.map(({ id }) => id), ...turn.toolUses.map(({ id }) => id)]);
        expect(memory.observations.length).toBeLessThanOrEqual(4);
        for (const one of memory.observations) {
          expect(one.evidence.length).toBeGreaterThan(0);
          expect(one.evidence.filter((id) => !ids.has(id))).toEqual([]);
          expect(one.title.trim()).not.toBe("");
          expect(one.title.length).toBeLessThanOrEqual(160);
          expect(one.narrative.length).toBeLessThanOrEqual(1_500);
        }
        expect(memory.summary.evidence.filter((id) => !ids.has(id))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    "a ",
    "aaaa",
    "if so, and if so ",
    "**",
    "`",
    "[(",
    "- - ",
    "no now and ",
    "\n\n \n",
    "../",
    "====",
    "1 failed, ",
    "<b <b ",
    "must not a instead of b, ",
    "“",
    "because. A ",
  ])("is read quickly even if hostile: %j", (piece) => {
    const long = piece.repeat(100_000 / piece.length);
    const start = process.cpuUsage();
    extractTurn({
      projectId: 1,
      project: "app",
      root: "/app",
      cwd: "/app",
      prompt: {
        id: "p1",
        number: 1,
        text: long,
        response: long,
        at: 1,
        endedAt: null,
        state: "completed" as const,
        hasCheckpoint: false,
        next: long,
        previousResponse: long,
      },
      messages: [{ id: "m1", role: "assistant", text: long, isSubagent: false, at: 1 }],
      toolUses: [0, 1].map((exitCode) => ({
        id: `t${exitCode}`,
        name: "Bash",
        input: { command: `npm test ${long}`, file_path: long, old_string: long, new_string: `${long}x` },
        output: long,
        isError: exitCode === 1,
        exitCode,
        isSubagent: false,
        at: 1,
        files: [{ path: "package.json", kind: "edit" as const }],
      })),
      commits: [{ sha: "abc1234", subject: long }],
      earlierTaskUses: [],
    });
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(1_500);
  });

  it("in a real store is cited by the ids of its rows", () => {
    const { db } = history();
    finish(rebuildMemory(db, { now: NOW }));
    for (const { evidence: list } of db.all<{ evidence: string }>(
      "SELECT evidence FROM observations UNION ALL SELECT evidence FROM summaries",
    )) {
      for (const id of JSON.parse(list) as string[]) expect(findItem(db, id)).toBeDefined();
    }
    expect(loadTurnEvidence(db, 1, 2)?.toolUses.map(({ isSubagent }) => isSubagent)).toEqual([false, true, false]);
  });
});
