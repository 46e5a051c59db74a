// The command line's contract: streams, envelope, exit codes, messages that say what to do next.
import { writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorld, hook, run } from "./harness.ts";

describe("the command line", () => {
  it("shows help without arguments, and its version", async () => {
    const world = createWorld();
    expect(await run(world, [])).toMatchObject({
      status: 0,
      stderr: "",
      stdout: expect.stringContaining("Usage: c-mem"),
    });
    expect((await run(world, ["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([[["nonsense"]], [["status", "--nonsense"]], [["context", "a", "b"]], [["install", "--method"]]])(
    "%j is a usage error",
    async (args) => {
      const result = await run(createWorld(), args);
      expect(result).toMatchObject({ status: 2, stdout: "" });
      expect(result.stderr).not.toBe("");
    },
  );

  it("gives usage errors as JSON where JSON was asked for", async () => {
    for (const args of [
      ["frob", "--json"],
      ["status", "--frob", "--json"],
    ]) {
      const result = await run(createWorld(), args);
      expect(result).toMatchObject({ status: 2, stderr: "" });
      expect(JSON.parse(result.stdout)).toMatchObject({
        schema_version: 1,
        error: { code: "usage", message: expect.stringContaining("frob") },
      });
    }
  });

  it("does not mind a reader that stops early", async () => {
    const world = createWorld();
    const result = await run(world, ["config"], { onStart: (child) => child.stdout?.destroy() });
    expect([result.status, result.stderr]).toEqual([0, ""]);
  });

  it("answers 'nothing found' with exit code 4 and a hint", async () => {
    const world = createWorld();
    for (const args of [["context", "unknown"], ["projects"]]) {
      const plain = await run(world, args);
      expect(plain).toMatchObject({ status: 4, stdout: "", stderr: expect.stringContaining("c-mem sync") });
      const json = await run(world, [...args, "--json"]);
      expect(json.status).toBe(4);
      expect(JSON.parse(json.stdout)).toMatchObject({
        schema_version: 1,
        command: args[0],
        error: { code: "nothing_found", hint: expect.any(String) },
      });
    }
  });

  it("takes a project by name, and '--' ends the options", async () => {
    const world = createWorld();
    await hook(world, "new", { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "find me" });
    const elsewhere = { cwd: "/" };
    expect((await run(world, ["context", "project"], elsewhere)).stdout).toContain("find me");
    expect((await run(world, ["context", "--", "project"], elsewhere)).stdout).toContain("find me");
    const json = JSON.parse((await run(world, ["context", "project", "--json"], elsewhere)).stdout) as {
      data: { text: string; chars: number; tokens: number };
    };
    expect(json.data.chars).toBe(json.data.text.length);
    expect(json.data.tokens).toBeGreaterThan(10);
    expect(JSON.parse((await run(world, ["projects", "--json"])).stdout)).toMatchObject({
      schema_version: 1,
      command: "projects",
      data: { results: [{ name: "project", sessions: 1, last_at: expect.stringMatching(/^\d{4}-.*Z$/) }] },
    });
  });

  it("shows settings with where they come from, and what cannot be used", async () => {
    const world = createWorld();
    mkdirSync(world.home, { recursive: true });
    writeFileSync(join(world.home, "config.json"), '{"contextSessions": 3, "maxOutputChars": "many"}');
    const { stdout } = await run(world, ["config", "--json"], { env: { C_MEM_ENABLED: "true" } });
    const { data } = JSON.parse(stdout) as { data: { results: object[]; problems: string[] } };
    expect(data.results).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: "contextSessions", value: 3, source: "user" }),
        expect.objectContaining({ key: "enabled", value: true, source: "environment" }),
        expect.objectContaining({ key: "maxOutputChars", source: "default" }),
      ]),
    );
    expect(data.problems).toHaveLength(1);
    expect((await run(world, ["doctor"])).stdout).toContain("FAIL  settings");
  });

  it("doctor and status exit 1 while something is wrong, and give a fix for each", async () => {
    const world = createWorld();
    for (const command of ["doctor", "status"]) {
      expect(await run(world, [command])).toMatchObject({
        status: 1,
        stdout: expect.stringContaining("c-mem install"),
      });
      expect((await run(world, [command, "--json"])).status).toBe(1);
    }
    const { data } = JSON.parse((await run(world, ["doctor", "--json"])).stdout) as {
      data: { results: { state: string; fix?: string }[] };
    };
    for (const check of data.results) if (check.state !== "ok") expect(check.fix).toBeTruthy();
  });
});
