// Settings on the command line, in the environment and in config.json. Unreadable settings stop recording.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { allBytes, createWorld, data, hook, rows, run, type World } from "./harness.ts";
import { createServed, send } from "./server-world.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";

const prompt = (world: World, text: string, options: { cwd?: string; env?: Record<string, string> } = {}) =>
  hook(
    world,
    "new",
    {
      session_id: SESSION,
      hook_event_name: "UserPromptSubmit",
      prompt: text,
      ...(options.cwd !== undefined && { cwd: options.cwd }),
    },
    options,
  );

const start = (world: World) =>
  hook(world, "context", { session_id: SESSION, hook_event_name: "SessionStart", source: "startup" });

function writeConfig(world: World, text: string): void {
  mkdirSync(world.home, { recursive: true });
  writeFileSync(join(world.home, "config.json"), text);
}

const prompts = async (world: World): Promise<unknown[]> =>
  (await rows(world, "SELECT text FROM prompts ORDER BY id")).map((row) => row["text"]);

interface Check {
  name: string;
  state: string;
  message: string;
}

async function settingsCheck(world: World): Promise<Check | undefined> {
  const { results } = await data(world, ["doctor"]);
  return (results as unknown as Check[]).find((check) => check.name === "settings");
}

describe("c-mem config set", () => {
  it.each([
    [['["~/clients/**"]']],
    [["~/clients/**"]],
    [["~/clients/**,~/other"]],
    [["~/clients/**", "~/other"]],
    [['["~/clients/**",', '"~/other"]']],
  ])("excludePaths %j excludes the folder", async (words) => {
    const world = createWorld();
    const clients = join(world.env["HOME"] ?? "", "clients", "acme");
    mkdirSync(clients, { recursive: true });
    expect(await run(world, ["config", "set", "excludePaths", ...words])).toMatchObject({ status: 0 });
    await prompt(world, "hush hush", { cwd: clients });
    await prompt(world, "recorded");
    expect(await prompts(world)).toEqual(["recorded"]);
    expect(allBytes(world.home)).not.toContain("hush");
  });

  it.each([
    ["contextTypes", "bogus", "decision"],
    ["surfaces", "bogus", "session-start"],
    ["contextConcepts", '["gotcha", "bogus"]', "trade-off"],
    ["excludePaths", "clients/**", "not a full path"],
    ["excludePaths", '["~/clients/**"', "A list"],
    ["skipTools", "mcp__*", "not patterns"],
    ["skipTool", "Bash", "Did you mean skipTools?"],
  ])("%s rejects %s", async (key, value, told) => {
    const world = createWorld();
    const result = await run(world, ["config", "set", key, value]);
    expect(result).toMatchObject({ status: 2, stderr: expect.stringContaining(told) });
  });

  it("warns if the folder does not exist", async () => {
    const world = createWorld();
    const { stderr } = await run(world, ["config", "set", "excludePaths", "~/nowhere/**"]);
    expect(stderr).toContain("does not exist");
  });
});

describe("lists in the environment and in config.json", () => {
  it("are accepted in several forms", async () => {
    const world = createWorld();
    const get = async (key: string, env = {}) => (await data(world, ["config", "get", key], { env }))["value"];
    expect(await get("skipTools", { C_MEM_SKIP_TOOLS: '["Bash"]' })).toEqual(["Bash"]);
    expect(await get("skipTools", { C_MEM_SKIP_TOOLS: "Bash, Read" })).toEqual(["Bash", "Read"]);
    // The form an earlier version wrote.
    writeConfig(world, JSON.stringify({ excludePaths: [`["${world.project}"`, '"/srv/**"]'] }));
    expect(await get("excludePaths")).toEqual([world.project, "/srv/**"]);
    await prompt(world, "hush");
    expect(await prompts(world)).toEqual([]);
    await run(world, ["ignore", "/opt/more"]);
    expect(JSON.parse(readFileSync(join(world.home, "config.json"), "utf8"))).toEqual({
      excludePaths: [world.project, "/srv/**", "/opt/more"],
    });
  });
});

describe("a relative pattern in config.json", () => {
  it("applies to every folder, and doctor reports it", async () => {
    const world = createWorld();
    writeConfig(world, JSON.stringify({ excludePaths: ["project/**"] }));
    await prompt(world, "hush");
    expect(await prompts(world)).toEqual([]);
    expect(await settingsCheck(world)).toMatchObject({
      state: "warn",
      message: expect.stringContaining('"project/**" is not a full path'),
    });
  });
});

