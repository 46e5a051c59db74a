// An installation with a missing or damaged part: hooks exit 0 and log it, doctor reports it, install repairs it.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorld, run, type World } from "../e2e/harness.ts";

async function installed(): Promise<World & { plugin: string }> {
  const world = createWorld();
  world.env["PATH"] = join(process.execPath, "..");
  await run(world, ["install", "claude-code", "codex", "--yes", "--no-sync"]);
  await run(world, ["remember", "The zebrafish parser skips blank lines since the Kowalski import failed"]);
  return { ...world, plugin: join(world.home, "plugin", "c-mem") };
}

function fire(world: World & { plugin: string }, command: string, event: string, ...flags: string[]) {
  const payload = {
    session_id: "s",
    hook_event_name: event,
    source: "startup",
    cwd: world.project,
    prompt: "Do you remember the zebrafish parser and the Kowalski import?",
  };
  return spawnSync(process.execPath, [join(world.plugin, "dist", "hook.cjs"), command, ...flags], {
    cwd: world.project,
    env: world.env as NodeJS.ProcessEnv,
    input: JSON.stringify(payload),
    encoding: "utf8",
  });
}

const DAMAGES: [string, (path: string) => void][] = [
  ["missing", (path) => rmSync(path)],
  ["damaged", (path) => writeFileSync(path, readFileSync(path).subarray(0, 900))],
];

describe.each(DAMAGES)("a part that is %s", (_how, damage) => {
  it.each([
    ["hook-main.cjs", "new", "UserPromptSubmit", []],
    ["recall.cjs", "new", "UserPromptSubmit", []],
    ["context.cjs", "context", "SessionStart", []],
    ["agents.cjs", "new", "UserPromptSubmit", ["--agent", "codex"]],
  ] as const)("(%s) does not disturb the agent, and is reported and repaired", async (part, command, event, flags) => {
    const world = await installed();
    damage(join(world.plugin, "dist", part));
    const result = fire(world, command, event, ...flags);
    expect([result.status, result.stderr]).toEqual([0, ""]);
    const [entry] = readFileSync(join(world.home, "logs", "hook.log"), "utf8").split("\n");
    expect(JSON.parse(entry ?? "")).toMatchObject({ hook: command, message: expect.stringContaining(part) });
    expect((await run(world, ["doctor", "--fix"])).stdout).toMatch(
      /fixed {6}installed parts[\s\S]*ok {4}installed parts/,
    );
    expect(fire(world, "new", "UserPromptSubmit", ...flags).stdout).toContain("Kowalski");
  });
});

describe("c-mem install", () => {
  it("restores a missing page, skill or command", async () => {
    const world = await installed();
    const parts = [join("dist", "viewer"), join("skills", "recall"), join("commands", "fix.md"), ".mcp.json"];
    for (const lost of parts) {
      rmSync(join(world.plugin, lost), { recursive: true });
      const { stderr } = await run(world, ["install", "codex", "--yes", "--no-sync"]);
      expect(stderr).toContain("copy the hooks and the memory tools");
      expect(existsSync(join(world.plugin, lost))).toBe(true);
    }
    const { stderr } = await run(world, ["install", "codex", "--yes", "--no-sync"]);
    expect(stderr).toContain("already installed");
  });
});
