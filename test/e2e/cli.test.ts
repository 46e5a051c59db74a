// The command line: stdout and stderr, JSON envelope, exit codes, and hints in error messages.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorld, hook, run } from "./harness.ts";

/** Other Node versions installed on this machine, often older: their streams fail differently. */
function otherNodes(): string[] {
  return ["/usr/bin/node", "/usr/local/bin/node"].filter((path) => existsSync(path)).slice(0, 1);
}

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

  it("prints usage errors as JSON with --json", async () => {
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

  it.each([["config"], ["--help"], ["search", "--help"], ["--version"], []])(
    "exits cleanly if the reader closes the pipe early (%s)",
    async (...args) => {
      const nodes = [process.execPath, ...otherNodes()];
      for (const node of nodes) {
        const result = await run(createWorld(), args, { node, onStart: (child) => child.stdout?.destroy() });
        expect([result.status, result.stderr]).toEqual([0, ""]);
      }
    },
  );

  it("reads stdin if no words are given", async () => {
    const world = createWorld();
    const remembered = await run(world, ["remember"], { input: "Tests need Redis\n" });
    expect(remembered).toMatchObject({ status: 0, stdout: expect.stringContaining("Tests need Redis") });
    for (const args of [["fix"], ["fix", "-"]]) {
      const { status, stderr } = await run(world, args, { input: "TypeError: x is undefined\n" });
      expect([status, stderr]).toEqual([4, expect.stringContaining("had this error")]);
    }
    expect(await run(world, ["fix"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("c-mem fix <error>"),
    });
  });

  it("writes an export to stdout for -o -, and creates no file named -", async () => {
    const world = createWorld();
    await hook(world, "new", { session_id: "s1", hook_event_name: "UserPromptSubmit", prompt: "Find the walrus" });
    const plain = await run(world, ["export", "s1"]);
    for (const args of [["-o", "-"], ["--output", "-"], ["--output=-"]])
      expect(await run(world, ["export", "s1", ...args])).toEqual(plain);
    expect(plain.stdout).toContain("Find the walrus");
    const all = await run(world, ["export", "--all", "-o", "-"]);
    expect(all).toMatchObject({ status: 0, stdout: expect.stringContaining('"c_mem_export"') });
    expect(readdirSync(world.project)).toEqual([]);
  });

  it("prints nothing with sync --quiet and rebuild --quiet", async () => {
    const world = createWorld();
    const path = join(world.claudeDir, "projects", "-app", "s1.jsonl");
    mkdirSync(join(path, ".."), { recursive: true });
    const line = { type: "user", promptId: "p", uuid: "u", sessionId: "s1", cwd: world.project, version: "2.1.0" };
    const message = { role: "user", content: "Find the walrus" };
    writeFileSync(path, `${JSON.stringify({ ...line, timestamp: "2026-01-01T00:00:00Z", message })}\nnot json\n`);
    expect(await run(world, ["sync", "--quiet"])).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(await run(world, ["sync", "-q", "--force", "--archive"])).toMatchObject({
      status: 0,
      stdout: "",
      stderr: "",
    });
    expect(await run(world, ["rebuild", "--all", "-q"])).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect((await run(world, ["list"])).stdout).toContain("walrus");
  });

  it("writes a bug report outside the current folder, unless -o names a file", async () => {
    const world = createWorld();
    const { stdout, status } = await run(world, ["bug-report"]);
    expect([status, stdout.trim().startsWith(join(world.home, "logs"))]).toEqual([0, true]);
    expect(readdirSync(world.project)).toEqual([]);
    expect((await run(world, ["bug-report", "-o", "report.txt"])).stdout.trim()).toBe(
      join(world.project, "report.txt"),
    );
    expect((await run(world, ["bug-report", "-o", "-"])).stdout).toContain("== Doctor ==");
    expect(readdirSync(world.project)).toEqual(["report.txt"]);
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

  it("accepts a project name, and '--' ends the options", async () => {
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

  it("shows settings with their source, and invalid ones", async () => {
    const world = createWorld();
    mkdirSync(world.home, { recursive: true });
    writeFileSync(join(world.home, "config.json"), '{"contextSessions": 3, "maxTranscriptMb": "many"}');
    const { stdout } = await run(world, ["config", "--json"], { env: { C_MEM_ENABLED: "true" } });
    const { data } = JSON.parse(stdout) as { data: { results: object[]; problems: string[] } };
    expect(data.results).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: "contextSessions", value: 3, source: "user" }),
        expect.objectContaining({ key: "enabled", value: true, source: "environment" }),
        expect.objectContaining({ key: "maxTranscriptMb", source: "default" }),
      ]),
    );
    expect(data.problems).toHaveLength(1);
    expect((await run(world, ["doctor"])).stdout).toContain("FAIL  settings");
  });

  it("doctor and status exit 1 on problems, and print a fix for each", async () => {
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
