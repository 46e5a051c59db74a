// The history commands (list, show, blame, fix, related, …) as text and as JSON.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bash, ended, prompt, said, seedStore, touch } from "../seed.ts";
import { createWorld, data, run, type World } from "./harness.ts";

const FIRST = "11111111-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
const SECOND = "11112222-bbbb-4bbb-8bbb-bbbbbbbbbbbb";

/** A world whose project has two sessions about a login. */
function createPast(): World {
  const world = createWorld();
  const { project: root } = world;
  const { db, add } = seedStore(join(world.home, "c-mem.db"), {
    cwd: root,
    project: { key: root, name: "project", root },
  });
  add(FIRST, prompt("Write the login"));
  add(FIRST, said("m1", "# Plan\n\nA **form**."), {});
  add(FIRST, touch("src/login.ts", "create"));
  add(FIRST, ended("The form is there."));
  add(SECOND, prompt("Make the login tests pass"));
  add(SECOND, bash("npm test", "Exit code 1\n\u001B[31mTypeError: user 7 is undefined\u001B[0m", 1));
  add(SECOND, touch("src/login.ts"), { agentId: "sub1", agentType: "Explore" });
  add(SECOND, bash("npm test", "passed"));
  add(SECOND, bash("git commit -m x", "[main 1a2b3c4] Load the user first"));
  add(SECOND, ended("The user is loaded first now."));
  db.close();
  return world;
}

