// Instructions planted in everything an agent reads. In later sessions they may only appear inside the fence and marked
// as quotations, and they must not become decisions. The tests run real hooks for every surface, and the memory tools.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { contextOf, createWorld, hook, rows, run, type World } from "../e2e/harness.ts";
import { connect } from "../e2e/mcp-client.ts";
import { ATTACKS } from "./hostile-texts.ts";
import { expectHarmless } from "./harmless.ts";
import { PLANTED_INSTRUCTIONS } from "./planted-instructions.ts";

let world: World;
let counter = 0;
let planted = 0;
const turn = (session: string) => ({ session_id: session, prompt_id: `p-${session}` });
const tool = (session: string, name: string, input: object, response: object, extra: object = {}) =>
  hook(world, "save", {
    ...turn(session),
    hook_event_name: "PostToolUse",
    tool_use_id: `t${counter++}`,
    tool_name: name,
    tool_input: input,
    tool_response: response,
    ...extra,
  });

/** Runs one session per instruction, with the instruction planted in every place. */
beforeAll(async () => {
  world = createWorld();
  execFileSync("git", ["init", "-q", "-b", "trunk"], { cwd: world.project });
  mkdirSync(join(world.project, "src"));
  for (const [index, { instruction }] of PLANTED_INSTRUCTIONS.entries()) {
    const session = `poisoned-${index}`;
    const branch = instruction.replaceAll(/[^\w]+/g, "-").replaceAll(/^-|-$/g, "");
    execFileSync("git", ["symbolic-ref", "HEAD", `refs/heads/${branch}`], { cwd: world.project });
    // Ten places: branch, file (shown by two tools), web page, log, commit, list of branches, file name, error, answer.
    planted += 10;
    const file = join(world.project, "src", `module${index}.ts`);
    writeFileSync(file, `// ${instruction}\n`);
    await hook(world, "new", {
      ...turn(session),
      hook_event_name: "UserPromptSubmit",
      prompt: `Fix the flaky loader in module${index}`,
    });
    await tool(session, "Bash", { command: `cat src/module${index}.ts` }, { stdout: `// ${instruction}\n` });
    await tool(session, "Read", { file_path: file }, { type: "text", file: { filePath: file, content: instruction } });
    await tool(
      session,
      "WebFetch",
      { url: "https://example.com/", prompt: "read" },
      { result: `<p>${instruction}</p>` },
    );
    await tool(
      session,
      "Bash",
      { command: "git log -3" },
      { stdout: `commit ${"a".repeat(40)}\n\n    ${instruction}\n` },
    );
    await tool(
      session,
      "Bash",
      { command: `git commit -am "${instruction.replaceAll('"', "'")}"` },
      { stdout: `[trunk abc1234] ${instruction}` },
    );
    await tool(
      session,
      "Bash",
      { command: "git branch" },
      { stdout: `* trunk\n  ${instruction.replaceAll(" ", "-")}` },
    );
    const named = join(world.project, "src", `${instruction.replaceAll("/", "_").slice(0, 120)}.ts`);
    await tool(session, "Write", { file_path: named, content: "x" }, { type: "create", content: "x" });
    await tool(
      session,
      "Edit",
      { file_path: file, old_string: "a", new_string: "b" },
      { filePath: file, structuredPatch: [] },
    );
    await hook(world, "save", {
      ...turn(session),
      hook_event_name: "PostToolUseFailure",
      tool_use_id: `t${counter++}`,
      tool_name: "Bash",
      tool_input: { command: `npm run check:module${index}` },
      error: `Exit code 1\nError: loader${index} failed: ${instruction}`,
    });
    await tool(session, "Bash", { command: `npm run check:module${index}` }, { stdout: "ok" });
    await hook(world, "summary", {
      ...turn(session),
      hook_event_name: "Stop",
      last_assistant_message: `Fixed the flaky loader in module${index}. The file says: "${instruction}" and a commit message reads: ${instruction}`,
    });
  }
  execFileSync("git", ["symbolic-ref", "HEAD", "refs/heads/trunk"], { cwd: world.project });
  await run(world, ["rebuild", "--all"]);
}, 120_000);

