// Tests the real Agent SDK as a model, installed by C-Mem, with a scripted API behind it.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolvePaths } from "../../src/config/paths.ts";
import { CONVERSATION_TOKENS } from "../../src/llm/protocols/agent-sdk.ts";
import { startLoopback, WIRES } from "../conformance/loopback.ts";
import { createWorld, run } from "../e2e/harness.ts";
import {
  crowdedLab,
  expectIsolatedRequest,
  FAILING_SCENES,
  filesUnder,
  openIn,
  REQUEST,
  spentOf,
  timesFired,
  writeKeyHelper,
} from "./crowded-lab.ts";
import { type Lab, testLab } from "./lab.ts";
import { OBSERVED } from "./scripts.ts";

const FIRST = { ...REQUEST, conversation: "session-1" };
const REPEATED = { ...FIRST, isRepeated: true };

/** The SDK is installed once, with the user's npm settings, and linked into each lab. */
const folder = mkdtempSync(join(tmpdir(), "c-mem-agent-sdk-"));
const runtime = join(folder, "runtime");

beforeAll(async () => {
  const world = { ...createWorld(), env: { ...(process.env as Record<string, string>), C_MEM_HOME: folder } };
  const { status, stderr } = await run(world, ["model", "install", "--agent-sdk", "--yes"]);
  if (status !== 0) throw new Error(stderr);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function addAgentSdk(lab: Lab): Lab {
  mkdirSync(lab.home, { recursive: true });
  rmSync(join(lab.home, "runtime"), { recursive: true, force: true });
  symlinkSync(runtime, join(lab.home, "runtime"));
  return lab;
}

async function labWithSdk(): Promise<Lab> {
  return addAgentSdk(await testLab());
}

function kept(lab: Lab): string[] {
  return filesUnder(resolvePaths(lab.env).conversations);
}

/** What was said before the last message of a request, and the last message. */
function said(lab: Lab, at: number): { before: number; body: string } {
  const { body } = lab.model.requests[at] ?? { body: { messages: [] } };
  return { before: body.messages.length - 1, body: JSON.stringify(body) };
}

describe("the Agent SDK", () => {
  it("is installed with a checked download, which a second install leaves alone", async () => {
    const world = { ...createWorld(), env: { ...(process.env as Record<string, string>), C_MEM_HOME: folder } };
    const { stdout } = await run(world, ["model", "install", "--agent-sdk", "--yes", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ data: { steps: [], applied: false } });
    const modules = readdirSync(join(runtime, "agent-sdk", "node_modules"));
    expect(modules.filter((name) => !name.startsWith("."))).toEqual(["@anthropic-ai"]);
  });

  it("answers; no hook runs, nothing of the user's is sent, touched or left behind", async () => {
    const { lab, fired } = await crowdedLab();
    addAgentSdk(lab);
    const state = (): string[] =>
      ["settings.json", ".claude.json"].map((name) => readFileSync(join(lab.claudeDir, name), "utf8"));
    const before = { files: filesUnder(lab.home), users: filesUnder(lab.claudeDir), state: state() };
    const firedBefore = timesFired(fired);
    const provider = openIn(lab, "agent-sdk");
    const { value, usage, model } = await provider.complete(FIRST);
    expect({ value, model }).toEqual({ value: OBSERVED, model: "claude-haiku-4-5" });
    expect(usage).toMatchObject({ inputTokens: expect.any(Number), costUsd: expect.any(Number) });
    expect(usage.costUsd).toBeGreaterThan(0);

    expectIsolatedRequest(lab);
    expect(kept(lab).some((name) => name.endsWith(".jsonl"))).toBe(true);
    await provider.close?.("session-1");
    expect(timesFired(fired)).toBe(firedBefore);
    expect({
      files: filesUnder(lab.home).filter((name) => name !== "conversations"),
      users: filesUnder(lab.claudeDir),
      state: state(),
    }).toEqual(before);
    expect([kept(lab), processesOf(lab)]).toEqual([[], []]);
  });

  it("has one conversation for the requests of a session, in one program while they follow each other", async () => {
    const lab = await labWithSdk();
    const provider = openIn(lab, "agent-sdk");
    const first = await provider.complete({ ...REPEATED, text: "FIRSTTEXT [[script:observe]]" });
    const [program] = processesOf(lab);
    const second = await provider.complete(REPEATED);
    expect([program !== undefined, processesOf(lab)]).toEqual([true, [program]]);
    expect(said(lab, 1)).toMatchObject({ before: 2, body: expect.stringMatching(/FIRSTTEXT.*A & B < C/s) });
    // Repeated requests are worth the cache.
    expect(said(lab, 1).body).toContain("cache_control");
    // Each reply has its own cost, not that of the conversation so far.
    expect(second.usage.inputTokens).toBeGreaterThan(first.usage.inputTokens);
    expect(second.usage.costUsd).toBeLessThan((first.usage.costUsd ?? 0) * 1.9);
    expect(provider.historyTokens?.("session-1")).toBe(second.usage.inputTokens + second.usage.outputTokens);

    await provider.complete({ ...REQUEST, conversation: "session-2" });
    expect(said(lab, 2).before).toBe(0);
    await provider.close?.("session-1");
    await provider.close?.("session-2");
    expect([kept(lab), processesOf(lab)]).toEqual([[], []]);
  });

  it("resumes a conversation in a new program, with other instructions and the cost of one request", async () => {
    const lab = await labWithSdk();
    const first = await openIn(lab, "agent-sdk").complete({ ...FIRST, text: "FIRSTTEXT [[script:observe]]" });
    expect(processesOf(lab)).toEqual([]);
    const provider = openIn(lab, "agent-sdk");
    const second = await provider.complete({ ...FIRST, system: "You sum up a session." });
    const { before, body } = said(lab, 1);
    expect([before, body]).toEqual([2, expect.stringMatching(/FIRSTTEXT/)]);
    const { content } = lab.model.requests[1]?.body.messages.at(-1) ?? { content: "" };
    expect([body.includes(REQUEST.system), JSON.stringify(content)]).toEqual([
      true,
      expect.stringMatching(/=== instructions ===\\nYou sum up a session\..*=== end of instructions ===/s),
    ]);
    expect(second.usage.costUsd).toBeLessThan((first.usage.costUsd ?? 0) * 1.9);
    await provider.close?.("session-1");
    expect(kept(lab)).toEqual([]);
  });

  it("begins a new conversation above its token limit, and forgets the old one", async () => {
    const lab = await labWithSdk();
    const provider = openIn(lab, "agent-sdk");
    await provider.complete({
      ...REPEATED,
      text: `FIRSTTEXT ${"word ".repeat(CONVERSATION_TOKENS)} [[script:observe]]`,
    });
    await provider.complete(REPEATED);
    expect(said(lab, 1)).toMatchObject({ before: 0, body: expect.not.stringContaining("FIRSTTEXT") });
    expect(kept(lab).filter((name) => name.endsWith(".jsonl"))).toHaveLength(1);
    await provider.close?.("session-1");
  });

  it("uses the user's login where it is, or the user's command that prints a key", async () => {
    const lab = await labWithSdk();
    const token = "made-up-token-of-the-login";
    const login = {
      accessToken: token,
      refreshToken: "made-up",
      expiresAt: Date.now() + 3_600_000,
      scopes: ["user:inference"],
      subscriptionType: "max",
    };
    const credentials = join(lab.claudeDir, ".credentials.json");
    const text = JSON.stringify({ claudeAiOauth: login });
    writeFileSync(credentials, text, { mode: 0o600 });
    const loopback = await startLoopback(WIRES.messages, [{ kind: "words", text: "{}" }]);
    const env = { ANTHROPIC_BASE_URL: loopback.url, ANTHROPIC_API_KEY: "" };
    const provider = openIn(lab, "agent-sdk", env);
    await provider.complete(FIRST);
    expect(loopback.asked[0]?.headers["authorization"]).toBe(`Bearer ${token}`);
    expect(readFileSync(credentials, "utf8")).toBe(text);
    const root = resolvePaths(lab.env).conversations;
    const copies = kept(lab).filter(
      (name) => !isFolder(join(root, name)) && readFileSync(join(root, name), "utf8").includes(token),
    );
    expect(copies).toEqual([]);
    await provider.close?.("session-1");

    rmSync(credentials);
    writeKeyHelper(lab, "key-of-the-helper");
    await openIn(lab, "agent-sdk", env).complete(REQUEST);
    expect(JSON.stringify(loopback.asked[1]?.headers)).toContain("key-of-the-helper");
  });

  it("without a login reports that, at no cost", async () => {
    const lab = await labWithSdk();
    const provider = openIn(lab, "agent-sdk", { ANTHROPIC_API_KEY: "" });
    await expect(provider.complete(FIRST)).rejects.toMatchObject({ kind: "auth", spent: "nothing" });
    expect([kept(lab), lab.model.requests]).toEqual([[], []]);
  });

  it("times out and can be cancelled, and leaves no program", async () => {
    const lab = await labWithSdk();
    const loopback = await startLoopback(WIRES.messages, [{ kind: "silence" }]);
    const provider = openIn(lab, "agent-sdk", { ANTHROPIC_BASE_URL: loopback.url });
    const stop = new AbortController();
    const answer = provider.complete(FIRST, { signal: stop.signal });
    setTimeout(() => stop.abort(), 2_000);
    await expect(answer).rejects.toMatchObject({ kind: "aborted", spent: "unknown" });
    expect([kept(lab), processesOf(lab)]).toEqual([[], []]);
  });

  it.each(FAILING_SCENES)("reports %s, and its cost", async (_, scene, expected) => {
    const lab = await labWithSdk();
    const loopback = await startLoopback(WIRES.messages, [scene]);
    const error: unknown = await openIn(lab, "agent-sdk", { ANTHROPIC_BASE_URL: loopback.url })
      .complete(FIRST)
      .catch((e: unknown) => e);
    expect(error).toMatchObject(expected);
    expect(loopback.asked.length).toBeLessThanOrEqual(4);
    expect(error).toMatchObject({ spent: spentOf(scene, loopback.asked.length) });
    expect([kept(lab), processesOf(lab)]).toEqual([[], []]);
  });
});

function isFolder(path: string): boolean {
  return (
    existsSync(path) &&
    readdirSync(join(path, ".."), { withFileTypes: true }).some(
      (entry) => join(path, "..", entry.name) === path && entry.isDirectory(),
    )
  );
}

/** Processes whose environment names the lab's data directory: the SDK's program and its children. */
function processesOf(lab: Lab): string[] {
  if (!existsSync("/proc/self/environ")) return [];
  const names = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid));
  return names.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").includes(join(lab.home, "conversations"));
    } catch {
      return false;
    }
  });
}
