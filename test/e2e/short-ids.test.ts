// Every printed session id finds its session when pasted into another command.
import { beforeAll, describe, expect, it } from "vitest";
import { createWorld, hook, run } from "./harness.ts";
import { connect } from "./mcp-client.ts";

/** Session ids of Codex (UUIDv7) that started within the same second. */
const SHARED = "019f0000-1111-7000-8000-0000000000";
const IDS = ["a1", "a2", "b1"].map((end) => SHARED + end);

const world = createWorld();
beforeAll(async () => {
  for (const id of IDS) {
    const base = { session_id: id };
    const tool = { ...base, tool_name: "Edit", tool_input: { file_path: `${world.project}/shed.ts` } };
    const bash = { ...base, tool_name: "Bash", tool_input: { command: "npm run paint" } };
    await hook(world, "new", { ...base, hook_event_name: "UserPromptSubmit", prompt: "Paint the shed green" });
    await hook(world, "save", { ...tool, hook_event_name: "PostToolUse", tool_use_id: `e${id}`, tool_response: {} });
    await hook(world, "save", {
      ...bash,
      hook_event_name: "PostToolUseFailure",
      tool_use_id: `f${id}`,
      error: "Exit code 1\nError: the brush is missing",
    });
    await hook(world, "save", {
      ...bash,
      hook_event_name: "PostToolUse",
      tool_use_id: `g${id}`,
      tool_response: { stdout: "painted", stderr: "" },
    });
    await hook(world, "summary", { ...base, hook_event_name: "Stop", last_assistant_message: "The shed is green." });
  }
});

describe("session ids that share 34 characters", () => {
  it.each([
    ["list", []],
    ["search", ["shed"]],
    ["timeline", [IDS[0] as string]],
    ["related", [IDS[0] as string]],
    ["blame", ["shed.ts"]],
    ["fix", ["the brush is missing"]],
    ["how", ["npm run paint"]],
    ["forget", [IDS[0] as string, "--dry-run"]],
  ])("are long enough to be unique in the output of %s", async (command, args) => {
    const { stdout, status } = await run(world, [command, ...args]);
    expect(status).toBe(0);
    const printed = [...new Set(stdout.match(/019f[\da-f-]*/g))];
    expect(printed.length).toBeGreaterThan(0);
    for (const id of printed) expect(IDS).toContain(id.padEnd(36, "1"));
    for (const id of printed) expect((await run(world, ["show", id])).status).toBe(0);
  });

  it("are long enough to be unique in the commands a search prints", async () => {
    const { stdout } = await run(world, ["search", "shed"]);
    const commands = stdout.match(/c-mem show.*/g) ?? [];
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) expect((await run(world, command.split(" ").slice(1))).status).toBe(0);
  });

  it("are long enough to be unique in MCP replies", async () => {
    const { call } = await connect(world);
    for (const [name, args] of [
      ["search", {}],
      ["search", { query: "shed" }],
      ["timeline", {}],
      ["file_history", { path: "shed.ts" }],
      ["find_fix", { error: "the brush is missing" }],
    ] as const) {
      const { text } = await call(name, args);
      const ids = [...new Set(text.match(/019f[\da-f-]*/g))];
      expect(ids.length).toBeGreaterThan(0);
      const detail = await call("get_observations", { ids: ids.slice(0, 1) });
      expect(detail.text).toContain("## session 019f");
    }
  });

  it("are cut to 8 characters if that is unique", async () => {
    await hook(world, "new", {
      session_id: "0b9d4a52-0000-4000-8000-000000000001",
      hook_event_name: "UserPromptSubmit",
      prompt: "Mow the lawn",
    });
    expect((await run(world, ["list"])).stdout).toMatch(/^0b9d4a52 +\d/m);
  });
});