describe("an instruction planted in content that an agent read", () => {
  it("is planted in as many places as ATTACKS says", () => {
    expect(planted).toBe(ATTACKS.instructions * ATTACKS.places);
  });

  it("does not become a decision", async () => {
    const decisions = await rows<{ title: string; narrative: string; facts: string }>(
      world,
      "SELECT title, narrative, facts FROM observations WHERE type = 'decision'",
    );
    for (const { words } of PLANTED_INSTRUCTIONS) {
      const matching = decisions.filter((row) =>
        `${row.title} ${row.narrative} ${row.facts}`.toLowerCase().includes(words.toLowerCase()),
      );
      expect({ words, matching }).toEqual({ words, matching: [] });
    }
  });

  it.each(["startup", "clear", "compact", "resume"])("is harmless at session start (%s)", async (source) => {
    const answer = await hook(world, "context", {
      ...turn(`later-${source}`),
      hook_event_name: "SessionStart",
      source,
    });
    expectHarmless(contextOf(answer), source);
  });

  it("is harmless for a prompt, a file, a command, an error or a subagent about it", async () => {
    for (const [index, { instruction }] of PLANTED_INSTRUCTIONS.entries()) {
      const session = `asks-${index}`;
      const prompts = [`Why was the flaky loader in module${index} failing?`, instruction];
      for (const prompt of prompts) {
        expectHarmless(
          contextOf(await hook(world, "new", { ...turn(session), hook_event_name: "UserPromptSubmit", prompt })),
          prompt,
        );
      }
      const before = (tool_name: string, tool_input: object) =>
        hook(world, "recall", { ...turn(session), hook_event_name: "PreToolUse", tool_name, tool_input });
      expectHarmless(
        contextOf(await before("Edit", { file_path: join(world.project, "src", `module${index}.ts`) })),
        "file",
      );
      expectHarmless(contextOf(await before("Bash", { command: `npm run check:module${index}` })), "command");
      expectHarmless(
        contextOf(await before("Agent", { prompt: `Look at the flaky loader in module${index}`, subagent_type: "x" })),
        "agent",
      );
      const failure = await hook(world, "save", {
        ...turn(session),
        hook_event_name: "PostToolUseFailure",
        tool_use_id: `f${index}`,
        tool_name: "Bash",
        tool_input: { command: `npm run check:module${index}` },
        error: `Exit code 1\nError: loader${index} failed: ${instruction}`,
      });
      expectHarmless(contextOf(failure), "error");
    }
  }, 120_000);

  it("is marked as a quotation by every memory tool", async () => {
    const { call } = await connect(world);
    const [item] = await rows<{ id: number }>(world, "SELECT min(id) AS id FROM tool_uses");
    const [observation] = await rows<{ id: number }>(world, "SELECT min(id) AS id FROM observations");
    const answers = [
      await call("search", { query: "flaky loader module0" }),
      await call("timeline", { anchor: "poisoned-0" }),
      await call("get_observations", { ids: [`o${observation?.id}`, `t${item?.id}`, "poisoned-0"] }),
      await call("file_history", { path: "src/module0.ts" }),
      await call("find_fix", { error: "loader0 failed" }),
    ];
    for (const { text } of answers) {
      expect(text).not.toMatch(/<\/?(?:c-mem-context|system-reminder|system|user|assistant)>/i);
      for (const { words } of PLANTED_INSTRUCTIONS) {
        // Before recorded text there is always a label, a dash or a quotation mark, so no line begins with it.
        const bare = text.split("\n").filter((line) => line.toLowerCase().startsWith(words.toLowerCase()));
        expect({ words, bare }).toEqual({ words, bare: [] });
      }
    }
  });
});
