// The question of `c-mem install` who writes the memory, on a terminal.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorld, type World } from "./harness.ts";
import { hasPty, type Pty, startPty } from "./pty.ts";

const DOWN = "\u001b[B";
const CTRL_C = "\u0003";
const QUESTION = /Who writes the memory\?/;

/** A world with a `claude` command and, if `megabytes` is given, one recent session of that size. */
function worldWithClaude(megabytes = 0): World {
  const world = createWorld();
  const bin = join(world.project, "..", "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "claude"), "#!/bin/sh\nexit 1\n");
  chmodSync(join(bin, "claude"), 0o755);
  world.env["PATH"] = `${bin}:${join(process.execPath, "..")}:/usr/bin:/bin`;
  const folder = join(world.claudeDir, "projects", "-app");
  mkdirSync(folder, { recursive: true });
  if (megabytes > 0) writeFileSync(join(folder, "one.jsonl"), "\n".repeat(megabytes * 1_000_000));
  return world;
}

function startInstall(world: World, options = "", env: Record<string, string> = {}): Pty {
  const args = `install --no-sync --no-statusline --method settings ${options}`;
  return startPty(world, { args, size: "rows 50 cols 160", env });
}

async function answer(pty: Pty, ...steps: [question: RegExp, keys: string][]): Promise<void> {
  for (const [question, keys] of steps) {
    await pty.waitFor(question);
    pty.type(keys);
  }
}

const settingsOf = (world: World): unknown =>
  existsSync(join(world.home, "config.json"))
    ? JSON.parse(readFileSync(join(world.home, "config.json"), "utf8"))
    : undefined;

const APPLY: [RegExp, string] = [/Apply these changes\?/, "y"];

describe.skipIf(!hasPty())("c-mem install asks who writes the memory", () => {
  it("once; Enter chooses the extractor", async () => {
    const world = worldWithClaude();
    const pty = startInstall(world);
    await pty.waitFor(/haiku, tokens a day unknown, no sessions found yet/);
    expect(pty.screen()).toMatch(/● Built-in extractor: free, immediate, sends nothing/);
    await answer(pty, [QUESTION, "\r"], APPLY);
    expect(await pty.exit).toBe(0);
    expect(settingsOf(world)).toEqual({ provider: "none" });
    const again = startInstall(world);
    expect(await again.exit).toBe(0);
    expect(again.screen()).toContain("is already installed");
    expect(again.screen()).not.toMatch(QUESTION);
  });

  it("offers Claude Code with an estimate from the sessions found, and says what is sent", async () => {
    const world = worldWithClaude(2);
    const pty = startInstall(world);
    await pty.waitFor(/Your Claude Code: haiku, about 60,000 tokens a day/);
    pty.type(DOWN);
    await pty.waitFor(/estimated from 1 session; daily limit 1,000,000 tokens and \$1/);
    await answer(pty, [QUESTION, "\r"], APPLY);
    expect(await pty.exit).toBe(0);
    expect(pty.screen()).toMatch(/set provider to claude[^]*are sent to haiku through your Claude Code/);
    expect(settingsOf(world)).toEqual({ provider: "claude" });
  });

  it("asks for the variable of an API key, rejects the key itself, and says that it is not set", async () => {
    const world = worldWithClaude();
    const pty = startInstall(world);
    await answer(pty, [QUESTION, DOWN + DOWN], [/An API key/, "\r"], [/Which provider\?/, "\r"]);
    await pty.waitFor(/Which environment variable has the key\?[^]*ANTHROPIC_API_KEY/);
    pty.type("\u0015sk-ant-123\r");
    await pty.waitFor(/Enter the variable's name, such as ANTHROPIC_API_KEY, not the key/);
    pty.type("\u0015MY_KEY\r");
    await answer(pty, APPLY);
    expect(await pty.exit).toBe(0);
    expect(pty.screen()).toMatch(/MY_KEY is not set\. Set MY_KEY where your agent runs[^]*c-mem worker restart/);
    expect(settingsOf(world)).toEqual({ provider: "anthropic", apiKeyEnv: "MY_KEY" });
  });

  it("accepts the usual variable with Enter", async () => {
    const world = worldWithClaude();
    const pty = startInstall(world, "", { ANTHROPIC_API_KEY: "k" });
    await answer(pty, [QUESTION, DOWN + DOWN], [/An API key/, "\r"], [/Which provider\?/, "\r"]);
    await answer(pty, [/Which environment variable[^]*ANTHROPIC_API_KEY/, "\r"], APPLY);
    expect(await pty.exit).toBe(0);
    expect(pty.screen()).not.toContain("is not set");
    expect(settingsOf(world)).toEqual({ provider: "anthropic" });
  });

  it("asks for the address and model of a local server", async () => {
    const world = worldWithClaude();
    const pty = startInstall(world);
    await answer(pty, [QUESTION, DOWN + DOWN + DOWN], [/● A local server/, "\r"]);
    // The last server needs no row of its own.
    await pty.waitFor(/Which server\?|Its address\?/);
    if (pty.screen().includes("Which server?")) pty.type(`\u001b[A\r`);
    await answer(pty, [/Its address\?/, "\u0015localhost\r"], [/Enter a URL/, "\u0015http://127.0.0.1:9/v1\r"]);
    await answer(pty, [/Which model\?/, "\r"], [/Enter the model's name/, "llama3.2\r"], APPLY);
    expect(await pty.exit).toBe(0);
    expect(pty.screen()).toMatch(/are sent to llama3\.2 at http:\/\/127\.0\.0\.1:9\/v1/);
    expect(settingsOf(world)).toEqual({ provider: "openai", baseUrl: "http://127.0.0.1:9/v1", model: "llama3.2" });
  });

  it.each<[string, [RegExp, string][], RegExp]>([
    ["the question", [], QUESTION],
    [
      "the provider",
      [
        [QUESTION, DOWN + DOWN],
        [/● An API key/, "\r"],
      ],
      /Which provider\?/,
    ],
    [
      "the variable",
      [
        [QUESTION, DOWN + DOWN],
        [/● An API key/, "\r"],
        [/Which provider\?/, "\r"],
      ],
      /Which environment variable/,
    ],
    ["the plan", [[QUESTION, "\r"]], /Apply these changes\?/],
  ])("and Ctrl-C at %s leaves everything as it was", async (_, steps, last) => {
    const world = worldWithClaude();
    writeFileSync(join(world.claudeDir, "settings.json"), "{}");
    const pty = startInstall(world);
    await answer(pty, ...steps, [last, CTRL_C]);
    expect(await pty.exit).toBe(130);
    expect(settingsOf(world)).toBeUndefined();
    expect(readFileSync(join(world.claudeDir, "settings.json"), "utf8")).toBe("{}");
  });

  it.each(["--provider openai", "--yes", "--dry-run"])("but not with %s", async (options) => {
    const pty = startInstall(worldWithClaude(), options);
    if (options.startsWith("--provider")) await answer(pty, APPLY);
    expect(await pty.exit).toBe(0);
    expect(pty.screen()).not.toMatch(QUESTION);
  });
});
