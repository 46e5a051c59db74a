import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { contextOf, createWorld, hook, run, type World } from "./harness.ts";

/** Other tests disable the bytecode cache: this world enables it, as for users. */
function createCachingWorld(): World {
  const world = createWorld();
  delete world.env["NODE_DISABLE_COMPILE_CACHE"];
  return world;
}

describe("cached bytecode", () => {
  it("gives the same output as the source, for every hook and command", async () => {
    const world = createCachingWorld();
    const answers: string[][] = [];
    for (let round = 0; round < 7; round++) {
      const session = `s${round}`;
      await hook(world, "new", { hook_event_name: "UserPromptSubmit", session_id: session, prompt: "Find the walrus" });
      await hook(world, "summary", { hook_event_name: "Stop", session_id: session, last_assistant_message: "Found." });
      const start = { hook_event_name: "SessionStart", source: "startup", session_id: "other" };
      const told = contextOf(await hook(world, "context", start));
      const found = await run(world, ["search", "walrus", "--limit", "1"]);
      answers.push([/Find the walrus/.exec(told)?.[0] ?? "", found.stdout.replace(/\S*\d\S*/g, "#"), found.stderr]);
    }
    expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(answers[0]?.[0]).toBe("Find the walrus");
    const kept = readdirSync(join(world.home, "cache")).map((name) => name.split("-v")[0]);
    expect(kept).toEqual(
      expect.arrayContaining(["hook-main-new", "hook-main-context", "context-session-start", "cli-search"]),
    );
  });

  it("writes no file for a mistyped command", async () => {
    const world = createCachingWorld();
    await run(world, ["sync"]);
    expect((await run(world, ["walrus"])).status).toBe(2);
    expect(readdirSync(join(world.home, "cache"))).toEqual([expect.stringMatching(/^cli-sync-v/)]);
  });
});
