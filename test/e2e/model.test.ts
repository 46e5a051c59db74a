// Configuring a model provider: config, install, doctor, status and cost.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { loadSettings } from "../../src/config/load.ts";
import { localDay } from "../../src/core/time.ts";
import { openProvider } from "../../src/llm/providers.ts";
import { fakeClaude } from "../conformance/fake-claude.ts";
import { startLoopback, WIRES } from "../conformance/loopback.ts";
import type { Scene } from "../conformance/scenes.ts";
import { createWorld, data, hook, rows, run, type World } from "./harness.ts";

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

/** A turn and a session summary that wait for the model. `error`: why their jobs were postponed. */
function addWork(world: World, error: string | null): void {
  execute(world, "INSERT OR IGNORE INTO model_turns SELECT id, 1, NULL FROM prompts");
  for (const key of ["enrich:1", "handover:1"]) {
    const sql =
      "INSERT OR REPLACE INTO jobs (kind, key, run_after, last_error, created_at) VALUES ('enrich', ?, ?, ?, 1)";
    execute(world, sql, key, Date.now() + 3_600_000, error);
  }
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
    expect(stderr).toMatch(/ANTHROPIC_API_KEY is not set/);
    expect(JSON.parse(readFileSync(join(world.home, "config.json"), "utf8"))).toEqual({ provider: "anthropic" });
    expect((await run(world, ["config", "get", "provider"])).stdout).toBe('"anthropic"\n');
    await run(world, ["config", "unset", "provider"]);
    expect(await data(world, ["config", "get", "provider"])).toMatchObject({ value: "none", source: "default" });
  });

  it.each([
    [["config", "set", "provider", "skynet"], "One of: none, claude, agent-sdk, anthropic, openai,"],
    [["config", "set", "provider"], "takes a key and a value"],
    [["config", "set", "nonsense", "1"], "Unknown setting"],
    [["config", "drop", "provider"], "One of: get, set, unset"],
  ])("rejects %j with exit code 2", async (args, words) => {
    const { status, stderr } = await run(createWorld(), args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  it.each([
    ["apiKeyEnv", "sk-live-0123456789", "takes the name of a variable, not the key"],
    ["baseUrl", "nonsense", "takes a URL"],
  ])("refuses %s %s without repeating it", async (key, value, words) => {
    const world = createWorld();
    const { status, stdout, stderr } = await run(world, ["config", "set", key, value]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(words)]);
    expect(stdout + stderr).not.toContain(value);
    expect(existsSync(join(world.home, "config.json"))).toBe(false);
  });

  it("gives another provider none of the last one's address, key and model", async () => {
    const world = createWorld();
    for (const [key, value] of [
      ["provider", "openai"],
      ["baseUrl", "https://openrouter.ai/api/v1"],
      ["model", "gpt-5.4"],
      ["apiKeyEnv", "MY_KEY"],
    ])
      await run(world, ["config", "set", key ?? "", value ?? ""]);
    const { stderr } = await run(world, ["config", "set", "provider", "vllm"]);
    expect(stderr).toContain("Reset, because they were for openai: model, baseUrl, apiKeyEnv.");
    expect(JSON.parse(readFileSync(join(world.home, "config.json"), "utf8"))).toEqual({ provider: "vllm" });
    const remote = await run(world, ["config", "set", "baseUrl", "https://models.example.com/v1"]);
    expect(remote.stderr).not.toContain("costs nothing");
    const local = await run(world, ["config", "set", "baseUrl", "http://192.168.1.4:8000/v1"]);
    expect(local.stderr).toContain("costs nothing");
  });

  it("uses no model while baseUrl in the file is invalid: text must not go to the usual address", async () => {
    const world = await worldWith({ provider: "openai", baseUrl: "https://me:pw@models.example.com/v1" });
    expect((await run(world, ["status"])).stdout).not.toContain("api.openai.com");
    expect(await data(world, ["config", "get", "provider"])).toMatchObject({ value: "none" });
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
    expect(chosen.stderr).toMatch(/set provider to claude .*\n.*are sent to haiku through your Claude Code/);
    await run(world, ["install", "--yes", "--no-sync", "--method", "settings", "--provider", "claude"]);
    expect(JSON.parse(readFileSync(join(world.home, "config.json"), "utf8"))).toEqual({ provider: "claude" });
  });
});

