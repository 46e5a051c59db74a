import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AGENTS } from "../../agents/spec.ts";
import { resolvePaths } from "../../config/paths.ts";
import { counts } from "../../store/reads/counts.ts";
import type { Db } from "../../store/db/driver.ts";
import { openStore } from "../../store/db/open.ts";
import { purgeEvidence } from "../../store/tables/purge.ts";
import { readLines } from "./lines.ts";
import { type FileOutcome, isUnchanged, startSync, syncTranscripts } from "./sync.ts";

const line = (value: object) =>
  JSON.stringify({
    cwd: "/gone/app",
    sessionId: "s",
    timestamp: "2026-01-02T03:04:05.000Z",
    version: "2.1.0",
    gitBranch: "dev",
    ...value,
  });
const user = (content: unknown, extra = {}) =>
  line({ type: "user", uuid: `u${Math.random()}`, message: { role: "user", content }, ...extra });
let messages = 0;
const assistant = (...content: object[]) =>
  line({ type: "assistant", message: { id: `m${++messages}`, role: "assistant", content } });
const result = (id: string, content: string, extra = {}, toolUseResult?: unknown) =>
  user([{ type: "tool_result", tool_use_id: id, content, ...extra }], { promptId: "p1", toolUseResult });

const TRANSCRIPT = [
  line({ type: "api-request", body: "copy of everything" }),
  user("Fix it", { promptId: "p1" }),
  assistant({ type: "text", text: "Looking." }),
  assistant({ type: "tool_use", id: "t1", name: "Bash", input: { command: "npm test" } }),
  result("t1", "Exit code 1\nboom", { is_error: true }),
  assistant({ type: "tool_use", id: "t2", name: "Edit", input: { file_path: "/gone/app/a.ts" } }),
  result("t2", "ok", {}, { filePath: "/gone/app/a.ts", structuredPatch: [{ lines: ["-a", "+b", "+c"] }] }),
  assistant({ type: "text", text: "Fixed." }),
  user("<task-notification>x", { promptId: "p9" }),
  user("meta", { isMeta: true }),
  user("<command-name>/clear</command-name><command-args></command-args>", { promptId: "p8" }),
  user("<command-name>/review</command-name><command-args>now</command-args>", { promptId: "p2" }),
  user("<private>hush</private>", { promptId: "p3" }),
  assistant(
    { type: "text", text: "PRIVATEANSWER" },
    { type: "tool_use", id: "t3", name: "Bash", input: { command: "hush" } },
  ),
  result("t3", "hush"),
];

/** The transcript before its private turn: reading continues there, since no state inside that turn is stored. */
const OPEN = TRANSCRIPT.slice(0, -3);

interface Machine {
  db: Db;
  /** Replaces the session's transcript. */
  write(text: string | Buffer): void;
  sync(options?: { force?: boolean }): FileOutcome[];
  exclude(folder: string): void;
  /** Deletes the transcript of the original session, as the agent does after some time. */
  loseOriginal(): void;
  /** All stored rows, without ids, times of writing and the transcript's path. */
  rows(): unknown;
  /** Every byte of the data directory. */
  bytes(): string;
}

function machine(lines: readonly string[], subagent?: readonly string[], parent?: readonly string[]): Machine {
  const root = mkdtempSync(join(tmpdir(), "c-mem-sync-"));
  const env = { HOME: root, CLAUDE_CONFIG_DIR: join(root, "claude") };
  const folder = join(env.CLAUDE_CONFIG_DIR, "projects", "-gone-app");
  mkdirSync(join(folder, "s", "subagents"), { recursive: true });
  const path = join(folder, "s.jsonl");
  writeFileSync(path, lines.join("\n"));
  if (subagent !== undefined) writeFileSync(join(folder, "s", "subagents", "agent-a1.jsonl"), subagent.join("\n"));
  if (parent !== undefined) writeFileSync(join(folder, "before.jsonl"), parent.join("\n"));
  const paths = resolvePaths({ C_MEM_HOME: join(root, "home") });
  const db = openStore(paths.database);
  let version = 0;
  return {
    db,
    write(text) {
      writeFileSync(path, text);
      // Writes within one millisecond would have the same time.
      utimesSync(path, 1_700_000_000, 1_700_000_000 + ++version);
    },
    loseOriginal: () => rmSync(join(folder, "before.jsonl")),
    exclude: (excluded) => writeFileSync(paths.config, JSON.stringify({ excludePaths: [excluded] })),
    sync(options = {}) {
      const context = startSync(db, paths, env, options);
      const transcripts = AGENTS.flatMap(({ sources }) =>
        sources.flatMap(({ find, reader }) => find(env).map((file) => ({ file, reader }))),
      );
      const pending = transcripts.filter(({ file }) => !isUnchanged(file, context));
      return [...syncTranscripts(db, pending, context)].flatMap(({ outcome }) => outcome ?? []);
    },
    bytes: () =>
      readdirSync(paths.home)
        .map((name) => readFileSync(join(paths.home, name), "latin1"))
        .join(""),
    rows: () =>
      ["sessions", "prompts", "messages", "tool_uses", "file_touches", "commits", "links"].map((table) =>
        db
          .all<Record<string, unknown>>(`SELECT * FROM ${table} ORDER BY id`)
          .map((row) => ({ ...row, id: 0, created_at: 0, transcript_path: "" })),
      ),
  };
}

