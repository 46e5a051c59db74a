// Tests of timeline, related, blame, stats and resume.
import { describe, expect, it } from "vitest";
import { bash, DAY, ended, prompt, said, seedStore, START, touch } from "../../test/seed.ts";
import { updateLinks } from "../memory/relate/update-links.ts";
import type { Db } from "../store/db/driver.ts";
import { findProject } from "../store/tables/projects.ts";
import { sessionsByPrefix, type SessionEntry } from "../store/reads/session-list.ts";
import { totalsBy, totalsByTool, totals } from "../store/reads/stats.ts";
import { blame } from "./history/blame.ts";
import { relatedSessions } from "./history/related.ts";
import { resumeCommand, resumeLine } from "./history/resume.ts";
import { latestTurns, timelineAround } from "./history/timeline.ts";

const session = (db: Db, id: string): SessionEntry => sessionsByPrefix(db, id)[0] as SessionEntry;

describe("a timeline", () => {
  it("shows turns before and after, across sessions, with their results", () => {
    const { db, add } = seedStore();
    add("a", prompt("first"));
    add("b", prompt("second"));
    add("b", touch("x.ts"), { agentId: "sub" });
    add("b", bash("make", "Exit code 2\nError: no", 2));
    add("b", bash("git commit -m y", "[main abc1234] Do it"));
    add("c", prompt("third"));
    add("d", prompt("fourth"));
    const turns = timelineAround(db, { session: session(db, "b") }, {}, { before: 1, after: 1 });
    expect(turns.map((turn) => [turn.text, turn.isAnchor])).toEqual([
      ["first", false],
      ["second", true],
      ["third", false],
    ]);
    expect(turns[1]).toMatchObject({
      files: [{ path: "x.ts", added: 3, removed: 1 }],
      failed: [{ command: "make", exit_code: 2 }],
      commits: [{ sha: "abc1234", subject: "Do it" }],
    });
    expect(latestTurns(db, {}, 1).map((turn) => turn.text)).toEqual(["third", "fourth"]);
    add("e", prompt("fifth"), { at: START + DAY });
    db.run("UPDATE sessions SET forked_from = 'b' WHERE session_id = 'e'");
    updateLinks(db, { maxMs: Infinity });
    expect(latestTurns(db, {}, 1).map((turn) => turn.continues)).toEqual([[], [{ session_id: "b", weight: 1 }]]);
    expect(
      timelineAround(db, { session: session(db, "agent-sub"), itemId: "t1" }, {}, { before: 1, after: 1 }).map(
        (turn) => turn.text,
      ),
    ).toEqual(["first", "second", "third"]);
    db.close();
  });
});

describe("related sessions", () => {
  it("are listed with reasons; rarely changed files count more than common ones", () => {
    const { db, add } = seedStore();
    const id = "0b7e2a54-1111-4222-8333-444455556666";
    add(id, prompt("Start"), { branch: "feat" });
    for (const path of ["rare.ts", "package.json"]) add(id, touch(path), { branch: "feat" });
    add(id, bash("git commit -m y", "[feat abc1234] Do it"), { branch: "feat" });
    add("rare", prompt("x"), { at: START + 20 * DAY });
    add("rare", touch("rare.ts"), { agentId: "sub" });
    for (const name of ["c1", "c2", "c3"]) {
      add(name, prompt("x"));
      add(name, touch("package.json"));
    }
    add("next", prompt(`Go on with /x/${id}.jsonl`));
    add("reverts", prompt("Please revert abc1234"));
    add("far", prompt("x"), { project: { key: "other", name: "other", root: "/other" } });
    add("far", touch("rare.ts"), { project: { key: "other", name: "other", root: "/other" } });
    add("near", prompt("x"), { at: START + DAY, branch: "feat" });
    updateLinks(db, { maxMs: Infinity });
    const related = relatedSessions(db, session(db, id), 10);
    expect(related.map(({ session: { session_id }, reasons }) => [session_id, reasons])).toEqual([
      ["next", ["continues this session"]],
      ["reverts", ["similar to this session", "mentions commit abc1234, which this session made"]],
      ["near", ["perhaps continues this session", "on the same branch feat, 24 h apart"]],
      ["rare", ["changed the same rare.ts"]],
      ...["c1", "c2", "c3"].map((name) => [name, ["changed the same package.json"]]),
    ]);
    db.close();
  });
});

