// The status line: its text, and adding it to and removing it from Claude Code's settings.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { localDay } from "../../src/core/time.ts";
import { createWorld, data, hook, run, type World } from "./harness.ts";

function activity(world: World, extra: object = {}): void {
  mkdirSync(world.home, { recursive: true });
  const spent = { day: localDay(Date.now()), tokens: 0, usd: 0 };
  writeFileSync(
    join(world.home, "activity.json"),
    JSON.stringify({
      at: "",
      sessions: 1204,
      last_activity: null,
      queue: { pending: 0, running: 0, failed: 0 },
      spent,
      ...extra,
    }),
  );
}

const line = async (world: World, input = JSON.stringify({ workspace: { current_dir: world.project } })) => {
  const result = await run(world, ["statusline"], { input });
  expect(result).toMatchObject({ status: 0, stderr: "" });
  return result.stdout;
};

describe("the status line", () => {
  it("shows counts, waiting and failed jobs, and today's cost", async () => {
    const world = createWorld();
    expect(await line(world)).toBe("C-Mem: ready\n");
    activity(world);
    expect(await line(world)).toBe("C-Mem: 1,204 sessions\n");
    activity(world, {
      queue: { pending: 2, running: 1, failed: 1 },
      spent: { day: localDay(Date.now()), tokens: 90_000, usd: 0.0312 },
    });
    await hook(world, "new", { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "go" });
    expect(await line(world)).toBe("C-Mem: 1,204 sessions · 4 waiting · 1 failed · $0.03 today\n");
    activity(world, { spent: { day: "2020-01-01", tokens: 90_000, usd: 3 } });
    expect(await line(world)).toBe("C-Mem: 1,204 sessions · 1 waiting\n");
  });

  it("shows that C-Mem is off", async () => {
    const world = createWorld();
    activity(world);
    writeFileSync(join(world.project, ".c-mem.json"), '{"enabled": false}');
    expect(await line(world)).toBe("C-Mem is off here\n");
  });

  it.each(["", "{", "null", "7", '{"workspace": 7}', '{"cwd": "\\u0000"}'])(
    "is one line even if stdin is %j",
    async (input) => {
      const world = createWorld();
      activity(world);
      expect(await line(world, input)).toBe("C-Mem: 1,204 sessions\n");
      writeFileSync(join(world.home, "activity.json"), "half a fi");
      expect(await line(world, input)).toBe("C-Mem: ready\n");
    },
  );
});

describe("c-mem install --statusline", () => {
  const settingsOf = (world: World) => join(world.claudeDir, "settings.json");
  const install = (world: World, ...args: string[]) =>
    run(world, ["install", "--yes", "--method", "settings", ...args]);
  const withSettings = (text: string) => {
    const world = createWorld();
    mkdirSync(world.claudeDir);
    writeFileSync(settingsOf(world), text);
    return world;
  };
  const read = (world: World) =>
    JSON.parse(readFileSync(settingsOf(world), "utf8")) as { statusLine?: { type: string; command: string } };

  it("adds a status line that the client can run, and uninstall restores the file", async () => {
    const before = '{ "model": "opus" }\n';
    const world = withSettings(before);
    expect(await install(world, "--statusline")).toMatchObject({ status: 0 });
    activity(world);
    const { command } = read(world).statusLine ?? { command: "" };
    const shown = spawnSync("sh", ["-c", command], { env: world.env, input: "{}", encoding: "utf8" });
    expect(shown.stdout).toBe("C-Mem: 1,204 sessions\n");
    expect(await data(world, ["install", "--yes", "--method", "settings"])).toEqual({ steps: [], applied: false });
    await run(world, ["uninstall", "--yes"]);
    expect(readFileSync(settingsOf(world), "utf8")).toBe(before);
  });

  it("is optional, and can be added and removed separately", async () => {
    const world = withSettings("{}\n");
    await install(world);
    expect(read(world)).not.toHaveProperty("statusLine");
    await install(world, "--statusline");
    expect(read(world)).toHaveProperty("statusLine");
    // The user has changed the file: uninstall removes only C-Mem's entry.
    writeFileSync(settingsOf(world), JSON.stringify({ ...read(world), model: "opus" }));
    await install(world, "--no-statusline");
    expect(read(world)).not.toHaveProperty("statusLine");
    expect(read(world)).toHaveProperty("hooks");
    await install(world, "--statusline");
    await run(world, ["uninstall", "--yes"]);
    expect(read(world)).toEqual({ model: "opus" });
  });

  it("never overwrites another status line", async () => {
    const other = '{ "statusLine": { "type": "command", "command": "~/mine.sh" } }\n';
    const world = withSettings(other);
    const refused = await install(world, "--statusline");
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("another status line")]);
    expect(readFileSync(settingsOf(world), "utf8")).toBe(other);
    await install(world);
    await run(world, ["uninstall", "--yes", "--purge"]);
    expect(readFileSync(settingsOf(world), "utf8")).toBe(other);
  });
});