describe("a transcript", () => {
  it("gives the same rows as hooks", () => {
    const { db, sync } = machine([...TRANSCRIPT, ""]);
    expect(sync()).toMatchObject([{ state: "new", malformed: [] }]);
    expect(db.all("SELECT prompt_number, prompt_id, text, response FROM prompts")).toEqual([
      { prompt_number: 1, prompt_id: "p1", text: "Fix it", response: "Fixed." },
      { prompt_number: 2, prompt_id: "p2", text: "/review now", response: null },
    ]);
    expect(db.all("SELECT tool_use_id, is_error, exit_code, prompt_number FROM tool_uses")).toEqual([
      { tool_use_id: "t1", is_error: 1, exit_code: 1, prompt_number: 1 },
      { tool_use_id: "t2", is_error: 0, exit_code: null, prompt_number: 1 },
    ]);
    expect(db.all("SELECT path, kind, added, removed FROM file_touches")).toEqual([
      { path: "a.ts", kind: "edit", added: 2, removed: 1 },
    ]);
    expect(db.all("SELECT session_id, git_branch, version FROM sessions")).toEqual([
      { session_id: "s", git_branch: "dev", version: "2.1.0" },
    ]);
    db.close();
  });

  it("of a fork is read without the copied part, as long as the original has it", () => {
    const said = (id: string, text: string, extra = {}) =>
      line({ type: "assistant", message: { id, role: "assistant", content: [{ type: "text", text }] }, ...extra });
    const history = (extra: object) => [
      user("Fix it", { promptId: "p1", ...extra }),
      said("m1", "Looking.", extra),
      line({
        type: "assistant",
        message: { id: "m2", role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Bash", input: {} }] },
        ...extra,
      }),
      user([{ type: "tool_result", tool_use_id: "t1", content: "ok" }], { promptId: "p1", ...extra }),
      said("m3", "Fixed.", extra),
    ];
    const copied = history({ forkedFrom: { sessionId: "before", messageUuid: "x" } });
    const title = line({ type: "custom-title", customTitle: "Another way" });
    const own = [user("Try another way", { promptId: "p2" }), said("m4", "Tried.")];
    const parent = history({ sessionId: "before" });
    const readAll = ({ db, sync, write }: Machine, ...later: string[]) => {
      sync();
      if (later.length > 0) write([...copied, title, ...later, ""].join("\n"));
      sync();
      const prompts = db.all(
        "SELECT s.session_id, p.text, p.response FROM prompts p JOIN sessions s ON s.id = p.session_db_id ORDER BY 1, 2",
      );
      const [counted] = db.all("SELECT count(*) AS uses, (SELECT count(*) FROM messages) AS messages FROM tool_uses");
      const sessions = db.all("SELECT session_id, title, forked_from FROM sessions ORDER BY 1");
      db.close();
      return { prompts, counted, sessions };
    };
    const first = { session_id: "before", text: "Fix it", response: "Fixed." };
    const second = { session_id: "s", text: "Try another way", response: "Tried." };
    const whole = {
      prompts: [first, second],
      counted: { uses: 1, messages: 3 },
      sessions: [
        { session_id: "before", title: "Fix it", forked_from: null },
        { session_id: "s", title: "Another way", forked_from: "before" },
      ],
    };
    expect(readAll(machine([...copied, title, ...own, ""], undefined, [...parent, ""]))).toEqual(whole);
    expect(readAll(machine([...copied, title, ""], undefined, [...parent, ""]), ...own)).toEqual(whole);
    const lost = machine([...copied, title, ...own, ""], undefined, [...parent, ""]);
    lost.sync();
    lost.loseOriginal();
    const before = lost.rows();
    expect(lost.sync({ force: true })).toMatchObject([{ state: "rewritten" }]);
    expect(lost.rows()).toEqual(before);
    const [parentRow] = lost.db.all<{ id: number }>("SELECT id FROM sessions WHERE session_id = 'before'");
    lost.db.exec("BEGIN");
    for (const _ of purgeEvidence(lost.db, parentRow?.id ?? 0));
    lost.db.exec("COMMIT");
    lost.sync({ force: true });
    expect(lost.db.all("SELECT text FROM prompts")).toEqual([{ text: "Try another way" }]);
    lost.db.close();
    expect(readAll(machine([...copied, title, ""], undefined, [...parent, ""])).sessions).toHaveLength(1);
    expect(readAll(machine([...copied, title, ...own, ""])).prompts).toEqual([{ ...first, session_id: "s" }, second]);
  });

  it("is stored as one row per message, with text and thinking apart", () => {
    const { db, sync } = machine([...TRANSCRIPT, ""]);
    sync();
    expect(db.all("SELECT prompt_number, role, text FROM messages WHERE text <> ''")).toEqual([
      { prompt_number: 1, role: "assistant", text: "Looking." },
      { prompt_number: 1, role: "assistant", text: "Fixed." },
    ]);
    db.close();
  });

  it("read twice, or again from its beginning, changes nothing", () => {
    const { db, sync, rows } = machine([...TRANSCRIPT, ""]);
    sync();
    const before = rows();
    expect(sync()).toEqual([]);
    expect(sync({ force: true })).toMatchObject([{ state: "rewritten" }]);
    expect(rows()).toEqual(before);
    db.close();
  });

  it("that grows is read from where the last run stopped", () => {
    const { db, sync, rows, write } = machine([]);
    const whole = machine([...TRANSCRIPT, ""]);
    whole.sync();
    for (let lines = 1; lines <= TRANSCRIPT.length; lines++) {
      write(`${TRANSCRIPT.slice(0, lines).join("\n")}\n`);
      expect(sync()).toMatchObject([{ state: lines === 1 ? "new" : "grown" }]);
    }
    expect(rows()).toEqual(whole.rows());
    db.close();
    whole.db.close();
  });

  it("that was replaced or cut short is noticed and read again", () => {
    const { db, sync, write } = machine([...OPEN, ""]);
    sync();
    write(`${user("Another beginning", { promptId: "q1" })}\n${OPEN.join("\n")}\n`);
    expect(sync()).toMatchObject([{ state: "rewritten" }]);
    write(`${OPEN.slice(0, 3).join("\n")}\n`);
    expect(sync()).toMatchObject([{ state: "rewritten" }]);
    expect(counts(db).prompts).toBe(3);
    db.close();
  });

  it("that was cut anywhere, damaged or repeated gives the same rows once it is whole again", () => {
    const whole = Buffer.from(`${TRANSCRIPT.join("\n")}\n`);
    const reference = machine([]);
    reference.write(whole);
    reference.sync();
    const expected = reference.rows();
    reference.db.close();
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length }), fc.integer({ min: 0, max: whole.length }), (one, two) => {
        const { db, sync, rows, write } = machine([]);
        for (const cut of [Math.min(one, two), Math.max(one, two), whole.length]) {
          write(whole.subarray(0, cut));
          sync();
        }
        expect(rows()).toEqual(expected);
        write(Buffer.concat([whole, whole]));
        sync();
        expect(rows()).toEqual(expected);
        db.close();
      }),
      { numRuns: 30 },
    );
  });

  it("with flipped bytes never stops the run", () => {
    const whole = Buffer.from(`${TRANSCRIPT.join("\n")}\n`);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 20 }),
        (flips) => {
          const { db, sync, write } = machine([]);
          const damaged = Buffer.from(whole);
          for (const [place, byte] of flips) damaged[place] = byte;
          write(damaged);
          sync();
          write(whole);
          sync({ force: true });
          expect(counts(db).tool_uses).toBeGreaterThanOrEqual(2);
          db.close();
        },
      ),
      { numRuns: 25 },
    );
  });

  it("of a subagent belongs to the session that started it, and to its private turns", () => {
    const sub = (promptId: string, id: string) => [
      line({ type: "user", agentId: "a1", isSidechain: true, promptId, message: { content: "task" } }),
      line({
        type: "assistant",
        agentId: "a1",
        message: { content: [{ type: "tool_use", id, name: "Bash", input: { command: id } }] },
      }),
      line({
        type: "user",
        agentId: "a1",
        promptId,
        message: { content: [{ type: "tool_result", tool_use_id: id, content: "" }] },
      }),
    ];
    const { db, sync } = machine(TRANSCRIPT, [...sub("p1", "open"), ...sub("p3", "hidden")]);
    sync();
    expect(db.all("SELECT tool_use_id, agent_id FROM tool_uses WHERE agent_id IS NOT NULL")).toEqual([
      { tool_use_id: "open", agent_id: "a1" },
    ]);
    expect(
      db.all(
        "SELECT c.session_id, p.session_id AS parent FROM sessions c JOIN sessions p ON p.id = c.parent_session_db_id",
      ),
    ).toEqual([{ session_id: "agent-a1", parent: "s" }]);
    db.close();
  });

  it("leaves nothing private or secret in the data directory, including the stored state of the reader", () => {
    const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    const lines = [
      user("Open", { promptId: "o1" }),
      assistant({ type: "tool_use", id: "k1", name: "Bash", input: { command: `deploy --token ${secret}` } }),
      result("k1", `sent ${secret}`),
      assistant({ type: "text", text: `Sent ${secret} <private>HUSH</private>` }),
      user("<private>HUSH</private>", { promptId: "o2" }),
      assistant({ type: "tool_use", id: "k2", name: "Bash", input: { command: "echo HUSH" } }),
      assistant({ type: "text", text: "HUSH again" }),
      user("Open again", { promptId: "o3" }),
      assistant({ type: "text", text: "All done." }),
    ];
    const whole = machine([...lines, ""]);
    whole.sync();
    const { db, sync, rows, write, bytes } = machine([]);
    for (let count = 1; count <= lines.length; count++) {
      write(`${lines.slice(0, count).join("\n")}\n`);
      sync();
      expect(bytes()).not.toMatch(/HUSH|ghp_/);
    }
    expect(rows()).toEqual(whole.rows());
    expect(db.all("SELECT text FROM prompts")).toEqual([{ text: "Open" }, { text: "Open again" }]);
    db.close();
    whole.db.close();
  });

  it("that is read after later prompts were stored gives turns in the right order", () => {
    const { db, sync, write } = machine([]);
    const three = [
      user("first of three", { promptId: "x1", timestamp: "2026-01-02T01:00:00.000Z" }),
      user("second of three", { promptId: "x2", timestamp: "2026-01-02T02:00:00.000Z" }),
      user("third of three", { promptId: "x3", timestamp: "2026-01-02T03:00:00.000Z" }),
    ];
    const use = (id: string, promptId: string) => [
      assistant({ type: "tool_use", id, name: "Bash", input: { command: id } }),
      user([{ type: "tool_result", tool_use_id: id, content: "" }], { promptId }),
    ];
    write(`${[three[2], ...use("late", "x3")].join("\n")}\n`);
    sync();
    write(`${[three[0], ...use("early", "x1"), three[1], three[2], ...use("late", "x3")].join("\n")}\n`);
    sync();
    expect(db.all("SELECT prompt_number, text FROM prompts ORDER BY prompt_number")).toEqual([
      { prompt_number: 1, text: "first of three" },
      { prompt_number: 2, text: "second of three" },
      { prompt_number: 3, text: "third of three" },
    ]);
    expect(db.all("SELECT tool_use_id, prompt_number FROM tool_uses ORDER BY tool_use_id")).toEqual([
      { tool_use_id: "early", prompt_number: 1 },
      { tool_use_id: "late", prompt_number: 3 },
    ]);
    expect(db.all("SELECT title FROM sessions")).toEqual([{ title: "first of three" }]);
    db.close();
  });

  it("keeps a command that has the id of the prompt before it", () => {
    const { db, sync } = machine([
      user("do it", { promptId: "y", timestamp: "2026-01-02T01:00:00.000Z" }),
      assistant({ type: "tool_use", id: "z1", name: "Bash", input: { command: "ls" } }),
      user([{ type: "tool_result", tool_use_id: "z1", content: "" }], { promptId: "y" }),
      user("<command-name>/review</command-name>", { promptId: "y", timestamp: "2026-01-02T02:00:00.000Z" }),
      "",
    ]);
    sync();
    sync({ force: true });
    expect(db.all("SELECT text FROM prompts ORDER BY prompt_number")).toEqual([{ text: "do it" }, { text: "/review" }]);
    expect(db.all("SELECT prompt_number FROM tool_uses")).toEqual([{ prompt_number: 1 }]);
    db.close();
  });

  it("leaves a session on its last branch, even after a line with an earlier time", () => {
    const on = (gitBranch: string, second: number) => ({ gitBranch, timestamp: `2026-01-02T03:04:0${second}.000Z` });
    const { db, sync } = machine([
      user("go", { promptId: "p1", ...on("dev", 1) }),
      user("on", { promptId: "p2", ...on("HEAD", 3) }),
      user("and on", { promptId: "p3", ...on("main", 2) }),
      user("and done", { promptId: "p4", ...on("main", 4) }),
      "",
    ]);
    sync();
    expect(db.all("SELECT git_branch FROM sessions")).toEqual([{ git_branch: "main" }]);
    db.close();
  });

  it("read again gives no prompt the response of an earlier one", () => {
    const { db, sync } = machine([
      line({
        type: "assistant",
        timestamp: "2026-01-02T01:00:00.000Z",
        message: { id: "early", role: "assistant", content: [{ type: "text", text: "What shall I do?" }] },
      }),
      user("Fix it", { promptId: "p1", timestamp: "2026-01-02T02:00:00.000Z" }),
      "",
    ]);
    sync();
    sync({ force: true });
    expect(db.all("SELECT text, response, ended_at FROM prompts")).toEqual([
      { text: "Fix it", response: null, ended_at: null },
    ]);
    db.close();
  });

  it("stores no state from an excluded folder, not even a waiting prompt", () => {
    const { bytes, db, exclude, sync, write } = machine([]);
    exclude("/gone/hidden");
    const folder = { cwd: "/gone/hidden" };
    const queued = line({ type: "queue-operation", operation: "enqueue", content: "HIDDENPROMPT", cwd: undefined });
    write(`${queued}\n`);
    sync();
    expect(bytes()).not.toContain("HIDDEN");
    const answer = {
      type: "assistant",
      message: { id: "h", role: "assistant", content: [{ type: "text", text: "HIDDENANSWER" }] },
    };
    write([queued, user("HIDDENPROMPT", folder), line({ ...answer, ...folder }), ""].join("\n"));
    expect(sync()).toMatchObject([{ state: "excluded" }]);
    expect(bytes()).not.toContain("HIDDEN");
    write([...OPEN, line({ ...answer, ...folder }), ""].join("\n"));
    sync();
    expect(bytes()).not.toContain("HIDDEN");
    expect(counts(db).prompts).toBe(2);
    db.close();
  });

  it("counts lines of unknown types, whatever their names", () => {
    const { db, sync } = machine([line({ type: "constructor" }), ...TRANSCRIPT, ""]);
    expect(sync()[0]?.unknown).toEqual({ constructor: 1 });
    db.close();
  });

  it("with broken lines gives the other lines, and the numbers of the broken ones", () => {
    const { db, sync } = machine(["{broken", ...TRANSCRIPT, "null", "[]", "7", '{"type":"user"}', '{"cut": "of']);
    expect(sync()[0]?.malformed).toEqual([1]);
    expect(counts(db).prompts).toBe(2);
    db.close();
  });
});

describe("lines", () => {
  it("are read whole across chunks and from any offset; one that is too long is skipped", () => {
    const path = join(mkdtempSync(join(tmpdir(), "c-mem-lines-")), "f");
    const long = "x".repeat(3_000_000);
    writeFileSync(path, `a\n${long}\n\nb`);
    const read = (from: number, maxLineBytes: number) =>
      Array.from(readLines(path, { from, maxLineBytes }), ({ bytes, end, isWhole }) => [
        bytes?.toString(),
        end,
        isWhole,
      ]);
    expect(read(0, 1_000_000)).toEqual([
      ["a", 2, true],
      [undefined, 3_000_003, true],
      ["", 3_000_004, true],
      ["b", 3_000_005, false],
    ]);
    expect(read(3_000_003, 10)).toEqual([
      ["", 3_000_004, true],
      ["b", 3_000_005, false],
    ]);
    expect(read(2, 4_000_000)[0]?.[0]).toBe(long);
  });
});
