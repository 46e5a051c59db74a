// The memory tools in the real client: listed, explained, called by the model, answered within their budget.
import { describe, expect, it, onTestFinished } from "vitest";
import { estimateTokens } from "../../src/core/tokens.ts";
import { rows, run } from "../e2e/harness.ts";
import { claude, session } from "./client.ts";
import type { ModelRequest } from "./fake-model.ts";
import { testLab } from "./lab.ts";
import { DECISION, HANDOVER } from "./scripts.ts";
import { startTui } from "./tui.ts";

const METHODS = [
  { method: "plugin", server: "plugin:c-mem:memory", tool: "mcp__plugin_c-mem_memory__search" },
  { method: "settings", server: "c-mem", tool: "mcp__c-mem__search" },
];

describe.each(METHODS)("installed with the $method", ({ method, server, tool }) => {
  it("the tools are listed and called, and their calls are not recorded", async () => {
    const lab = await testLab();
    await run(lab, ["install", "--yes", "--method", method]);
    const listed = await claude(lab, ["mcp", "list"]);
    expect(listed.stdout).toMatch(new RegExp(`${server}: .*mcp\\.cjs.*Connected`));
    const first = await session(lab, "Why does add subtract? [[script:work]]");
    await run(lab, ["remember", "In calc.js, add must never subtract."]);
    const { requests, answer } = await session(lab, "What was it about add? [[script:recall]]");
    expect(answer).toBe("Recalled.");
    expect(requests[0]?.text).toContain(tool);
    expect(requests[0]?.text).toContain("Three layers, cheapest first");
    const found = resultText(requests.at(-1));
    expect(found).toContain(`claude-code ${first.id.slice(0, 8)} turn 1`);
    expect(found).toMatch(/^o\d+ {2}.* tokens/m);
    expect(estimateTokens(found)).toBeLessThanOrEqual(2_000);
    expect(await rows(lab, "SELECT name FROM tool_uses WHERE name LIKE 'mcp%'")).toEqual([]);
  });
});

it("forgets nothing without a user to confirm", async () => {
  const lab = await testLab();
  await run(lab, ["install", "--yes"]);
  await run(lab, ["remember", "The quokka sleeps in the attic."]);
  const { requests } = await session(lab, "Forget it [[script:forget]]");
  expect(resultText(requests.at(-1))).toContain("Nothing was deleted");
  expect(await rows(lab, "SELECT narrative FROM observations WHERE id = 1")).toEqual([
    { narrative: "The quokka sleeps in the attic." },
  ]);
});

it("shows the user what would be forgotten, and forgets it when they accept", async () => {
  const lab = await testLab();
  await run(lab, ["install", "--yes"]);
  await run(lab, ["remember", "The quokka sleeps in the attic."]);
  const tools = "ToolSearch,mcp__plugin_c-mem_memory__forget";
  const tui = startTui(lab, ["--permission-mode", "acceptEdits", "--allowedTools", tools]);
  onTestFinished(() => tui.close());
  await tui.waitFor(/accept edits on/);
  // With a screen the client does not wait for its servers before the first turn.
  await tui.say("Good morning [[script:hello]]");
  await tui.waitFor(/● Hello from the model\.[\s\S]* done \d/);
  await tui.say("Forget it [[script:forget]]");
  await tui.waitFor(/observation o1.*quokka[\s\S]*Accept/);
  expect(await rows(lab, "SELECT id FROM observations WHERE narrative LIKE '%quokka%'")).toEqual([{ id: 1 }]);
  await tui.say("");
  await tui.waitFor(/● So much for that\./);
  expect(await rows(lab, "SELECT id FROM observations WHERE narrative LIKE '%quokka%'")).toEqual([]);
});

it("a decision is remembered as part of the session in which it was made", async () => {
  const lab = await testLab();
  await run(lab, ["install", "--yes"]);
  const { id, requests } = await session(lab, "add must never subtract [[script:decide]]");
  expect(requests[0]?.text).toContain("When the user decides something, call remember with the reason.");
  expect(resultText(requests.at(-1))).toContain(`Saved for project as o1: ${DECISION.text}`);
  expect(
    await rows(
      lab,
      "SELECT session_id, prompt_number, facts FROM observations o JOIN sessions s ON s.id = session_db_id WHERE o.id = 1",
    ),
  ).toEqual([{ session_id: id, prompt_number: 1, facts: `["Why: ${DECISION.reason}"]` }]);
});

it("the command /c-mem:handover has the agent write the session's summary, also after /clear", async () => {
  const lab = await testLab();
  await run(lab, ["install", "--yes"]);
  const tools = "ToolSearch,Bash,mcp__plugin_c-mem_memory__handover";
  const tui = startTui(lab, ["--permission-mode", "acceptEdits", "--allowedTools", tools]);
  onTestFinished(() => tui.close());
  await tui.waitFor(/accept edits on/);
  await tui.say("Good morning [[script:hello]]");
  await tui.waitFor(/● Hello from the model\.[\s\S]* done \d/);
  await tui.say("/clear");
  await tui.waitFor(/accept edits on/);
  await tui.say("List the files [[script:list]]");
  await tui.waitFor(/● Listed\./);
  await tui.say("/c-mem:handover [[script:handover]]");
  await tui.waitFor(/● Handed over\./);
  tui.close();
  await run(lab, ["worker", "run", "--once"]);
  const current = `SELECT s.session_id, u.producer, u.last_prompt, u.title, u.handover FROM summaries u
    JOIN sessions s ON s.id = u.session_db_id
    WHERE u.prompt_number = 0 AND u.is_current = 1 AND s.prompt_count = 2`;
  const { sessionId } = lab.model.requests.at(-1) as ModelRequest;
  expect(await rows(lab, current)).toEqual([
    {
      session_id: sessionId,
      producer: "agent",
      last_prompt: 2,
      title: HANDOVER.title,
      handover: JSON.stringify(HANDOVER.handover.split("\n")),
    },
  ]);
});

it("the plugin has a skill and commands for people", async () => {
  const lab = await testLab();
  await run(lab, ["install", "--yes"]);
  const { stdout } = await claude(lab, ["-p", "Hi [[script:hello]]", "--output-format", "stream-json", "--verbose"]);
  const start = stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .find((line) => line["subtype"] === "init");
  expect(start?.["slash_commands"]).toEqual(
    expect.arrayContaining(["c-mem:recall", "c-mem:remember", "c-mem:forget", "c-mem:fix", "c-mem:handover"]),
  );
});

/** The result of the last tool call. */
function resultText(request: ModelRequest | undefined): string {
  const blocks = request?.body.messages.flatMap(({ content }) => (typeof content === "string" ? [] : content)) ?? [];
  const results = blocks.filter((block) => block.type === "tool_result") as {
    content?: string | { text?: string }[];
  }[];
  const content = results.at(-1)?.content;
  return typeof content === "string" ? content : (content ?? []).map((block) => block.text ?? "").join("\n");
}
