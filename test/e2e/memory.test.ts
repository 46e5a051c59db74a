// Memory on the command line: derived from recorded hooks, and again by c-mem rebuild.
import { describe, expect, it } from "vitest";
import { createWorld, data, hook, rows, run, type World } from "./harness.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";

async function work(world: World): Promise<void> {
  const common = { session_id: SESSION, cwd: world.project, transcript_path: "/nowhere.jsonl" };
  const prompt = "Raise the timeout of the client. Never retry a request that was sent.";
  await hook(world, "new", { ...common, hook_event_name: "UserPromptSubmit", prompt });
  await hook(world, "save", {
    ...common,
    hook_event_name: "PostToolUse",
    tool_name: "Edit",
    tool_use_id: "toolu_1",
    tool_input: { file_path: `${world.project}/src/client.ts`, old_string: "1000", new_string: "5000" },
    tool_response: {
      structuredPatch: [{ oldStart: 1, newStart: 1, lines: ["-const TIMEOUT = 1000;", "+const TIMEOUT = 5000;"] }],
    },
  });
  await hook(world, "summary", {
    ...common,
    hook_event_name: "Stop",
    last_assistant_message: "Raised the timeout of `client.ts` to 5 seconds.",
  });
}

describe("c-mem show", () => {
  it("begins with the session's summary of eight fields", async () => {
    const world = createWorld();
    await work(world);
    const shown = await data(world, ["show", "last"], { cwd: world.project });
    const fields = {
      request: expect.stringContaining("Raise the timeout") as string,
      investigated: "",
      learned: "",
      completed: expect.stringContaining("Raised the timeout of `client.ts` to 5 seconds") as string,
      next_steps: "",
      files_read: [],
      files_edited: ["src/client.ts"],
      notes: expect.stringContaining("Never retry") as string,
    };
    expect(shown).toMatchObject({ summary: fields, turns: [{ summary: fields }] });
    const { stdout } = await run(world, ["show", "last"], { cwd: world.project });
    expect(stdout).toMatch(/^ {2}done\s+Raised the timeout/m);
  });
});

describe("c-mem show of an observation", () => {
  it("lists files modified by its turn separately from files only read", async () => {
    const world = createWorld();
    await hook(world, "new", {
      session_id: "s1",
      hook_event_name: "UserPromptSubmit",
      prompt_id: "read",
      prompt: "Why does client.ts time out?",
    });
    await hook(world, "save", {
      session_id: "s1",
      hook_event_name: "PostToolUse",
      prompt_id: "read",
      tool_name: "Read",
      tool_use_id: "toolu_0",
      tool_input: { file_path: `${world.project}/src/client.ts` },
      tool_response: { file: { content: "const TIMEOUT = 1000;" } },
    });
    await hook(world, "summary", {
      session_id: "s1",
      hook_event_name: "Stop",
      prompt_id: "read",
      last_assistant_message:
        "The client times out because `TIMEOUT` in `src/client.ts` is one second only, so every slow reply of the server is lost.\n\n- The retry in `src/client.ts` is never called, because its condition is reversed.",
    });
    await work(world);
    const found = (await data(world, ["observations"])) as unknown as { results: { id: string; files: string[] }[] };
    const split = found.results.filter(({ files }) => files.length > 0);
    expect(split).toMatchObject([
      { files: ["src/client.ts"], files_read: [], files_modified: ["src/client.ts"] },
      { files: ["src/client.ts"], files_read: ["src/client.ts"], files_modified: [] },
    ]);
    const [changed, read] = await Promise.all(split.map(({ id }) => run(world, ["show", id])));
    expect(changed?.stdout).toMatch(/^ {2}modified +src\/client\.ts$/m);
    expect(read?.stdout).toMatch(/^ {2}read +src\/client\.ts$/m);
  });
});

describe("c-mem rebuild", () => {
  it("derives the same memory every time", async () => {
    const world = createWorld();
    await work(world);
    expect(await data(world, ["rebuild"], { cwd: world.project })).toMatchObject({
      sessions: 1,
      turns: 1,
      changed: 1,
      observations: 2,
      summaries: 1,
      interrupted: false,
    });
    const memory = "SELECT id, type, title, narrative, evidence, files FROM observations ORDER BY id";
    const expected = await rows(world, memory);
    expect(expected).toMatchObject([
      { type: "feature", title: "Raised the timeout of client.ts to 5 seconds", files: '["src/client.ts"]' },
      { type: "decision", title: "Never retry a request that was sent", evidence: '["p1"]' },
    ]);
    const again = await run(world, ["rebuild", "--all"]);
    expect(again.stdout).toContain("1 turn of 1 session derived again, 0 changed; 2 observations, 1 summaries.");
    expect(await rows(world, memory)).toEqual(expected);
  });

  it("reports an unknown project", async () => {
    const world = createWorld();
    const result = await run(world, ["rebuild", "-p", "nowhere", "--json"]);
    expect(result.status).toBe(4);
    expect(JSON.parse(result.stdout)).toMatchObject({ error: { code: "nothing_found" } });
  });
});