describe("history commands", () => {
  it("lists and shows sessions, with ids usable in other commands", async () => {
    const world = createPast();
    const list = await run(world, ["list"]);
    expect(list).toMatchObject({ status: 0, stderr: "\n2 sessions, 1 subagent inside them\n" });
    expect(list.stdout).toMatch(
      /^session.*\n11112222 .* Make the login tests pass +1 +1\n11111111 .* Write the login +1 +1\n$/,
    );
    const show = await run(world, ["show", "11112222"]);
    expect(show).toMatchObject({ status: 0, stderr: "" });
    expect(show.stdout).toContain("❯ Make the login tests pass p2");
    expect(show.stdout).toMatch(
      /✗ Bash {2}npm test {2}→ exit 1 {2}t2\n.*subagent {2}Explore: 1 tool use, 1 file changed {2}agent-sub1/,
    );
    expect(show.stdout).toContain("commit 1a2b3c4 Load the user first");
    // Tool output is folded; the outcome may contain the error.
    expect(show.stdout.slice(show.stdout.indexOf("── turn 1"))).not.toContain("TypeError");
    // oxlint-disable-next-line no-control-regex -- recorded text must not control the terminal
    expect(show.stdout).not.toMatch(/[\u001B\u0007]/);
    const unfolded = await run(world, ["show", "last", "--tools"]);
    expect(unfolded.stdout).toContain("│ TypeError: user 7 is undefined\n");
    expect((await run(world, ["show", "m1"])).stdout).toContain("# Plan");
    expect((await run(world, ["show", "11112222", "--around", "t2"])).stdout).toContain("t2");
  });

  it("prints JSON with session ids and ISO times", async () => {
    const world = createPast();
    const results = async (...args: string[]) =>
      ((await data(world, args)) as { results?: Record<string, unknown>[] }).results;
    expect(await results("list", "-n", "1")).toEqual([
      expect.objectContaining({
        session_id: SECOND,
        prompts: 1,
        files_changed: 1,
        last_at: expect.stringMatching(/Z$/),
      }),
    ]);
    expect(await data(world, ["show", SECOND])).toMatchObject({
      session_id: SECOND,
      turns: [
        {
          prompt: { id: "p2" },
          items: [
            { id: "t2" },
            { session_id: "agent-sub1", parent_session_id: SECOND },
            {},
            {},
            { text: "The user is loaded first now." },
          ],
        },
      ],
    });
    expect(await results("search", "login", "--role", "user")).toMatchObject([
      { session_id: FIRST, kind: "prompt", role: "user" },
      { session_id: SECOND, kind: "prompt", role: "user" },
    ]);
    expect(await results("search", "loaded", "--role", "assistant")).toMatchObject([
      { kind: "message", role: "assistant" },
    ]);
    expect(await results("search", "undefined", "--role", "tool")).toMatchObject([{ kind: "tool", role: "tool" }]);
    const [one] = (await results("search", "login")) ?? [];
    const short = { env: { C_MEM_SEARCH_LIMIT: "1", C_MEM_SEARCH_SNIPPET_CHARS: "40" } };
    const few = (await data(world, ["search", "login"], short)) as { results?: Record<string, unknown>[] };
    expect(few.results).toMatchObject([{ session_id: one?.["session_id"] }]);
    expect(String(few.results?.[0]?.["snippet"]).length).toBeLessThanOrEqual(42);
    expect(await data(world, ["search", "login", "--limit", "2"], short)).toMatchObject({ results: [{}, {}] });
    expect(await results("search", "undefined", "--role", "all")).toEqual(await results("search", "undefined"));
    expect(await results("search", "login", "--role", "all", "--kind", "prompt")).toMatchObject([
      { session_id: FIRST, kind: "prompt" },
      { session_id: SECOND, kind: "prompt" },
    ]);
    expect(await results("search", "write", "--kind", "session")).toMatchObject([
      { session_id: FIRST, kind: "session", role: null, item: FIRST, open: `c-mem show ${FIRST}` },
    ]);
    expect(await results("timeline", FIRST, "--agent", "codex")).toMatchObject([{ session_id: FIRST }]);
    expect(await results("timeline", FIRST, "--before", "2026-01-05T09:02:00Z")).toMatchObject([{ session_id: FIRST }]);
    expect((await run(world, ["timeline", FIRST, "--project", "nothing"])).status).toBe(4);
    expect((await run(world, ["timeline", FIRST, "--agent", "Bogus"])).status).toBe(2);
    expect(await results("timeline", FIRST, "--depth", "1")).toMatchObject([
      { session_id: FIRST, is_anchor: true },
      {
        session_id: SECOND,
        failed: [{ id: "t2", error: expect.stringContaining("TypeError") }],
        commits: [{ sha: "1a2b3c4" }],
      },
    ]);
    expect(await results("related", FIRST)).toMatchObject([
      { session_id: SECOND, reasons: expect.arrayContaining(["changed the same src/login.ts"]), topics: ["login"] },
    ]);
    expect(await data(world, ["related", FIRST])).toMatchObject({
      topics: [{ topic: "login", session_ids: [SECOND] }],
    });
    const related = (await run(world, ["related", FIRST])).stdout;
    expect(related).toMatch(/^shared topics {2}login \(1 session\)$/m);
    expect(related).toMatch(/^ +same topics: login$/m);
    expect(await results("blame", "login.ts")).toMatchObject([
      {
        session_id: "agent-sub1",
        parent_session_id: SECOND,
        prompt: "Make the login tests pass",
        commits: [{ sha: "1a2b3c4" }],
      },
      { session_id: FIRST, creates: 1 },
    ]);
    expect(await results("fix", "TypeError: user 9 is undefined")).toMatchObject([
      {
        session_id: SECOND,
        changed: ["src/login.ts"],
        fixed_by: { same_command: true },
        closing: "The user is loaded first now.",
      },
    ]);
    expect(await results("how", "npm", "test")).toMatchObject([
      { kind: "command", command: "npm test", runs: 2, success_rate: 0.5, session_id: SECOND },
    ]);
    const stats = await data(world, ["stats"]);
    const days = stats["by_day"] as unknown as { tool_uses: number; bytes: number }[];
    expect(stats).toMatchObject({ totals: { sessions: 2, subagents: 1, prompts: 2, tool_uses: 5, commits: 1 } });
    expect(days.reduce((sum, day) => sum + day.tool_uses, 0)).toBe(5);
    // More than the text of the two prompts, less than a database page.
    const bytes = days.reduce((sum, day) => sum + day.bytes, 0);
    expect(bytes).toBeGreaterThan(100);
    expect(bytes).toBeLessThan(4_096);
    expect(await data(world, ["resume", "write", "login"])).toMatchObject({
      session_id: FIRST,
      command: `claude --resume ${FIRST}`,
    });
  });

  it("blames a file by its path relative to a sub-folder", async () => {
    const world = createPast();
    mkdirSync(join(world.project, ".git"));
    mkdirSync(join(world.project, "src"));
    for (const [path, cwd] of [
      ["login.ts", join(world.project, "src")],
      ["../src/login.ts", join(world.project, "src")],
      [join(world.project, "src", "login.ts"), world.project],
    ] as const) {
      expect((await run(world, ["blame", path, "--reads"], { cwd })).stdout).toContain("Write the login");
    }
  });

  it("reads an error from stdin, and options only before '--'", async () => {
    const world = createPast();
    const piped = await run(world, ["fix", "-"], { input: "> test\n\nTypeError: user 8 is undefined\n  at x\n" });
    expect(piped.stdout).toContain("✓ the same command passed");
    expect(await run(world, ["fix", "--", "--json"])).toMatchObject({ status: 4, stdout: "" });
  });

  it("prints no error when the reader closes the pipe", async () => {
    const world = createWorld();
    const { db, add } = seedStore(join(world.home, "c-mem.db"));
    add("big", prompt("word ".repeat(200_000)));
    db.close();
    const result = await run(world, ["show", "big"], {
      onStart: (child) => child.stdout?.once("data", () => child.stdout?.destroy()),
    });
    expect(result).toMatchObject({ stderr: "", status: 0 });
  });

  it("resumes in the session's folder", async () => {
    const world = createPast();
    const bin = join(world.home, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "claude"), '#!/bin/sh\necho "$PWD $*"\nexit 3\n');
    chmodSync(join(bin, "claude"), 0o755);
    const elsewhere = { cwd: "/", env: { PATH: `${bin}:${process.env["PATH"]}` } };
    expect((await run(world, ["resume", "11111111"], elsewhere)).stdout).toBe(
      `cd ${world.project} && claude --resume ${FIRST}\n`,
    );
    expect(await run(world, ["resume", "11111111", "--exec"], elsewhere)).toMatchObject({
      status: 3,
      stdout: `${world.project} --resume ${FIRST}\n`,
    });
    const missing = await run(world, ["resume", "11111111", "--exec"], { env: { PATH: "/nowhere" } });
    expect(missing).toMatchObject({ status: 1, stderr: expect.stringContaining("claude could not be started") });
  });

  it("exports, and overwrites files only with --force", async () => {
    const world = createPast();
    const file = join(world.project, "login.html");
    expect((await run(world, ["export", "write login"])).stdout).toContain("# Write the login\n");
    expect(await run(world, ["export", FIRST, "-o", file])).toMatchObject({ status: 0, stdout: "" });
    expect(readFileSync(file, "utf8")).toMatch(/^<!doctype html>/);
    expect(await run(world, ["export", FIRST, "-o", file])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("--force"),
    });
    expect((await run(world, ["export", FIRST, "-o", file, "--force", "--format", "json"])).status).toBe(0);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ session_id: FIRST });
    expect((await run(world, ["export", FIRST, "--format", "pdf"])).status).toBe(2);
    expect((await run(world, ["export", FIRST, "-o", join(world.project, "no", "folder.md")])).status).toBe(1);
    expect(existsSync(join(world.project, "no"))).toBe(false);
  });

  it("exits with 4 and a hint if nothing matches, and lists ambiguous matches", async () => {
    const world = createPast();
    for (const args of [
      ["list", "--agent", "codex"],
      ["list", "--before", "2020-01-01"],
      ["show", "nothing"],
      ["show", FIRST, "--turn", "9"],
      ["show", FIRST, "--around", "t99"],
      ["related", "nothing"],
      ["effort", "nothing"],
      ["effort", "e123456789"],
      ["blame", "nothing.ts"],
      ["fix", "nothing", "like", "this"],
      ["how", "nothing"],
      ["resume", "nothing"],
      ["export", "nothing"],
      ["timeline", "nothing"],
      ["stats", "--agent", "codex"],
      ["stats", "--project", "nothing"],
    ]) {
      expect([args, await run(world, args)]).toEqual([
        args,
        expect.objectContaining({ status: 4, stdout: "", stderr: expect.stringContaining("hint:") }),
      ]);
    }
    for (const command of [
      ...["fix", "how", "observations", "forget", "search", "blame"].map((name) => [name, "nothinglikethis"]),
      ...["list", "stats", "efforts"].map((name) => [name, "--agent", "codex"]),
    ]) {
      const { stderr } = await run(world, [...command, "--all"]);
      expect([command, stderr]).toEqual([command, expect.not.stringMatching(/hint:[^]*--all/)]);
    }
    expect(await run(world, ["show", "1111"])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(new RegExp(`${SECOND}[^]*${FIRST}`)),
    });
    for (const args of [
      ["show"],
      ["show", FIRST, "--turn", "x"],
      ["timeline", "--depth", "0"],
      ["list", "--since", "soon"],
      ["list", "--since", "2026-02-01", "--before", "2026-01-01"],
      ["search", "login", "--role", "unknown"],
      ["search", "login", "--role", "user", "--kind", "tool"],
      ["list", "--agent", "Bogus"],
      ["search", "login", "--agent", "Bogus"],
      ["blame", ""],
      ["fix", " "],
    ]) {
      expect([args, (await run(world, args)).status]).toEqual([args, 2]);
    }
  });

  it("reports projects with the same name", async () => {
    const world = createPast();
    const other = { key: "/elsewhere/project", name: "project", root: "/elsewhere/project" };
    const { db, add } = seedStore(join(world.home, "c-mem.db"), { cwd: other.root, project: other });
    add("old", prompt("Write the logout"), { at: Date.UTC(2020, 0, 1) });
    db.close();
    const named = await run(world, ["list", "--project", "project"]);
    expect(named.stdout).not.toContain("logout");
    expect(named.stderr).toContain(`Using ${world.project.slice(0, 40)}`);
    expect(named.stderr).toContain(other.key);
    const { stdout } = await run(world, ["list", "--project", "project", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ meta: { where: `project (${world.project})` } });
    expect((await run(world, ["context", "project"])).stderr).toContain(other.key);
    // `remember` requires an exact project: it does not guess the most likely one.
    expect(await run(world, ["remember", "Use tabs", "--project", "project"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`Name one by its key: ${world.project}, ${other.key}`),
    });
    expect((await run(world, ["remember", "Use tabs", "--project", other.key])).status).toBe(0);
    expect(await run(world, ["list", "--project", other.key])).toMatchObject({
      stdout: expect.stringContaining("logout"),
      stderr: "",
    });
  });

  it("never fails on hostile input", async () => {
    const world = createPast();
    for (const text of ["%", '"', "'", "*", "AND", "((", "\u001B[2J", "x".repeat(100_000)]) {
      const statuses = await Promise.all(
        ["show", "timeline", "related", "effort", "blame", "fix", "how", "resume", "export"].map(
          async (command) => (await run(world, [command, "--", text])).status,
        ),
      );
      for (const status of statuses) expect([0, 2, 4]).toContain(status);
    }
  });
});
