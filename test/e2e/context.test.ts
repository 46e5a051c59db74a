// `c-mem context` answers a hook's payload with JSON, and prints the block as text if stdin has no payload.
import { execFileSync, spawn, type StdioOptions } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import { BIN, contextOf, createWorld, hook, ROOT, run, type World } from "./harness.ts";

describe("c-mem context", () => {
  const world = createWorld();
  const block = { status: 0, stdout: expect.stringMatching(/^<c-mem-context>[\s\S]*Paint the shed green/) };
  beforeAll(async () => {
    await hook(world, "new", { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "Paint the shed green" });
  });

  it.each([
    ["/dev/null", () => openSync("/dev/null", "r")],
    ["a closed stdin", () => "closed" as const],
    ["an empty file", () => openSync(join(world.project, "empty"), "w+")],
    ["an open pipe nothing is written to", () => openFifo(world)],
    ["an open socket nothing is written to", () => "pipe" as const],
  ])("prints the block with %s", async (_name, stdin) => {
    expect(await runWithStdin(world, stdin())).toMatchObject(block);
  });

  it.each([
    ["nothing", ""],
    ["only white space", " \n\n"],
  ])("prints the block if the pipe has %s", async (_name, input) => {
    expect(await run(world, ["context"], { input })).toMatchObject(block);
  });

  it("answers a payload with the hook's JSON", async () => {
    const start = { session_id: "t", hook_event_name: "SessionStart", source: "startup" };
    expect(contextOf(await hook(world, "context", start))).toContain("Paint the shed green");
  });

  it("answers a payload that arrives in pieces and is larger than a pipe buffer", async () => {
    const payload = { session_id: "u", hook_event_name: "SessionStart", source: "startup", cwd: world.project };
    const text = JSON.stringify({ ...payload, more: "x".repeat(300_000) });
    const answer = runWithStdin(world, "pipe", (stdin) => {
      stdin.write(text.slice(0, 70_000), () => stdin.end(text.slice(70_000)));
    });
    expect(contextOf(JSON.parse((await answer).stdout) as Record<string, unknown>)).toContain("Paint the shed green");
  });

  it("answers a payload in a file", async () => {
    const result = await runWithStdin(world, openSync(join(ROOT, "package.json"), "r"));
    expect(result).toMatchObject({ status: 0, stdout: "{}\n" });
  });

  it("answers an empty stdin with JSON if an agent runs it as a hook", () => {
    const bundle = join(ROOT, "plugin", "dist", "hook.cjs");
    const options = { cwd: world.project, env: world.env, input: "", encoding: "utf8" } as const;
    expect(execFileSync(process.execPath, [bundle, "context"], options)).toBe("{}\n");
  });

  it("reports an unknown project with a hint", async () => {
    const result = await run(world, ["context", "shedd"]);
    expect(result).toMatchObject({ status: 4, stdout: "" });
    expect(result.stderr).toContain('No project "shedd"');
    expect(result.stderr).toContain("c-mem projects");
  });

  describe("--days and --format", () => {
    const old = { session_id: "old", hook_event_name: "UserPromptSubmit", prompt: "Dig the old pond" };
    const aged = createWorld();
    beforeAll(async () => {
      await hook(aged, "new", old);
      await hook(aged, "new", { ...old, session_id: "recent", prompt: "Plant the new hedge" });
      await run(aged, ["projects"]);
      const db = new DatabaseSync(join(aged.home, "c-mem.db"));
      const monthAgo = Date.now() - 30 * 86_400_000;
      db.prepare("UPDATE sessions SET started_at = ?, last_at = ? WHERE session_id = 'old'").run(monthAgo, monthAgo);
      db.close();
    });

    it("--days leaves out older sessions", async () => {
      const all = await run(aged, ["context", "--format", "markdown"]);
      expect(all.stdout).toContain("Dig the old pond");
      const week = await run(aged, ["context", "--days", "7"]);
      expect(week.stdout).toContain("Plant the new hedge");
      expect(week.stdout).not.toContain("Dig the old pond");
      expect(await run(aged, ["context", "--days", "0"])).toMatchObject({ status: 2, stdout: "" });
    });

    it("--format json prints what --json prints", async () => {
      const [long, short] = [
        await run(aged, ["context", "--format", "json"]),
        await run(aged, ["context", "--json"]),
      ].map(({ stdout }) => JSON.parse(stdout) as { data: { text: string } });
      expect(long?.data.text).toContain("Plant the new hedge");
      expect(Object.keys(long?.data ?? {})).toEqual(Object.keys(short?.data ?? {}));
    });

    it("--format plain prints no Markdown and no tags", async () => {
      const { stdout, status } = await run(aged, ["context", "--format", "plain"]);
      expect(status).toBe(0);
      expect(stdout).toMatch(/^Memory of earlier sessions in project\n/);
      expect(stdout).toMatch(/^Where work stopped \(.*\)\n.*Plant the new hedge/m);
      expect(stdout).not.toMatch(/^#|<\/?c-mem-context>/m);
    });

    it("writes only the block to stdout", async () => {
      const { stdout, stderr } = await run(aged, ["context"]);
      expect(stdout.trimEnd()).toMatch(/<\/c-mem-context>$/);
      expect(stderr).toMatch(/\d+ characters, about \d+ tokens/);
    });

    it("lists the formats in the error for an unknown one", async () => {
      const { status, stderr } = await run(aged, ["context", "--format", "yaml"]);
      expect(status).toBe(2);
      expect(stderr).toContain("markdown, json, plain");
    });
  });
});

/** Opens a FIFO for reading and writing, so that it never ends and never has data. */
function openFifo({ project }: World): number {
  const path = join(project, "fifo");
  execFileSync("mkfifo", [path]);
  return openSync(path, constants.O_RDWR);
}

function runWithStdin(
  { project, env }: World,
  stdin: number | "pipe" | "closed",
  feed?: (stdin: NodeJS.WritableStream) => void,
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const command = [process.execPath, BIN, "context"];
  const [file, ...args] = stdin === "closed" ? ["sh", "-c", '"$@" <&-', "sh", ...command] : command;
  const stdio: StdioOptions = [stdin === "closed" ? "ignore" : stdin, "pipe", "pipe"];
  return new Promise((done) => {
    const child = spawn(file as string, args, { cwd: project, env, stdio });
    const out = { stdout: "", stderr: "" };
    child.stdout?.on("data", (chunk: Buffer) => (out.stdout += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (out.stderr += chunk.toString()));
    child.on("close", (status) => {
      if (typeof stdin === "number") closeSync(stdin);
      done({ status, ...out });
    });
    if (child.stdin !== null) feed?.(child.stdin);
  });
}
