// Configuring a model provider: config, install, doctor, status and cost.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { loadSettings } from "../../src/config/load.ts";
import { localDay } from "../../src/core/time.ts";
import { openProvider } from "../../src/llm/providers.ts";
import { createWorld, data, hook, run, type World } from "./harness.ts";

async function worldWith(settings: Record<string, unknown>): Promise<World> {
  const world = createWorld();
  mkdirSync(world.home, { recursive: true });
  writeFileSync(join(world.home, "config.json"), JSON.stringify(settings));
  await hook(world, "new", { hook_event_name: "UserPromptSubmit", session_id: "s", prompt: "Do it" });
  await run(world, ["projects"]);
  return world;
}

function execute(world: World, sql: string, ...params: (string | number | null)[]): void {
  const db = new DatabaseSync(join(world.home, "c-mem.db"));
  db.prepare(sql).run(...params);
  db.close();
}

function enter(
  world: World,
  day: string,
  row: Partial<{ model: string; status: string; cost: number | null }> = {},
): void {
  const { model = "gpt-5.4-nano", status = "spent", cost = 2_500 } = row;
  const tokens = status === "declined" ? [0, 0] : [10_000, 400];
  execute(
    world,
    `INSERT INTO ledger (day, project_id, provider, model, purpose, request_hash, status, input_tokens, output_tokens, cost_microusd, created_at)
     VALUES (?, 1, 'openai', ?, 'turn', 'h', ?, ?, ?, ?, 1)`,
    day,
    model,
    status,
    tokens[0] ?? 0,
    tokens[1] ?? 0,
    cost,
  );
}

const today = (): string => localDay(Date.now());

interface Check {
  name: string;
  state: string;
  message: string;
}

async function checks(world: World, env: Record<string, string> = {}): Promise<Record<string, Check>> {
  const { results } = (await data(world, ["doctor"], { env })) as unknown as { results: Check[] };
  return Object.fromEntries(results.map((check) => [check.name, check]));
}

