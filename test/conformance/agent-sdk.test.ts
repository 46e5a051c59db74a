// Checks the conversations of the Agent SDK: what is sent, kept, resumed and deleted.
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Provider } from "../../src/llm/provider.ts";
import { CONVERSATION_TOKENS } from "../../src/llm/protocols/agent-sdk.ts";
import { openProvider } from "../../src/llm/providers.ts";
import type { AgentCall, FakeAgentSdk } from "./fake-agent-sdk.ts";
import { type Scene, USAGE, VALUE } from "./scenes.ts";
import { AGENT_SDK, MODEL_SETTINGS, processesUnder, REQUEST, stage } from "./stage.ts";

async function stageSdk(...script: Scene[]): Promise<{ provider: Provider; sdk: FakeAgentSdk }> {
  const { provider, sdk } = await stage(AGENT_SDK, script, script[0]?.kind === "silence" ? 1 : undefined);
  if (sdk === undefined) throw new Error("No Agent SDK is staged.");
  return { provider, sdk };
}

describe("the Agent SDK", () => {
  const answer: Scene = { kind: "answer", value: VALUE };
  const FIRST = { ...REQUEST, conversation: "session-1" };
  const REPEATED = { ...FIRST, isRepeated: true };

  it("runs without tools, MCP servers, hooks and settings, in a folder of its own", async () => {
    const { provider, sdk } = await stageSdk(answer);
    await provider.complete(FIRST);
    const { text, options } = sdk.calls()[0] as AgentCall;
    const { cwd, env, ...rest } = options;
    const folder = dirname(cwd);
    expect(dirname(folder)).toBe(join(sdk.home, "conversations"));
    expect(text).toMatch(/^=== instructions ===\nYou take notes\..*=== end of instructions ===\n\nWhat was done/s);
    expect(rest).toEqual({
      model: "model-we-asked-for",
      systemPrompt: expect.stringMatching(/^You write the memory .*them\.$/),
      tools: [],
      mcpServers: {},
      strictMcpConfig: true,
      settingSources: [],
      settings: { disableAllHooks: true },
      maxTurns: 1,
      extraArgs: { "disable-slash-commands": null },
    });
    expect(env).toMatchObject({
      C_MEM_ENABLED: "0",
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: "1000",
      CLAUDE_CONFIG_DIR: join(folder, "claude"),
      CLAUDE_SECURESTORAGE_CONFIG_DIR: "",
      DISABLE_PROMPT_CACHING: "1",
    });
    expect(env).not.toHaveProperty("CLAUDECODE");
  });

  it("resumes the conversation of a session, also by another provider object", async () => {
    const { provider, sdk } = await stageSdk(answer);
    await provider.complete(FIRST);
    const again = openProvider({ ...MODEL_SETTINGS, provider: "agent-sdk" }, { C_MEM_HOME: sdk.home, HOME: sdk.home });
    expect((await again?.complete(FIRST))?.usage).toMatchObject({ inputTokens: USAGE.input, costUsd: 0.0012 });
    await again?.complete({ ...FIRST, conversation: "session-2" });
    const [first, second, other] = sdk.calls().map(({ options }) => options.resume) ?? [];
    expect([first, second, other]).toEqual([undefined, expect.stringMatching(/^[0-9a-f-]{36}$/), undefined]);
  });

  it("sends instructions only if they differ from the last ones of the conversation", async () => {
    const { provider, sdk } = await stageSdk(answer);
    const other = { ...FIRST, system: "You sum up a session." };
    for (const request of [FIRST, FIRST, other, FIRST]) await provider.complete(request);
    const heads = sdk.calls().map(({ text }) => text.split("\n").slice(0, 2).join(" "));
    const [notes, sum] = ["=== instructions === You take notes.", "=== instructions === You sum up a session."];
    expect(heads).toEqual([notes, REQUEST.text, sum, notes]);
  });

  it("keeps its program for the next request only if one follows", async () => {
    const { provider, sdk } = await stageSdk(answer);
    const home = sdk.home;
    await provider.complete(REPEATED);
    expect(processesUnder(home)).toHaveLength(1);
    // It does not keep this process alive.
    expect(process.getActiveResourcesInfo()).not.toContain("ProcessWrap");
    // The same program: nothing is resumed, and the cost is that of one request.
    expect((await provider.complete(REPEATED)).usage.costUsd).toBe(0.0012);
    expect(sdk.calls().map(({ options }) => options.resume)).toEqual([undefined, undefined]);
    expect(sdk.calls()[0]?.options.env).not.toHaveProperty("DISABLE_PROMPT_CACHING");
    await provider.complete(FIRST);
    expect(processesUnder(home)).toEqual([]);
  });

  it("begins a new conversation if the old one was deleted while its program waited", async () => {
    const { provider, sdk } = await stageSdk(answer);
    await provider.complete(REPEATED);
    rmSync(join(sdk.home, "conversations"), { recursive: true });
    await provider.complete(REPEATED);
    expect(sdk.calls().map(({ text }) => text.startsWith("=== instructions"))).toEqual([true, true]);
    rmSync(join(sdk.home, "conversations"), { recursive: true });
    await provider.close?.("session-1");
    expect([readdirSync(sdk.home).includes("conversations"), processesUnder(sdk.home)]).toEqual([false, []]);
  });

  it("resumes a conversation whose program was killed while it waited", async () => {
    const { provider, sdk } = await stageSdk(answer);
    await provider.complete(REPEATED);
    const [pid] = processesUnder(sdk.home);
    process.kill(Number(pid), "SIGKILL");
    await expect.poll(() => processesUnder(sdk.home)).toEqual([]);
    expect((await provider.complete(FIRST)).value).toEqual(VALUE);
    expect(sdk.calls().map(({ options }) => options.resume !== undefined)).toEqual([false, true]);
  });

  it("begins a new conversation above its token limit", async () => {
    const { provider, sdk } = await stageSdk(answer);
    await provider.complete(FIRST);
    expect(provider.historyTokens?.("session-1")).toBe(USAGE.input + USAGE.output);
    await provider.complete({ ...FIRST, text: "word ".repeat(CONVERSATION_TOKENS) });
    expect(sdk.calls().map(({ options }) => options.resume)).toEqual([undefined, undefined]);
  });

  it("begins a new conversation after a failed request", async () => {
    const { provider, sdk } = await stageSdk(answer, { kind: "status", status: 529 }, answer);
    await provider.complete(FIRST);
    await expect(provider.complete(FIRST)).rejects.toMatchObject({ kind: "server", spent: "nothing" });
    await provider.complete(FIRST);
    expect(sdk.calls().map(({ options }) => options.resume !== undefined)).toEqual([false, true, false]);
  });

  it("deletes what it kept of a session when the session closes, and of a request without a session at once", async () => {
    const { provider, sdk } = await stageSdk(answer);
    const kept = (): string[] => readdirSync(join(sdk.home, "conversations"));
    await provider.complete(REQUEST);
    expect(kept()).toEqual([]);
    await provider.complete(FIRST);
    await provider.complete({ ...REPEATED, conversation: "../../session 2" });
    expect(kept()).toHaveLength(2);
    await provider.close?.("session-1");
    await provider.close?.("../../session 2");
    expect([kept(), processesUnder(sdk.home)]).toEqual([[], []]);
  });

  it("leaves no process after a timeout", async () => {
    const { provider, sdk } = await stageSdk({ kind: "silence" });
    await expect(provider.complete(FIRST)).rejects.toMatchObject({ kind: "timeout", spent: "unknown" });
    expect(processesUnder(sdk.home)).toEqual([]);
  });

  it("is reported as not-found if it is not installed", async () => {
    const provider = openProvider({ ...MODEL_SETTINGS, provider: "agent-sdk" }, { C_MEM_HOME: "/nowhere" });
    await expect(provider?.complete(REQUEST)).rejects.toMatchObject({
      kind: "not-found",
      message: "The Agent SDK is not installed",
    });
  });
});
