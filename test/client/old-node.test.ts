// A user whose only Node has no SQLite: install fetches one for C-Mem alone, and everything works from then on.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorld, hook, run } from "../e2e/harness.ts";
import { oldNode, withNodeFirst } from "./old-node.ts";

describe("on a machine whose only Node is too old", () => {
  it("install announces that it fetches one, does so after consent, and every command works", async (test) => {
    const node = oldNode();
    if (node === undefined) return test.skip("no Node older than 22.16 on the PATH");
    const world = createWorld();
    world.env["PATH"] = withNodeFirst(world.env["PATH"], node);
    // The home is temporary, but npm's settings are this machine's own.
    world.env["NPM_CONFIG_USERCONFIG"] = join(homedir(), ".npmrc");
    for (const name of ["NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "NO_PROXY"]) world.env[name] = process.env[name] ?? "";
    const dry = await run(world, ["install", "--method", "settings", "--dry-run"], { node });
    expect(dry).toMatchObject({ status: 0, stderr: expect.stringContaining("download Node 24 from npm") });
    expect(existsSync(world.home)).toBe(false);
    const installed = await run(world, ["install", "--method", "settings", "--yes"], { node });
    expect(installed).toMatchObject({ status: 0, stderr: expect.stringContaining("Done.") });
    expect(existsSync(join(world.home, "runtime"))).toBe(true);
    await hook(
      world,
      "new",
      { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "caught on an old Node" },
      { node },
    );
    const answer = await hook(world, "context", { session_id: "t", hook_event_name: "SessionStart" }, { node });
    expect(JSON.stringify(answer)).toContain("caught on an old Node");
    expect(await run(world, ["doctor"], { node })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("All checks passed"),
    });
    expect((await run(world, ["uninstall", "--yes"], { node })).status).toBe(0);
    expect(existsSync(join(world.home, "runtime"))).toBe(false);
  });
});
