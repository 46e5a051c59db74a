// Nothing that a hook has acknowledged is lost or doubled: not by a crowd, not by kill -9 of hooks or readers.
import { describe, expect, it } from "vitest";
import { createWorld, hook, rows, run, type World } from "./harness.ts";

const use = (world: World, index: number) =>
  JSON.stringify({
    session_id: `s${index % 5}`,
    cwd: world.project,
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: `t${index}`,
    tool_input: { command: `echo ${index}` },
    tool_response: { stdout: "x".repeat(2000) },
  });

describe("nothing is lost", () => {
  it("when 50 hooks run at once, with readers among them", async () => {
    const world = createWorld();
    const hooks = Array.from({ length: 50 }, (_, index) => run(world, ["save"], { input: use(world, index) }));
    const readers = Array.from({ length: 5 }, () => run(world, ["projects"]));
    for (const { status, stderr } of await Promise.all(hooks)) expect([status, stderr]).toEqual([0, ""]);
    await Promise.all(readers);
    expect(await rows(world, "SELECT count(*) AS n, count(DISTINCT tool_use_id) AS ids FROM tool_uses")).toEqual([
      { n: 50, ids: 50 },
    ]);
  });

  it("when hooks are killed: each is there whole or not at all, and every acknowledged one is there", async () => {
    const world = createWorld();
    const acknowledged: string[] = [];
    for (let index = 0; index < 60; index++) {
      const result = await run(world, ["save"], {
        input: use(world, index),
        // Spread over the life of a hook: from before it reads to after it has answered.
        onStart: (child) => setTimeout(() => child.kill("SIGKILL"), 5 + index),
      });
      if (result.stdout.includes("continue")) acknowledged.push(`t${index}`);
    }
    const stored = await rows<{ tool_use_id: string; output: string }>(
      world,
      "SELECT tool_use_id, output FROM tool_uses",
    );
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(acknowledged.length).toBeLessThan(60);
    expect(stored.map((row) => row.tool_use_id)).toEqual(expect.arrayContaining(acknowledged));
    for (const row of stored) expect(row.output).toBe("x".repeat(2000));
  });

  it("when readers are killed while they drain", async () => {
    const world = createWorld();
    await hook(world, "new", { session_id: "s0", hook_event_name: "UserPromptSubmit", prompt: "go" });
    await run(world, ["projects"]);
    for (let round = 0; round < 12; round++) {
      await Promise.all(
        Array.from({ length: 8 }, (_, index) => run(world, ["save"], { input: use(world, round * 8 + index) })),
      );
      await run(world, ["projects"], { onStart: (child) => setTimeout(() => child.kill("SIGKILL"), 40 + round * 6) });
    }
    expect(await rows(world, "SELECT count(*) AS n, count(DISTINCT tool_use_id) AS ids FROM tool_uses")).toEqual([
      { n: 96, ids: 96 },
    ]);
    expect(await rows(world, "SELECT sum(count) AS runs FROM hook_runs WHERE hook = 'save'")).toEqual([{ runs: 96 }]);
    expect(await rows(world, "SELECT * FROM drops")).toEqual([]);
    expect(await rows(world, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    expect(await rows(world, "SELECT count(*) AS n FROM tool_uses_fts WHERE tool_uses_fts MATCH 'echo'")).toEqual([
      { n: 96 },
    ]);
  });
});