describe("a timeline within a scope", () => {
  it("shows all turns of the anchor, but only neighbours in the scope", () => {
    const { db, add } = seedStore();
    add("old", prompt("long ago"), { at: START - 10 * DAY });
    add("codex", prompt("by codex"), { at: START, agent: "codex" });
    add("claude", prompt("by claude"), { at: START + 1 });
    for (let turn = 0; turn < 150; turn++) {
      add("long", prompt(`turn ${turn}`), { at: START + 10 + turn * 2 });
      add("claude", prompt(`between ${turn}`), { at: START + 11 + turn * 2 });
    }
    add("codex", prompt("codex after"), { at: START + 1_000, agent: "codex" });
    const around = (scope: Parameters<typeof timelineAround>[2], itemId?: string) =>
      timelineAround(db, { session: session(db, "long"), ...(itemId !== undefined && { itemId }) }, scope, {
        before: 5,
        after: 5,
      });
    const anchors = (turns: ReturnType<typeof around>) =>
      turns.filter((turn) => turn.isAnchor).map((turn) => turn.text);
    const others = (turns: ReturnType<typeof around>) =>
      turns.filter((turn) => !turn.isAnchor).map((turn) => turn.text);
    const all = Array.from({ length: 150 }, (_, turn) => `turn ${turn}`);
    expect(anchors(around({}))).toEqual(all);
    expect(anchors(around({ agent: "codex" }))).toEqual(all);
    expect(others(around({ agent: "codex" }))).toEqual(["by codex", "codex after"]);
    expect(others(around({ agent: "codex", since: START + 500 }))).toEqual(["codex after"]);
    expect(others(around({ since: START, before: START + 10 }))).toEqual(["by codex", "by claude"]);
    const times = around({}).map((turn) => turn.created_at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(latestTurns(db, { before: START + 2 }, 1).map((turn) => turn.text)).toEqual(["by codex", "by claude"]);
    db.close();
  });
});

describe("blame", () => {
  it("finds the sessions that changed a file, by its path or the end of its path, newest first", () => {
    const { db, add } = seedStore();
    add("one", prompt("Make it"));
    add("one", touch("src/deep/a.ts", "create"));
    add("one", touch("src/deep/a.ts"));
    add("one", bash("git commit -m y", "[main abc1234] Made"));
    add("two", prompt("Look at it"));
    add("two", touch("src/deep/a.ts", "read"));
    add("three", prompt("Change it"));
    add("three", touch("src/deep/a.ts"), { agentId: "sub" });
    const of = (name: string, reads = false) => blame(db, { names: [name], reads, limit: 10 }, {});
    expect(of("src/deep/a.ts")).toMatchObject([
      {
        session_id: "agent-sub",
        parent_session_id: "three",
        prompt: "Change it",
        edits: 1,
        added: 3,
        removed: 1,
        commits: [],
      },
      {
        session_id: "one",
        parent_session_id: null,
        prompt: "Make it",
        creates: 1,
        edits: 1,
        added: 6,
        commits: [{ sha: "abc1234" }],
      },
    ]);
    expect(of("a.ts")).toEqual(of("src/deep/a.ts"));
    expect(of("./deep/a.ts")).toEqual(of("src/deep/a.ts"));
    expect(of("src/deep/a.ts", true).map((entry) => entry.session_id)).toEqual(["agent-sub", "two", "one"]);
    expect(of("p/a.ts")).toEqual([]);
    for (const name of ["", "%", "%a.ts", "\0", "/", "x".repeat(100_000)]) expect(of(name)).toEqual([]);
    db.close();
  });

  it("asks for a longer path if many files match", () => {
    const { db, add } = seedStore();
    add("one", prompt("Make it"));
    for (const folder of ["a", "b", "c", "d"]) add("one", touch(`${folder}/index.ts`));
    expect(() => blame(db, { names: ["index.ts"], reads: false, limit: 10 }, {})).toThrow(
      /Several files match.*\n {2}d\/index.ts/,
    );
    db.close();
  });
});

describe("stats", () => {
  it("count the sessions in the scope", () => {
    const { db, add } = seedStore();
    const other = { project: { key: "o", name: "app", root: "/o" }, agent: "codex", at: START + 40 * DAY };
    add("one", prompt("x"));
    add("one", said("m", "hello"));
    add("one", touch("a.ts"));
    add("one", bash("make", "", 1), { agentId: "sub" });
    add("two", prompt("y"), other);
    expect(totals(db, {})).toMatchObject({
      sessions: 2,
      subagents: 1,
      prompts: 2,
      messages: 1,
      tool_uses: 2,
      failed_tool_uses: 1,
      files_changed: 1,
      lines_added: 3,
      output_tokens: 5,
      first_at: START + 60_000,
      last_at: other.at,
    });
    const k = findProject(db, "k")?.id;
    expect(totals(db, { projectId: k })).toMatchObject({ sessions: 1, prompts: 1, tool_uses: 2 });
    expect(totalsBy(db, {}, "project")).toEqual([
      { name: "app", key: "k", sessions: 1, prompts: 1, tool_uses: 2 },
      { name: "app", key: "o", sessions: 1, prompts: 1, tool_uses: 0 },
    ]);
    expect(totalsBy(db, {}, "month").map(({ name, sessions }) => [name, sessions])).toEqual([
      ["2026-01", 1],
      ["2026-02", 1],
    ]);
    db.run("UPDATE sessions SET started_at = ? WHERE agent = 'codex'", new Date(2026, 1, 1, 0, 5).getTime());
    expect(totalsBy(db, {}, "month").at(-1)?.name).toBe("2026-02");
    expect(totalsBy(db, {}, "agent").map(({ name }) => name)).toEqual(["claude-code", "codex"]);
    expect(totalsByTool(db, {})).toEqual([
      { name: "Bash", uses: 1, failed: 1 },
      { name: "Edit", uses: 1, failed: 0 },
    ]);
    db.close();
  });
});

describe("the command that resumes a session", () => {
  it.each([
    ["claude-code", "claude --resume s"],
    ["codex", "codex resume s"],
    ["gemini-cli", "gemini --resume s"],
    ["copilot-cli", "copilot --resume s"],
    ["opencode", "opencode --session s"],
  ])("for %s is %j", (agent, line) => {
    const { db, add } = seedStore(undefined, { agent, cwd: "/it's here" });
    add("s", prompt("x"));
    add("s", ended("y"), { agentId: "sub" });
    expect(resumeLine(resumeCommand(session(db, "s")), "/it's here")).toBe(line);
    expect(resumeLine(resumeCommand(session(db, "agent-sub")), "/")).toBe(`cd '/it'\\''s here' && ${line}`);
    db.close();
  });

  it("fails for an unknown agent, or if the id would be read as an option", () => {
    const { db, add } = seedStore(undefined, { agent: "unheard-of" });
    add("s", prompt("x"));
    add("--help", prompt("x"), { agent: "codex" });
    expect(() => resumeCommand(session(db, "s"))).toThrow("cannot resume sessions of unheard-of");
    expect(() => resumeCommand(session(db, "--help"))).toThrow("read as an option");
    db.close();
  });
});
