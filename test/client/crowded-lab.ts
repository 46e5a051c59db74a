// A user with own hooks, memory files, an MCP server and C-Mem's plugin, whose Claude account C-Mem uses as a model.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { SETTINGS } from "../../src/config/schema.ts";
import type { LlmRequest, Provider } from "../../src/llm/provider.ts";
import { openProvider } from "../../src/llm/providers.ts";
import { type Scene, USAGE } from "../conformance/scenes.ts";
import { run } from "../e2e/harness.ts";
import { type Lab, testLab } from "./lab.ts";

export const REQUEST: LlmRequest = {
  system: "You keep the memory of a coding project.",
  text: "What was done: A & B < C — “ü” 漢字 [[script:observe]]",
  schema: { name: "record_turn", about: "Records it.", json: { type: "object", properties: {}, required: [] } },
  maxOutputTokens: 2_000,
};

/** The environment that a session passes to its hooks, and they to the worker. */
const FROM_A_HOOK = { CLAUDECODE: "1", CLAUDE_CODE_ENTRYPOINT: "cli", CLAUDE_PROJECT_DIR: "/nowhere" };

export function openIn(lab: Lab, provider: "claude" | "agent-sdk", env: Record<string, string> = {}): Provider {
  const settings = {
    provider,
    model: "claude-haiku-4-5",
    baseUrl: "",
    apiKeyEnv: "",
    modelTimeoutSeconds: SETTINGS.modelTimeoutSeconds.default,
  } as const;
  return openProvider(settings, { ...lab.env, ...FROM_A_HOOK, ...env }) as Provider;
}

/** `fired`: a file with a line for each run of the user's hooks and of the user's MCP server. */
export async function crowdedLab(): Promise<{ lab: Lab; fired: string }> {
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

/** Compare with an earlier count: `claude plugin install` fires SessionEnd, too. */
export function timesFired(path: string): number {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
}

export function filesUnder(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }).sort() : [];
}

export function writeKeyHelper(lab: Lab, key: string): void {
  writeFileSync(lab.settings, JSON.stringify({ apiKeyHelper: `echo ${key}` }));
}

/** The lab's only request: the text and the output limit, no tools, nothing of the user's, no cache to write. */
export function expectIsolatedRequest(lab: Lab): void {
  expect(lab.model.requests).toHaveLength(1);
  const [request] = lab.model.requests;
  const body = JSON.stringify(request?.body);
  expect(body).toContain("漢字");
  // No later request would read what is written to the prompt cache.
  expect(body).not.toMatch(/USERSOWNMEMORY|PROJECTSOWNMEMORY|c-mem-context|cache_control/);
  const { tools, max_tokens } = (request?.body ?? {}) as { tools?: object[]; max_tokens?: number };
  expect([tools ?? [], max_tokens]).toEqual([[], 2_000]);
  expect(body.length).toBeLessThan(6_000);
}

const status = (code: number, message: string): Scene => ({ kind: "status", status: code, message });

export const FAILING_SCENES: [string, Scene, object][] = [
  ["a wrong key", status(401, "invalid x-api-key"), { kind: "auth" }],
  ["no money", status(400, "Your credit balance is too low"), { kind: "auth" }],
  ["a rate limit", status(429, "slow down"), { kind: "rate-limit" }],
  ["an overloaded server", status(529, "Overloaded"), { kind: "server" }],
  ["a model that is not there", status(404, "model: nope"), { kind: "not-found" }],
  ["a question too long", status(400, "prompt is too long: 9 tokens > 5 maximum"), { kind: "too-large" }],
  ["a refusal", { kind: "refusal" }, { kind: "refusal" }],
  ["an answer cut off", { kind: "truncated" }, { kind: "truncated" }],
];

export function spentOf(scene: Scene, requests: number): unknown {
  return scene.kind === "status" ? "nothing" : expect.objectContaining({ inputTokens: USAGE.input * requests });
}