describe("c-mem config", () => {
  it("sets a provider, and explains what is sent", async () => {
    const world = createWorld();
    const { status, stdout, stderr } = await run(world, ["config", "set", "provider", "anthropic"]);
    expect([status, stdout]).toEqual([0, 'provider = "anthropic"  (user)\n']);
    expect(stderr).toMatch(/are sent to claude-haiku-5-5 at https:\/\/api\.anthropic\.com/);
    expect(stderr).toMatch(/Daily limits: 1,000,000 tokens and \$1;/);
    expect(stderr).toMatch(/ANTHROPIC_API_KEY is not set here/);
    expect(JSON.parse(readFileSync(join(world.home, "config.json"), "utf8"))).toEqual({ provider: "anthropic" });
    expect((await run(world, ["config", "get", "provider"])).stdout).toBe('"anthropic"\n');
    await run(world, ["config", "unset", "provider"]);
    expect(await data(world, ["config", "get", "provider"])).toMatchObject({ value: "none", source: "default" });
  });

  it.each([
    [["config", "set", "provider", "gemini"], "One of: none, anthropic, openai, claude."],
    [["config", "set", "provider"], "takes a key and a value"],
    [["config", "set", "nonsense", "1"], "Unknown setting"],
    [["config", "drop", "provider"], "One of: get, set, unset"],
  ])("rejects %j with exit code 2", async (args, words) => {
    const { status, stderr } = await run(createWorld(), args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  it("ignores a provider set by a project or the environment", async () => {
    const world = createWorld();
    writeFileSync(join(world.project, ".c-mem.json"), '{"provider": "openai", "baseUrl": "http://evil.example"}');
    const env = { C_MEM_PROVIDER: "openai", C_MEM_BASE_URL: "http://evil.example" };
    expect(await data(world, ["config", "get", "provider"], { env })).toMatchObject({
      value: "none",
      environment: null,
    });
    expect(await data(world, ["config", "get", "baseUrl"], { env })).toMatchObject({ value: "" });
  });
});

describe("c-mem install --provider", () => {
  it("explains what is sent and sets up the model, which plain install does not", async () => {
    const world = createWorld();
    const plain = await run(world, ["install", "--dry-run", "--no-sync"]);
    expect(plain.stderr).not.toContain("provider");
    const chosen = await run(world, ["install", "--dry-run", "--no-sync", "--provider", "claude"]);
    expect(chosen.stderr).toMatch(/set provider to claude .*\n.*are sent to haiku at your Claude Code/);
    await run(world, ["install", "--yes", "--no-sync", "--method", "settings", "--provider", "claude"]);
    expect(JSON.parse(readFileSync(join(world.home, "config.json"), "utf8"))).toEqual({ provider: "claude" });
  });
});

describe("c-mem doctor, which sends no request to a model,", () => {
  it.each<[string, Record<string, string>, Record<string, string>, string, RegExp]>([
    ["no model", {}, {}, "ok", /^none/],
    ["a key that is there", { provider: "anthropic" }, { ANTHROPIC_API_KEY: "k" }, "ok", /claude-haiku-5-5 at https/],
    ["a key that is not", { provider: "openai" }, {}, "fail", /OPENAI_API_KEY is not set/],
    ["no URL", { provider: "openai", baseUrl: "localhost:1" }, {}, "fail", /not a URL/],
    [
      "a local server",
      { provider: "openai", baseUrl: "http://localhost:11434/v1", model: "llama" },
      {},
      "ok",
      /llama at/,
    ],
    [
      "an open line",
      { provider: "openai", baseUrl: "http://10.0.0.9/v1", apiKeyEnv: "K" },
      { K: "k" },
      "warn",
      /not encrypted/,
    ],
    ["no claude", { provider: "claude" }, { PATH: "/nowhere" }, "fail", /claude command was not found/],
  ])("reports %s", async (_, settings, env, state, message) => {
    const world = await worldWith(settings);
    expect((await checks(world, env))["model"]).toMatchObject({ state, message: expect.stringMatching(message) });
  });

  it("reports an unknown or invalid price", async () => {
    const world = await worldWith({ provider: "openai", model: "mine", baseUrl: "http://localhost:1" });
    expect((await checks(world))["prices"]).toMatchObject({ state: "warn", message: expect.stringContaining("mine") });
    await run(world, ["config", "set", "prices", '{"mine": "cheap"}']);
    expect((await checks(world))["prices"]).toMatchObject({ state: "fail" });
    await run(world, ["config", "set", "prices", '{"mine": "0.1/0.2"}']);
    expect((await checks(world))["prices"]).toBeUndefined();
  });

  it("reports a rejected key until it is replaced", async () => {
    const world = await worldWith({ provider: "openai" });
    const { values } = loadSettings({ user: join(world.home, "config.json") }, {});
    const env = { OPENAI_API_KEY: "old" };
    execute(
      world,
      "INSERT INTO model_pauses VALUES (?, 'auth', '401: Incorrect API key', 1, NULL, ?)",
      openProvider(values, env)?.fingerprint ?? "",
      Date.now(),
    );
    expect((await checks(world, env))["model asked"]).toMatchObject({
      state: "fail",
      message: expect.stringContaining("401: Incorrect API key"),
    });
    expect((await checks(world, { OPENAI_API_KEY: "new" }))["model asked"]).toBeUndefined();
    const { stdout } = await run(world, ["status"], { env });
    expect(stdout).toContain("Incorrect API key");
  });

  it("reports that today's budget is used up", async () => {
    const world = await worldWith({ provider: "openai" });
    enter(world, today());
    enter(world, today(), { status: "declined", cost: 0 });
    const env = { OPENAI_API_KEY: "k" };
    expect((await checks(world, env))["model budget"]).toMatchObject({
      state: "warn",
      message: "today 10,400 of 1,000,000 tokens, $0.00 of $1; used up: 1 turn not sent to the model",
    });
    expect((await run(world, ["status"], { env })).stdout).toContain("used up: 1 turn not sent");
  });
});

describe("c-mem cost", () => {
  it("finds nothing without model usage", async () => {
    const { status, stderr } = await run(createWorld(), ["cost"]);
    expect([status, stderr]).toEqual([4, expect.stringContaining("c-mem config set provider")]);
  });

  it("shows cost by purpose", async () => {
    const world = await worldWith({});
    enter(world, today());
    enter(world, today(), { model: "mine", cost: null });
    enter(world, today(), { status: "declined", cost: 0 });
    enter(world, "2020-01-01");
    const { stdout } = await run(world, ["cost"]);
    expect(stdout).toContain("requests  2, 1 not sent: over budget");
    expect(stdout).toContain("tokens    20,000 in, 800 out");
    expect(stdout).toContain("cost      $0.0025, without 1 request of unknown price");
    expect(stdout).toMatch(/openai\/mine\s+1 request\s+10,000\s+400\s+unknown/);
    const json = await data(world, ["cost", "--days", "36500"]);
    expect(json).toMatchObject({
      total: { requests: 3, declined: 1, input_tokens: 30_000, cost_usd: 0.005, unpriced: 1 },
      by_day: [{ name: today() }, { name: "2020-01-01" }],
      by_project: [{ name: "project", requests: 3 }],
      by_provider: [{ name: "openai" }],
      by_model: [{ name: "openai/gpt-5.4-nano" }, { name: "openai/mine" }],
    });
  });

  it("shows the cost of a project by name", async () => {
    const world = await worldWith({});
    enter(world, today());
    expect((await run(world, ["cost", "--project", "project"])).stdout).toContain("for project since");
    expect((await run(world, ["cost", "--project", "unknown"])).status).toBe(4);
  });
});
