// Tests the user's own Claude Code as a model: the real client, with hooks and plugins installed, leaves no trace.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startLoopback, WIRES } from "../conformance/loopback.ts";
import { type Scene, USAGE } from "../conformance/scenes.ts";
import { SETTINGS } from "../../src/config/schema.ts";
import type { LlmError } from "../../src/llm/error.ts";
import type { LlmRequest, Provider } from "../../src/llm/provider.ts";
import { openProvider } from "../../src/llm/providers.ts";
import { run } from "../e2e/harness.ts";
import { session } from "./client.ts";
import { type Lab, testLab } from "./lab.ts";
import { OBSERVED } from "./scripts.ts";

const REQUEST: LlmRequest = {
  system: "You keep the memory of a coding project.",
  text: "What was done: A & B < C — “ü” 漢字 [[script:observe]]",
  schema: { name: "record_turn", about: "Records it.", json: { type: "object", properties: {}, required: [] } },
  maxOutputTokens: 2_000,
};

/** The environment that a session passes to its hooks, and they to the worker. */
const FROM_A_HOOK = { CLAUDECODE: "1", CLAUDE_CODE_ENTRYPOINT: "cli", CLAUDE_PROJECT_DIR: "/nowhere" };

function provider(lab: Lab, env: Record<string, string> = {}): Provider {
  const settings = {
    provider: "claude",
    model: "claude-haiku-4-5",
    baseUrl: "",
    apiKeyEnv: "",
    modelTimeoutSeconds: SETTINGS.modelTimeoutSeconds.default,
  } as const;
  return openProvider(settings, { ...lab.env, ...FROM_A_HOOK, ...env }) as Provider;
}

/** A user with C-Mem's plugin, own hooks for every event, a CLAUDE.md and an MCP server. */
async function crowdedLab(): Promise<{ lab: Lab; fired: string }> {
  const lab = await testLab();
  const fired = join(lab.root, "fired");
  const command = `echo x >> ${fired}`;
  const events = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd", "PreToolUse", "PostToolUse"];
  const hooks = Object.fromEntries(events.map((event) => [event, [{ hooks: [{ type: "command", command }] }]]));
  writeFileSync(lab.settings, JSON.stringify({ hooks }));
  writeFileSync(join(lab.claudeDir, "CLAUDE.md"), "USERSOWNMEMORY");
  const cwd = join(lab.home, "model");
  mkdirSync(cwd, { recursive: true });
  for (const folder of [cwd, lab.project]) {
    writeFileSync(join(folder, "CLAUDE.md"), "PROJECTSOWNMEMORY");
    writeFileSync(
      join(folder, ".mcp.json"),
      JSON.stringify({ mcpServers: { spy: { command: "sh", args: ["-c", command] } } }),
    );
  }
  await run(lab, ["install", "--yes", "--no-sync"]);
  return { lab, fired };
}

/** Counts runs of the user's hooks. Compare with an earlier count: `claude plugin install` fires SessionEnd, too. */
function timesFired(path: string): number {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
}

function filesUnder(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }).sort() : [];
}

describe("the claude provider and the real client", () => {
  it("answers; no hook runs, no transcript is written, nothing of the user's is sent", async () => {
    const { lab, fired } = await crowdedLab();
    const before = filesUnder(lab.home);
    const firedBefore = timesFired(fired);
    const { value, text, usage, model } = await provider(lab).complete(REQUEST);
    expect({ value, text, model }).toEqual({
      value: OBSERVED,
      text: JSON.stringify(OBSERVED),
      model: "claude-haiku-4-5",
    });
    expect(usage.inputTokens).toBeGreaterThan(100);
    expect(usage.costUsd).toBeGreaterThan(0);

    expect(timesFired(fired)).toBe(firedBefore);
    expect(filesUnder(lab.home)).toEqual(before);
    expect(filesUnder(join(lab.claudeDir, "projects"))).toEqual([]);

    expect(lab.model.requests).toHaveLength(1);
    const body = JSON.stringify(lab.model.requests[0]?.body);
    expect(body).toContain("漢字");
    expect(body).not.toMatch(/USERSOWNMEMORY|PROJECTSOWNMEMORY|c-mem-context/);
    const { tools, max_tokens } = (lab.model.requests[0]?.body ?? {}) as { tools?: object[]; max_tokens?: number };
    expect([tools ?? [], max_tokens]).toEqual([[], 2_000]);
    expect(body.length).toBeLessThan(6_000);
  });

  it("would run all of that without its isolation, so the test above can fail", async () => {
    const { lab, fired } = await crowdedLab();
    const firedBefore = timesFired(fired);
    await session(lab, "Say hello [[script:hello]]");
    expect(timesFired(fired)).toBeGreaterThan(firedBefore + 2);
    expect(filesUnder(join(lab.claudeDir, "projects")).length).toBeGreaterThan(0);
  });

  it.each<[string, Scene, object]>([
    ["a wrong key", { kind: "status", status: 401, message: "invalid x-api-key" }, { kind: "auth" }],
    ["no money", { kind: "status", status: 400, message: "Your credit balance is too low" }, { kind: "auth" }],
    ["a rate limit", { kind: "status", status: 429, message: "slow down" }, { kind: "rate-limit" }],
    ["an overloaded server", { kind: "status", status: 529, message: "Overloaded" }, { kind: "server" }],
    ["a model that is not there", { kind: "status", status: 404, message: "model: nope" }, { kind: "not-found" }],
    [
      "a question too long",
      { kind: "status", status: 400, message: "prompt is too long: 9 tokens > 5 maximum" },
      { kind: "too-large" },
    ],
    ["a refusal", { kind: "refusal" }, { kind: "refusal" }],
    ["an answer cut off", { kind: "truncated" }, { kind: "truncated" }],
  ])("reports %s, and its cost", async (_, scene, expected) => {
    const lab = await testLab();
    const loopback = await startLoopback(WIRES.messages, [scene]);
    const error: unknown = await provider(lab, { ANTHROPIC_BASE_URL: loopback.url })
      .complete(REQUEST)
      .catch((e: unknown) => e);
    expect(error).toMatchObject(expected);
    // The client continues a cut answer three times, and retries some refusals twice: the budget assumes four.
    expect(loopback.asked.length).toBeLessThanOrEqual(4);
    const { spent } = error as LlmError;
    if (scene.kind === "status") expect(spent).toBe("nothing");
    else expect(spent).toMatchObject({ inputTokens: USAGE.input * loopback.asked.length });
  });
});
