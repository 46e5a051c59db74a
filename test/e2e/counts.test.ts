// All commands print the same numbers of sessions and projects.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createWorld, data, hook, run, type World } from "./harness.ts";

interface Envelope {
  data: Record<string, unknown> & { results: Record<string, unknown>[] };
  meta: Record<string, unknown>;
}

async function json(world: World, ...args: string[]): Promise<Envelope> {
  return JSON.parse((await run(world, [...args, "--json"])).stdout) as Envelope;
}

/** Two projects with three sessions and four subagents; two more sessions without a prompt, one in a third project. */
async function fill(world: World): Promise<void> {
  const folders = ["one", "two", "three"].map((name) => join(world.project, name));
  for (const folder of folders) mkdirSync(folder);
  const [one, two, three] = folders;
  const tell = (command: string, event: string, session: string, cwd: string | undefined, extra: object = {}) =>
    hook(world, command, { hook_event_name: event, session_id: session, cwd, ...extra });
  for (const [session, cwd] of [
    ["s1", one],
    ["s2", one],
    ["s3", two],
  ] as const) {
    await tell("context", "SessionStart", session, cwd, { source: "startup" });
    await tell("new", "UserPromptSubmit", session, cwd, { prompt: "Please look into it" });
    await tell("summary", "Stop", session, cwd, { last_assistant_message: "Done." });
  }
  for (const id of ["a", "b", "c", "d"]) {
    const agent = { agent_id: id, agent_type: "Explore" };
    const use = { tool_name: "Bash", tool_use_id: `t${id}`, tool_input: { command: "ls" }, tool_response: {} };
    await tell("save", "PostToolUse", "s1", one, { ...agent, ...use });
    await tell("summary", "SubagentStop", "s1", one, { ...agent, last_assistant_message: "Found." });
  }
  await tell("context", "SessionStart", "opened-only", one, { source: "startup" });
  await tell("context", "SessionStart", "elsewhere", three, { source: "startup" });
}

describe("counts", () => {
  const world = createWorld();
  beforeAll(() => fill(world), 60_000);

  it("are the same in status, stats, list and projects", async () => {
    const status = (await json(world, "status")).data["counts"];
    expect(status).toMatchObject({ sessions: 3, subagents: 4, projects: 2 });
    const stats = (await json(world, "stats", "--all")).data;
    expect(stats).toMatchObject({
      totals: { sessions: 3, subagents: 4, prompts: 3 },
      by_agent: [{ name: "claude-code", sessions: 3 }],
      by_project: [
        { name: "one", sessions: 2 },
        { name: "two", sessions: 1 },
      ],
    });
    const days = stats["by_day"] as { sessions: number }[];
    expect(days.reduce((sum, day) => sum + day.sessions, 0)).toBe(3);
    const list = await json(world, "list", "--all");
    expect(list.data.results).toHaveLength(3);
    expect(list.meta).toMatchObject({ total: 3, subagents: 4, has_more: false });
    // "opened-only" is the newest session, but it is not counted.
    const lastAt = list.data.results.map((session) => String(session["last_at"])).toSorted();
    expect((stats["totals"] as { last_at: string }).last_at).toBe(lastAt.at(-1));
    const projects = (await json(world, "projects")).data.results;
    expect(projects.map(({ name, sessions }) => [name, sessions]).toSorted()).toEqual([
      ["one", 2],
      ["two", 1],
    ]);
  });

  it("say which numbers are counted separately", async () => {
    expect((await run(world, ["status"])).stdout).toContain("3 sessions (and 4 subagents) in 2 projects");
    expect((await run(world, ["stats", "--all"])).stdout).toMatch(/sessions\s+3 and 4 subagents/);
    expect((await run(world, ["list", "--all"])).stderr).toContain("3 sessions, 4 subagents inside them");
    const some = await run(world, ["list", "--all", "--limit", "2"]);
    expect(some.stderr).toContain("2 of 3 sessions (-n 4 shows more), 4 subagents inside them");
    expect(some.stdout).not.toContain("of 3 sessions");
  });

  it("are the same for one project", async () => {
    expect((await json(world, "list", "--project", "one")).meta).toMatchObject({ total: 2, subagents: 4 });
    expect((await json(world, "stats", "--project", "one")).data).toMatchObject({
      totals: { sessions: 2, subagents: 4 },
    });
  });

  it("are the same at session start", async () => {
    const start = {
      session_id: "s9",
      hook_event_name: "SessionStart",
      source: "startup",
      cwd: join(world.project, "one"),
    };
    expect(await hook(world, "context", start)).toMatchObject({
      systemMessage: expect.stringMatching(/^C-Mem: 2 sessions, .*Page: `c-mem open`$/) as string,
    });
  });
});

