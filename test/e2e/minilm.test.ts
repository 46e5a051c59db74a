import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorld, run } from "./harness.ts";

describe("c-mem model", () => {
  it("says that there is none and how to get it, and changes nothing without being asked", async () => {
    const world = createWorld();
    expect(await run(world, ["model"])).toMatchObject({ status: 0, stdout: expect.stringContaining("words only") });
    const { stdout } = await run(world, ["model", "status", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ command: "model", data: { state: "missing", id: null, bytes: null } });
    const dry = await run(world, ["model", "install", "--dry-run"]);
    expect(dry).toMatchObject({ status: 0, stderr: expect.stringContaining("from npm") });
    // No terminal to ask on.
    expect(await run(world, ["model", "install"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--yes"),
    });
    expect(existsSync(world.home)).toBe(false);
  });

  it("says that its file is damaged, and removes it", async () => {
    const world = createWorld();
    const folder = join(world.home, "models", "minilm");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "model.int8"), "half a mod");
    expect((await run(world, ["model"])).stdout).toContain("damaged");
    expect((await run(world, ["model", "remove", "--yes"])).status).toBe(0);
    expect(existsSync(folder)).toBe(false);
    expect((await run(world, ["model", "remove", "--yes"])).stderr).toContain("not installed");
  });

  it("does not take another package for the model", async () => {
    const world = createWorld();
    const other = join(world.project, "other");
    mkdirSync(other);
    writeFileSync(join(other, "package.json"), '{"name": "other", "version": "1.0.0"}');
    const result = await run(world, ["model", "install", "--yes", "--from", other]);
    expect(result).toMatchObject({ status: 1, stderr: expect.stringContaining("What was fetched is not") });
  });

  it.each([["bogus"], ["install", "--from", "nowhere.tgz"]])("does not know %s %s %s", async (...args) => {
    expect((await run(createWorld(), ["model", ...args])).status).toBe(2);
  });
});
