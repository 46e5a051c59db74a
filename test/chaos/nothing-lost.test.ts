// Acknowledged events are neither lost nor stored twice: with 50 hooks at once, or kill -9 of hooks or readers.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findFallbackSpool } from "../../src/capture/live/spool.ts";
import { createWorld, hook, rows, run, type World } from "../e2e/harness.ts";

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

  it("when hooks are killed: each event is stored completely or not at all, acknowledged ones always", async () => {
    const world = createWorld();
    const before = Date.now();
    await run(world, ["save"], { input: use(world, 0) });
    const hookMs = Date.now() - before;
    const acknowledged: string[] = ["t0"];
    for (let index = 1; index < 60; index++) {
      const result = await run(world, ["save"], {
        input: use(world, index),
        // Kill at different times of a hook's run: from before it reads its input until after it has answered.
        onStart: (child) => globalThis.setTimeout(() => child.kill("SIGKILL"), (hookMs * 1.5 * index) / 60),
      });
      if (result.stdout.includes("continue")) acknowledged.push(`t${index}`);
    }
    const stored = await rows<{ tool_use_id: string; output: string }>(
      world,
      "SELECT tool_use_id, output FROM tool_uses",
    );
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
      await run(world, ["projects"], {
        onStart: (child) => globalThis.setTimeout(() => child.kill("SIGKILL"), 40 + round * 6),
      });
    }
    expect(await rows(world, "SELECT count(*) AS n, count(DISTINCT tool_use_id) AS ids FROM tool_uses")).toEqual([
      { n: 96, ids: 96 },
    ]);
    expect(await rows(world, "SELECT sum(count) AS runs FROM hook_runs WHERE hook = 'save'")).toEqual([{ runs: 96 }]);
    expect(await rows(world, "SELECT * FROM drops")).toEqual([]);
    expect(await rows(world, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    await run(world, ["search", "echo"]);
    expect(await rows(world, "SELECT count(*) AS n FROM tool_uses_fts WHERE tool_uses_fts MATCH 'echo'")).toEqual([
      { n: 96 },
    ]);
  });

  it("when the clock is set back within a turn: the answer stays with its prompt", async () => {
    const world = createWorld();
    const spool = join(world.home, "spool");
    for (const number of [1, 2]) {
      const turn = { session_id: "s", prompt_id: `p${number}` };
      await hook(world, "new", { ...turn, hook_event_name: "UserPromptSubmit", prompt: `prompt ${number}` });
      if (number === 1)
        await hook(world, "summary", { ...turn, hook_event_name: "Stop", last_assistant_message: "answer 1" });
    }
    await hook(world, "summary", {
      session_id: "s",
      prompt_id: "p2",
      hook_event_name: "Stop",
      last_assistant_message: "answer 2",
    });
    const names = readdirSync(spool).sort();
    renameSync(
      join(spool, names[3] ?? ""),
      join(
        spool,
        (names[2] ?? "")
          .replace(/^\d/, "0")
          .replace(".json", "-.json")
          .replace(/^(\d{13})\d/, "$10"),
      ),
    );
    expect(await rows(world, "SELECT text, response FROM prompts ORDER BY prompt_number")).toEqual([
      { text: "prompt 1", response: "answer 1" },
      { text: "prompt 2", response: "answer 2" },
    ]);
  });

  it("when a newer version writes drops that this one cannot read: they stay in the spool", async () => {
    const world = createWorld();
    await hook(world, "new", { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "known" });
    const [name = ""] = readdirSync(join(world.home, "spool"));
    const event = JSON.parse(readFileSync(join(world.home, "spool", name), "utf8")) as { activity: object };
    const newer = join(world.home, "spool", `9${name.slice(1)}`);
    writeFileSync(newer, JSON.stringify({ ...event, activity: { kind: "telepathy" } }));
    expect(await rows(world, "SELECT text FROM prompts")).toEqual([{ text: "known" }]);
    expect(existsSync(newer)).toBe(true);
  });

  it("when the data directory is not writable: events wait in the temporary folder and are stored later", async ({
    skip,
  }) => {
    const world = createWorld();
    const mounted = mountReadOnly(world.home);
    if (mounted === undefined) return skip("mounting is not allowed here");
    const secret = { session_id: "p", hook_event_name: "UserPromptSubmit", prompt: "<private>hush</private>" };
    await hook(world, "new", { ...secret, prompt_id: "hidden" });
    await run(world, ["save"], { input: use(world, 1) });
    await run(world, ["save"], { input: use(world, 1).replace('"s1"', '"p"').replace('"t1"', '"t9"') });
    const fallbackSpool = findFallbackSpool(join(world.home, "spool")) ?? "";
    expect([statSync(fallbackSpool).mode & 0o777, readdirSync(fallbackSpool).length]).toEqual([0o700, 1]);
    const marks = findFallbackSpool(join(world.home, "private")) ?? "";
    expect(readdirSync(marks)).toEqual(["p.json"]);
    mounted.letWrite();
    await run(world, ["save"], { input: use(world, 2) });
    await run(world, ["save"], { input: use(world, 1).replace('"s1"', '"p"').replace('"t1"', '"t8"') });
    expect(await rows(world, "SELECT tool_use_id FROM tool_uses ORDER BY 1")).toEqual([
      { tool_use_id: "t1" },
      { tool_use_id: "t2" },
    ]);
    expect([existsSync(fallbackSpool), await rows(world, "SELECT name FROM drops")]).toEqual([false, []]);
    expect(existsSync(marks)).toBe(false);
    expect(JSON.parse(readFileSync(join(world.home, "private", "p.json"), "utf8"))).toEqual({
      current: true,
      promptIds: ["hidden"],
    });
  });
});

/** Mounts a read-only data directory, because root may write to any other. Undefined if mounting is not allowed. */
function mountReadOnly(home: string): { letWrite(): void } | undefined {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "mode=700,ro", "c-mem-test", home]).status !== 0) return undefined;
  onTestFinished(() => void spawnSync("umount", ["-l", home]));
  return { letWrite: () => void spawnSync("mount", ["-o", "remount,rw", home]) };
}