describe("a hook without output", () => {
  it("counts as fired", async () => {
    const world = createWorld();
    const tool = { tool_name: "Read", tool_input: { file_path: join(world.project, "a.ts") }, tool_use_id: "t1" };
    for (let index = 0; index < 3; index++)
      await hook(world, "recall", { hook_event_name: "PreToolUse", session_id: "s1", ...tool });
    await hook(world, "new", { hook_event_name: "UserPromptSubmit", session_id: "s1", prompt: "Go" });
    const { stdout } = await run(world, ["status"]);
    expect(stdout).toMatch(/recall +\S.*, 3 times\n/);
    expect(stdout).toMatch(/new +\S.*, 1 time\n/);
    const { hooks } = (await data(world, ["status"])) as unknown as { hooks: Record<string, unknown>[] };
    expect(hooks).toContainEqual(
      expect.objectContaining({ command: "recall", count: 3, last_fired: expect.any(String) as string }),
    );
  });
});

describe("a hook whose event is not recorded", () => {
  it("counts as fired if the turn is private or the tool skipped, not in an excluded folder", async () => {
    const world = createWorld();
    await run(world, ["config", "set", "skipTools", "TodoWrite"]);
    const tool = { hook_event_name: "PostToolUse", session_id: "s1", tool_input: {}, tool_response: {} };
    await hook(world, "save", { ...tool, tool_name: "TodoWrite", tool_use_id: "t1" });
    const prompt = { hook_event_name: "UserPromptSubmit", session_id: "s1", prompt: "<private>Hush</private>" };
    await hook(world, "new", prompt);
    await hook(world, "save", { ...tool, tool_name: "Bash", tool_use_id: "t2" });
    const excluded = join(world.project, "excluded");
    mkdirSync(excluded);
    await run(world, ["ignore", excluded]);
    await hook(world, "save", { ...tool, tool_name: "Bash", tool_use_id: "t3", session_id: "s2", cwd: excluded });
    const { stdout } = await run(world, ["status"]);
    expect(stdout).toMatch(/save +\S.*, 2 times\n/);
    expect(stdout).toMatch(/new +\S.*, 1 time\n/);
    expect((await data(world, ["status"]))["counts"]).toMatchObject({ sessions: 0, tool_uses: 0 });
  });
});

describe("the first session start", () => {
  it("prints one line: nothing recorded yet, and the page's address", async () => {
    const world = createWorld();
    const start = { session_id: "s1", hook_event_name: "SessionStart" };
    expect(await hook(world, "context", { ...start, source: "startup" })).toEqual({
      systemMessage: "C-Mem: no sessions yet. Recording has started. Page: `c-mem open`",
    });
    expect(await hook(world, "context", { ...start, source: "clear", session_id: "s2" })).toEqual({});
  });
});

describe("the worker's jobs", () => {
  it("are not counted as unread history", async () => {
    const world = createWorld();
    const start = { session_id: "s1", hook_event_name: "SessionStart", source: "startup" };
    const activity = (toRead: number): string =>
      JSON.stringify({ sessions: 0, to_read: toRead, queue: { pending: 1, running: 0, failed: 0 } });
    mkdirSync(world.home, { recursive: true });
    writeFileSync(join(world.home, "activity.json"), activity(0));
    expect(String((await hook(world, "context", start))["systemMessage"])).toContain("no sessions yet");
    writeFileSync(join(world.home, "activity.json"), activity(3));
    expect(await hook(world, "context", start)).toEqual({
      systemMessage: "C-Mem: reading earlier sessions, 3 to go. Page: `c-mem open`",
    });
  });
});

describe("the time in a payload", () => {
  it("is used only if plausible", async () => {
    const world = createWorld();
    const now = Date.now();
    const said = (session: string, timestamp: unknown) =>
      hook(world, "new", { hook_event_name: "UserPromptSubmit", session_id: session, prompt: "go", timestamp });
    await said("late", new Date(now - 3_600_000).toISOString());
    await said("wrong", "1999-01-01T00:00:00Z");
    await said("ahead", new Date(now + 86_400_000).toISOString());
    await said("odd", { not: "a time" });
    const { results } = (await json(world, "list", "--all")).data;
    const startedAt = new Map(results.map((row) => [row["session_id"], Date.parse(String(row["started_at"]))]));
    expect(startedAt.get("late")).toBe(now - 3_600_000);
    for (const session of ["wrong", "ahead", "odd"]) expect(startedAt.get(session)).toBeGreaterThanOrEqual(now);
  });
});
