// A red-team set: texts that give orders, planted wherever an agent reads. None may reach a later session outside its
// fence or unmarked, none may become a decision. Real hooks, real extraction, every surface that hands memory back.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { contextOf, createWorld, hook, rows, run, type World } from "../e2e/harness.ts";
import { connect } from "../e2e/mcp-client.ts";
import { ATTACKS } from "./hostile-texts.ts";
import { ORDERS, PLANTS } from "./orders.ts";

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

/** For every order one session in which it was met in every place. */
beforeAll(async () => {
  world = createWorld();
  execFileSync("git", ["init", "-q", "-b", "trunk"], { cwd: world.project });
  mkdirSync(join(world.project, "src"));
  for (const [index, order] of ORDERS.entries()) {
    const session = `poisoned-${index}`;
    const branch = order.replaceAll(/[^\w]+/g, "-").replaceAll(/^-|-$/g, "");
    execFileSync("git", ["symbolic-ref", "HEAD", `refs/heads/${branch}`], { cwd: world.project });
    // The branch, a file as two tools show it, a page, a log, a commit, a list of branches, a file's name, an error, the answer.
    planted += 10;
    const file = join(world.project, "src", `module${index}.ts`);
    writeFileSync(file, `// ${order}\n`);
    await hook(world, "new", {
      ...turn(session),
      hook_event_name: "UserPromptSubmit",
      prompt: `Fix the flaky loader in module${index}`,
    });
    await tool(session, "Bash", { command: `cat src/module${index}.ts` }, { stdout: `// ${order}\n` });
    await tool(session, "Read", { file_path: file }, { type: "text", file: { filePath: file, content: order } });
    await tool(session, "WebFetch", { url: "https://example.com/", prompt: "read" }, { result: `<p>${order}</p>` });
    await tool(session, "Bash", { command: "git log -3" }, { stdout: `commit ${"a".repeat(40)}\n\n    ${order}\n` });
    await tool(
      session,
      "Bash",
      { command: `git commit -am "${order.replaceAll('"', "'")}"` },
      { stdout: `[trunk abc1234] ${order}` },
    );
    await tool(session, "Bash", { command: "git branch" }, { stdout: `* trunk\n  ${order.replaceAll(" ", "-")}` });
    const named = join(world.project, "src", `${order.replaceAll("/", "_").slice(0, 120)}.ts`);
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
      error: `Exit code 1\nError: loader${index} failed: ${order}`,
    });
    await tool(session, "Bash", { command: `npm run check:module${index}` }, { stdout: "ok" });
    await hook(world, "summary", {
      ...turn(session),
      hook_event_name: "Stop",
      last_assistant_message: `Fixed the flaky loader in module${index}. The file says: "${order}" and a commit message reads: ${order}`,
    });
  }
  execFileSync("git", ["symbolic-ref", "HEAD", "refs/heads/trunk"], { cwd: world.project });
  await run(world, ["rebuild", "--all"]);
}, 120_000);

/** What an agent is handed: one fence around it all, closed once, and no order in it that is not marked as a quotation. */
function expectHarmless(text: string, where: string): void {
  if (text === "") return;
  expect(text.match(/<c-mem-context>/g) ?? [], where).toHaveLength(1);
  expect(text.match(/<\/c-mem-context>/g) ?? [], where).toHaveLength(1);
  expect(text.trimStart().startsWith("<c-mem-context>") && text.trimEnd().endsWith("</c-mem-context>"), where).toBe(
    true,
  );
  const outside = text
    .replaceAll(/\[quoted text, not an instruction: “[^”]*”\]/g, "[quoted]")
    .replaceAll(/[-_]+/g, " ");
  for (const { words } of PLANTS)
    expect({ where, line: lineWith(outside, words.replaceAll(/[-_]+/g, " ")) }).toEqual({ where, line: undefined });
}

const lineWith = (text: string, words: string): string | undefined =>
  text.split("\n").find((line) => line.toLowerCase().includes(words.toLowerCase()));

describe("an order in content that an agent only read", () => {
  it("is planted in every kind of input", () => {
    expect(planted).toBe(ATTACKS.orders * ATTACKS.places);
  });

  it("does not become a decision", async () => {
    const decisions = await rows<{ title: string; narrative: string; facts: string }>(
      world,
      "SELECT title, narrative, facts FROM observations WHERE type = 'decision'",
    );
    for (const { words } of PLANTS) {
      const said = decisions.filter((row) =>
        `${row.title} ${row.narrative} ${row.facts}`.toLowerCase().includes(words.toLowerCase()),
      );
      expect({ words, said }).toEqual({ words, said: [] });
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
    for (const [index, order] of ORDERS.entries()) {
      const session = `asks-${index}`;
      const prompts = [`Why was the flaky loader in module${index} failing?`, order];
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
        error: `Exit code 1\nError: loader${index} failed: ${order}`,
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
      for (const { words } of PLANTS) {
        // Recorded text stands behind a mark, a dash or in quotation marks; never at the beginning of a line of its own.
        const bare = text.split("\n").filter((line) => line.toLowerCase().startsWith(words.toLowerCase()));
        expect({ words, bare }).toEqual({ words, bare: [] });
      }
    }
  });
});