describe("c-mem doctor, which sends no request to a model,", () => {
  it.each<[string, Record<string, string>, Record<string, string>, string, RegExp]>([
    ["no model", {}, {}, "ok", /^the built-in extractor; no data is sent$/],
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
    [
      "an open line without a key",
      { provider: "ollama", baseUrl: "http://10.0.0.9:11434/v1", model: "gemma4" },
      {},
      "warn",
      /can read the requests/,
    ],
    [
      "a local server by name",
      { provider: "ollama", model: "gemma4" },
      {},
      "ok",
      /gemma4 at http:\/\/127\.0\.0\.1:11434/,
    ],
    ["a local server without a model", { provider: "vllm" }, {}, "fail", /needs the name of a model/],
    ["no Agent SDK", { provider: "agent-sdk" }, {}, "fail", /Agent SDK is not installed/],
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

  it("reports what waits for the model, and what waits until tomorrow because a limit is reached", async () => {
    const world = await worldWith({ provider: "openai" });
    const env = { OPENAI_API_KEY: "k" };
    enter(world, today());
    expect(await checks(world, env)).toMatchObject({
      "model budget": { state: "ok", message: "today 10,400 of 1,000,000 tokens, $0.00 of $1" },
      "model work": { state: "ok", message: "nothing waits for the model" },
    });
    addWork(world, null);
    expect(await checks(world, env)).toMatchObject({
      "model budget": { state: "ok" },
      "model work": { state: "ok", message: "1 turn and 1 session summary wait for the model" },
    });
    addWork(world, "over today's budget in tokens (tokensPerDay)");
    expect((await checks(world, env))["model budget"]).toMatchObject({
      state: "warn",
      message:
        "today 10,400 of 1,000,000 tokens, $0.00 of $1; a limit is reached: 1 turn and 1 session summary wait until tomorrow",
    });
    const { stdout } = await run(world, ["status"], { env });
    expect(stdout).toMatch(/memory by +gpt-5\.4-nano at .*; today 10,400 of .* wait until tomorrow/);
    expect((await data(world, ["status"], { env }))["writer"]).toEqual({
      provider: "openai",
      model: "gpt-5.4-nano",
      turns_waiting: 1,
      sessions_waiting: 1,
      turns_postponed: 1,
      sessions_postponed: 1,
      parts_kept: 0,
      parts_dropped: 0,
      requests_today: 1,
      tokens_today: 10_400,
      tokens_per_day: 1_000_000,
      usd_today: 0.0025,
      usd_per_day: 1,
    });
  });

  it("reports how many parts of replies failed the checks this month", async () => {
    const world = await worldWith({ provider: "openai" });
    const env = { OPENAI_API_KEY: "k" };
    enter(world, "2020-01-01");
    execute(world, "UPDATE ledger SET kept = 1, dropped = 1000");
    expect((await checks(world, env))["model replies"]).toBeUndefined();
    enter(world, today());
    execute(world, "UPDATE ledger SET kept = 117, dropped = 3 WHERE day > '2020-01-01'");
    expect((await checks(world, env))["model replies"]).toMatchObject({
      state: "ok",
      message: "the checks dropped 3 of 120 parts this month",
    });
    expect((await run(world, ["status"], { env })).stdout).toContain("the checks dropped 3 of 120 parts");
    execute(world, "UPDATE ledger SET kept = 20, dropped = 100 WHERE day > '2020-01-01'");
    expect((await checks(world, env))["model replies"]).toMatchObject({ state: "warn" });
  });
});

describe("c-mem doctor --try-model", () => {
  const local = (url: string, more: object = {}) => ({ provider: "openai", model: "m", baseUrl: `${url}/v1`, ...more });

  async function tryModel(world: World, env: Record<string, string> = {}) {
    const { status, stdout } = await run(world, ["doctor", "--try-model", "--json"], { env });
    const { data: found } = JSON.parse(stdout) as { data: { results: (Check & { fix?: string })[] } };
    return { status, check: found.results.find(({ name }) => name === "model answer") };
  }

  const booked = (world: World) =>
    rows(world, "SELECT purpose, status, input_tokens, output_tokens, project_id FROM ledger");

  it("sends one small request, books it as a test, and ends a pause", async () => {
    const { url, asked } = await startLoopback(WIRES.chat, [{ kind: "answer", value: { ok: true } }]);
    const world = await worldWith(local(url));
    const { values } = loadSettings({ user: join(world.home, "config.json") }, {});
    const fingerprint = openProvider(values, {})?.fingerprint ?? "";
    execute(world, "INSERT INTO model_pauses VALUES (?, 'auth', 'no', 1, NULL, 1)", fingerprint);
    const { check } = await tryModel(world);
    expect(check).toMatchObject({
      state: "ok",
      message: expect.stringMatching(/^m at http.* answered \(\d+\.\d s, 321 tokens in, 45 out\)$/),
    });
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(asked[0]?.body).length).toBeLessThan(1_500);
    expect(await booked(world)).toEqual([
      { purpose: "test", status: "spent", input_tokens: 321, output_tokens: 45, project_id: null },
    ]);
    expect(await rows(world, "SELECT * FROM model_pauses")).toEqual([]);
    expect((await run(world, ["cost"])).stdout).toMatch(/By kind[^]*tests \(doctor --try-model\) +1 request/);
  });

  it("sends nothing without the option", async () => {
    const { url, asked } = await startLoopback(WIRES.chat, [{ kind: "answer", value: { ok: true } }]);
    const world = await worldWith(local(url));
    await run(world, ["doctor", "--deep", "--fix"]);
    expect([asked, await booked(world)]).toEqual([[], []]);
  });

  it.each<[string, Scene, object, Record<string, string>, RegExp, RegExp]>([
    ["a wrong key", { kind: "status", status: 401 }, { apiKeyEnv: "K" }, { K: "k" }, /401/, /Check the key in K/],
    ["a missing key on the server", { kind: "status", status: 401 }, {}, {}, /401/, /config set apiKeyEnv/],
    ["an unset key", { kind: "silence" }, { apiKeyEnv: "K" }, {}, /K is not set/, /\bK\b/],
    ["a wrong model", { kind: "status", status: 404 }, {}, {}, /404/, /model's name.*config set model/],
    ["a web page instead of an API", { kind: "nonsense" }, {}, {}, /protocol/, /config set baseUrl/],
    ["an answer in words", { kind: "words", text: "Sure!" }, {}, {}, /not in the requested form/, /config set model/],
    ["an overloaded server", { kind: "status", status: 529 }, {}, {}, /529/, /Try again later/],
  ])("explains %s, and exits with 1", async (_, scene, settings, env, message, fix) => {
    const { url } = await startLoopback(WIRES.chat, [scene]);
    const { status, check } = await tryModel(await worldWith(local(url, settings)), env);
    expect([status, check]).toEqual([
      1,
      {
        name: "model answer",
        state: "fail",
        message: expect.stringMatching(message),
        fix: expect.stringMatching(fix),
      },
    ]);
  });

  it("explains an address where no server listens", async () => {
    const { status, check } = await tryModel(await worldWith(local("http://127.0.0.1:9")));
    expect([status, check]).toEqual([
      1,
      expect.objectContaining({ fix: expect.stringContaining("config set baseUrl") }),
    ]);
  });

  it("sends and books nothing if the name of the model is missing", async () => {
    const world = await worldWith({ provider: "ollama" });
    const { check } = await tryModel(world);
    expect(check?.message).toBe("not tried: ollama needs the name of a model");
    expect((await run(world, ["cost"])).stderr).toContain("No model usage");
  });

  it("respects the daily limit", async () => {
    const { url, asked } = await startLoopback(WIRES.chat, [{ kind: "answer", value: { ok: true } }]);
    const world = await worldWith(local(url, { tokensPerDay: 100 }));
    const { status, check } = await tryModel(world);
    expect([status, check?.message, asked]).toEqual([1, "not sent: it could exceed today's limit (tokensPerDay)", []]);
  });

  it("says that no model is configured", async () => {
    const { status, check } = await tryModel(await worldWith({}));
    expect([status, check?.message]).toEqual([1, expect.stringContaining("no model is configured")]);
  });

  it("uses Claude Code's login", async () => {
    const { bin } = fakeClaude({ kind: "answer", value: { ok: true } });
    const world = await worldWith({ provider: "claude" });
    const { check } = await tryModel(world, { PATH: `${bin}:${world.env["PATH"]}` });
    expect(check).toMatchObject({ state: "ok", message: expect.stringContaining("haiku through claude answered") });
    const out = fakeClaude({ kind: "status", status: 401, message: "Please run /login" });
    expect(await tryModel(world, { PATH: `${out.bin}:${world.env["PATH"]}` })).toMatchObject({
      status: 1,
      check: { fix: expect.stringContaining("Log in to Claude Code") },
    });
  });
});

describe("c-mem cost", () => {
  it("finds nothing without model usage", async () => {
    const { status, stderr } = await run(createWorld(), ["cost"]);
    expect([status, stderr]).toEqual([4, expect.stringContaining("c-mem config set provider")]);
  });

  it("shows cost by day, project, model and kind, and cached tokens if there are any", async () => {
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
      by_kind: [{ name: "turns", requests: 3 }],
      by_model: [{ name: "openai/gpt-5.4-nano" }, { name: "openai/mine" }],
    });
  });

  it("counts rows of earlier versions as turns, and shows cached tokens", async () => {
    const world = await worldWith({});
    for (const purpose of ["turn", "turns", "session"]) {
      enter(world, today());
      execute(world, "UPDATE ledger SET purpose = ? WHERE id = (SELECT max(id) FROM ledger)", purpose);
    }
    const none = (await run(world, ["cost"])).stdout;
    expect(none).toMatch(/By kind[^]*notes about turns +2 requests[^]*session summaries +1 request/);
    expect(none).not.toContain("cached");
    execute(world, "UPDATE ledger SET cache_read_tokens = 9000, cache_write_tokens = 100 WHERE purpose = 'session'");
    const { stdout } = await run(world, ["cost"]);
    expect(stdout).toContain("tokens    30,000 in (9,000 of them cached), 1,200 out");
    expect(stdout).toMatch(/in +cached +out +cost\n +notes about turns +2 requests +20,000 +0 +800/);
    expect((await data(world, ["cost"]))["by_kind"]).toMatchObject([
      { name: "turns", requests: 2, cache_read_tokens: 0 },
      { name: "session", requests: 1, cache_read_tokens: 9_000, cache_write_tokens: 100 },
    ]);
  });

  it("shows the cost of a project by name", async () => {
    const world = await worldWith({});
    enter(world, today());
    expect((await run(world, ["cost", "--project", "project"])).stdout).toContain("for project since");
    expect((await run(world, ["cost", "--project", "unknown"])).status).toBe(4);
  });
});
