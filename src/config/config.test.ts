import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { VERSION } from "../core/version.ts";
import packageJson from "../../package.json" with { type: "json" };
import pluginJson from "../../plugin/.claude-plugin/plugin.json" with { type: "json" };
import { loadSettings } from "./load.ts";
import { resolvePaths } from "./paths.ts";
import { envName, SETTING_KEYS, SETTINGS } from "./schema.ts";

function files(user: string, project?: string): { user: string; project?: string[] } {
  const folder = mkdtempSync(join(tmpdir(), "c-mem-config-"));
  writeFileSync(join(folder, "user.json"), user);
  if (project === undefined) return { user: join(folder, "user.json") };
  writeFileSync(join(folder, "project.json"), project);
  return { user: join(folder, "user.json"), project: [join(folder, "project.json")] };
}

describe("settings", () => {
  it("come from the environment, then the project, the user, the defaults", () => {
    const both = files('{"skipTools": ["A"], "contextSessions": 3}', '{"skipTools": ["B"]}');
    expect(loadSettings(both, {}).values).toMatchObject({ skipTools: ["B"], contextSessions: 3, enabled: true });
    const loaded = loadSettings(both, { C_MEM_SKIP_TOOLS: "C, D" });
    expect(loaded.values.skipTools).toEqual(["C", "D"]);
    expect(loaded.sources).toMatchObject({ skipTools: "environment", contextSessions: "user", enabled: "default" });
  });

  it("in a project's file cannot change user-only settings", () => {
    const both = files(
      "{}",
      '{"excludePaths": ["/"], "maxTranscriptMb": 1000, "projects": {"/": "x"}, "enabled": false}',
    );
    const { values } = loadSettings(both, {});
    expect(values).toMatchObject({ excludePaths: [], maxTranscriptMb: 2_000, projects: {}, enabled: false });
  });

  it("reject an address with a password", () => {
    expect(loadSettings(files('{"baseUrl": "http://bob:sesame@host/v1"}', "{}"), {}).values.baseUrl).toBe("");
    expect(loadSettings(files('{"baseUrl": "http://host/v1"}', "{}"), {}).values.baseUrl).toBe("http://host/v1");
  });

  it("that cost money or send text elsewhere come only from the user's file", () => {
    const evil = {
      provider: "openai",
      baseUrl: "http://evil",
      apiKeyEnv: "AWS_SECRET",
      usdPerDay: 99,
      tokensPerDay: 9,
    };
    const env = Object.fromEntries(
      Object.entries(evil).map(([key, value]) => [envName(key as "model"), String(value)]),
    );
    const both = files('{"model": "mine"}', JSON.stringify(evil));
    const { values, sources } = loadSettings(both, env);
    expect(values).toMatchObject({ provider: "none", baseUrl: "", apiKeyEnv: "", usdPerDay: 1, model: "mine" });
    expect(sources).toMatchObject({ provider: "default", model: "user" });
  });

  it.each([
    ["not json", 1],
    ["[]", 1],
    ['{"enabled": "maybe"}', 1],
    ['{"contextMaxChars": 20000, "skipTools": [1]}', 2],
    ['{"unknown": 1}', 0],
    ["", 1],
  ])("in the file %j fall back to defaults, and problems are reported", (text, problems) => {
    const loaded = loadSettings(files(text), {});
    expect(loaded.problems).toHaveLength(problems);
    expect(loaded.values.contextMaxChars).toBe(9_500);
  });

  it("each have a description, a valid default and an environment name", () => {
    for (const key of SETTING_KEYS) {
      expect(SETTINGS[key].about).toMatch(/^[A-Z].*\.$/);
      expect(envName(key)).toMatch(/^C_MEM_[A-Z_]+$/);
    }
    expect(envName("skipTools")).toBe("C_MEM_SKIP_TOOLS");
  });
});

describe("the data directory", () => {
  it("is ~/.c-mem or C_MEM_HOME", () => {
    expect(resolvePaths({ HOME: "/home/me" }).database).toBe(join("/home/me", ".c-mem", "c-mem.db"));
    expect(resolvePaths({ HOME: "/home/me", C_MEM_HOME: "/data" }).database).toBe(join("/data", "c-mem.db"));
  });

  it.skipIf(process.platform === "win32")("is never in the current folder, even if HOME is empty", () => {
    const { HOME } = process.env;
    process.env["HOME"] = "";
    onTestFinished(() => void (process.env["HOME"] = HOME));
    expect(resolvePaths(process.env).home).toBe(join(userInfo().homedir, ".c-mem"));
  });
});

describe("the version", () => {
  it("is the same everywhere", () => {
    expect([packageJson.version, pluginJson.version]).toEqual([VERSION, VERSION]);
  });
});