describe("settings that cannot be read", () => {
  const broken = '{\n  "excludePaths": ["~/clients/**"]\n  "port": 4000\n}';

  it.each([[broken], ['{"excludePaths": {"a": 1}}'], [""]])(
    "stop recording, and a message says so: %j",
    async (text) => {
      const world = createWorld();
      writeConfig(world, text);
      expect(await start(world)).toEqual({ systemMessage: expect.stringContaining("C-Mem is not recording: ") });
      await prompt(world, "hush");
      expect(await prompts(world)).toEqual([]);
      expect(await settingsCheck(world)).toMatchObject({ state: "fail" });
      expect(await data(world, ["status"])).toMatchObject({ recording: { here: false } });
      expect(await run(world, ["sync"])).toMatchObject({ status: 1, stderr: expect.stringContaining("config.json") });
      expect(await run(world, ["ignore", "/srv"])).toMatchObject({ status: 1 });
      expect(readFileSync(join(world.home, "config.json"), "utf8")).toBe(text);
    },
  );

  it("are reported with line and column", async () => {
    const world = createWorld();
    writeConfig(world, broken);
    const place = "line 3, column 3: comma expected";
    expect(await settingsCheck(world)).toMatchObject({ state: "fail", message: expect.stringContaining(place) });
    for (const args of [["config"], ["config", "set", "port", "1"], ["sync"]])
      expect((await run(world, args)).stderr).toContain(place);
  });

  it("of a project stop recording only there", async () => {
    const world = createWorld();
    const other = join(dirname(world.project), "other");
    mkdirSync(other);
    writeFileSync(join(world.project, ".c-mem.json"), '{"enabled": false');
    await prompt(world, "hush");
    await prompt(world, "recorded", { cwd: other });
    expect(await prompts(world)).toEqual(["recorded"]);
    expect(await settingsCheck(world)).toMatchObject({ message: expect.stringContaining(".c-mem.json") });
  });

  it("lose no part of a session: sync reads it from the transcript after the fix", async () => {
    const world = createWorld();
    const path = join(world.claudeDir, "projects", "-app", `${SESSION}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    const line = (index: number, text: string) =>
      `${JSON.stringify({
        type: "user",
        promptId: `p${index}`,
        uuid: `u${index}`,
        sessionId: SESSION,
        cwd: world.project,
        version: "2.1.0",
        timestamp: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(),
        message: { role: "user", content: text },
      })}\n`;
    writeFileSync(path, line(0, "first"));
    await run(world, ["sync"]);
    const own = join(world.project, ".c-mem.json");
    writeFileSync(own, "{ broken");
    writeFileSync(path, line(0, "first") + line(1, "second"));
    await run(world, ["sync"]);
    expect(await prompts(world)).toEqual(["first"]);
    writeFileSync(own, "{}");
    await run(world, ["sync"]);
    expect(await prompts(world)).toEqual(["first", "second"]);
  });
});

describe("c-mem doctor", () => {
  it("reports an unknown key and suggests a similar one", async () => {
    const world = createWorld();
    writeConfig(world, '{"excludePath": ["/srv"]}');
    expect(await settingsCheck(world)).toMatchObject({
      state: "warn",
      message: expect.stringContaining('did you mean "excludePaths"?'),
    });
  });
});

describe("the settings route", () => {
  it("accepts a list in any form, and rejects one with an invalid item", async () => {
    const served = await createServed();
    const put = (key: string, value: unknown) =>
      send(served, `/api/settings/${key}`, { method: "PUT", body: JSON.stringify({ value }) });
    for (const value of [["Bash", "Read"], "Bash,Read", '["Bash","Read"]'])
      expect((await put("skipTools", value)).json.data).toMatchObject({ value: ["Bash", "Read"] });
    for (const [key, value] of [
      ["surfaces", ["prompt", "bogus"]],
      ["contextTypes", "bogus"],
      ["contextConcepts", '["bogus"]'],
      ["excludePaths", '["/a"'],
      ["excludePaths", "clients"],
    ] as const) {
      expect((await put(key, value)).status).toBe(400);
    }
  });
});

describe("the route for who writes the memory", () => {
  it("shows what would be sent before anything is saved, then saves all values or none", async () => {
    const served = await createServed();
    const path = join(served.home, "config.json");
    const before = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    const choice = { provider: "openai", baseUrl: "http://127.0.0.1:9/v1", model: "llama", tokensPerDay: "2000" };
    const preview = await send(served, `/api/writer?${new URLSearchParams(choice)}`);
    expect(preview.json.data["notice"]).toMatch(
      /are sent to llama at http:\/\/127\.0\.0\.1:9\/v1\.\nDaily limits: 2,000 tokens and \$1;/,
    );
    const none = await send(served, "/api/writer");
    expect(none.json.data).toEqual({
      notice: "The built-in extractor writes the memory. Nothing is sent to a model.",
      usage: { sessions: 0, tokens_per_day: 0 },
    });
    const put = (body: object, headers = {}) =>
      send(served, "/api/writer", { method: "PUT", body: JSON.stringify(body), headers });
    for (const Authorization of ["", "Bearer wrong"]) {
      expect((await put(choice, { Authorization })).status).toBe(401);
      expect((await send(served, "/api/writer", { headers: { Authorization } })).status).toBe(401);
    }
    for (const wrong of [{}, { ...choice, provider: "other" }, { ...choice, baseUrl: "http://me:pw@host" }]) {
      expect((await put(wrong)).status).toBe(400);
    }
    expect(existsSync(path) ? readFileSync(path, "utf8") : undefined).toBe(before);
    expect((await put(choice)).json.data["notice"]).toContain("are sent to llama");
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ ...choice, tokensPerDay: 2_000 });
  });
});
