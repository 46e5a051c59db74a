import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { resolvePaths } from "../../src/config/paths.ts";
import { ended, prompt, seedStore } from "../seed.ts";
import { createWorld, run } from "./harness.ts";

describe("c-mem model", () => {
  it("says how to install a model, and downloads nothing without consent", async () => {
    const world = createWorld();
    expect(await run(world, ["model"])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("keyword search only"),
    });
    const { stdout } = await run(world, ["model", "status", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ command: "model", data: { state: "missing", id: null, bytes: null } });
    const dry = await run(world, ["model", "install", "--dry-run"]);
    expect(dry).toMatchObject({ status: 0, stderr: expect.stringContaining("from npm") });
    // There is no terminal to ask on.
    expect(await run(world, ["model", "install"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--yes"),
    });
    expect(existsSync(world.home)).toBe(false);
  });

  it("reports a damaged file, and removes it", async () => {
    const world = createWorld();
    const folder = join(world.home, "models", "minilm");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "model-3.int8"), "half a mod");
    expect((await run(world, ["model"])).stdout).toContain("damaged");
    expect((await run(world, ["model", "remove", "--yes"])).status).toBe(0);
    expect(existsSync(folder)).toBe(false);
    expect((await run(world, ["model", "remove", "--yes"])).stderr).toContain("not installed");
  });

  it("rejects another package", async () => {
    const world = createWorld();
    const other = join(world.project, "other");
    mkdirSync(other);
    writeFileSync(join(other, "package.json"), '{"name": "other", "version": "1.0.0"}');
    const result = await run(world, ["model", "install", "--yes", "--from", other]);
    expect(result).toMatchObject({ status: 1, stderr: expect.stringContaining("The download is not") });
  });

  it.each([["bogus"], ["install", "--from", "nowhere.tgz"]])("rejects %s %s %s", async (...args) => {
    expect((await run(createWorld(), ["model", ...args])).status).toBe(2);
  });
});

describe("c-mem search without a model", () => {
  it("uses keywords, and says how to enable semantic search", async () => {
    const world = createWorld();
    mkdirSync(world.home, { recursive: true });
    const { db, add } = seedStore(resolvePaths(world.env).database);
    add("s1", prompt("the invoice is printed twice"));
    add("s1", ended("Repaired."));
    db.close();
    const { stdout, stderr, status } = await run(world, ["search", "--all", "--json", "invoice"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      data: { results: [{ session_id: "s1" }] },
      meta: {
        rung: "words",
        lanes: ["talk", "work", "files", "thinking"],
        degraded: "keyword search only: the embedding model is not installed",
        hint: expect.stringContaining("c-mem model install"),
        corpus: { model: null, vectors: 0, not_embedded: 1 },
      },
    });
    const nothing = await run(world, ["search", "--all", "kangaroo"]);
    expect(nothing).toMatchObject({ status: 4, stderr: expect.stringContaining("keyword search only") });
    const status2 = await run(world, ["status"]);
    expect(status2.stdout).toMatch(/semantic search +keyword search only: the embedding model is not installed/);
  });

  it.each([
    ["--type", "bugfix", 4],
    ["--type", "nonsense", 2],
    ["--session", "s1", 0],
    ["--session", "s2", 4],
    ["--file", "no/such.ts", 4],
  ])("filters by %s %s", async (option, value, expected) => {
    const world = createWorld();
    mkdirSync(world.home, { recursive: true });
    const { db, add } = seedStore(resolvePaths(world.env).database);
    add("s1", prompt("the invoice is printed twice"));
    db.close();
    expect((await run(world, ["search", "--all", "invoice", option, value])).status).toBe(expected);
  });
});
