// A data directory that other users can read, or in which files were replaced by links or pipes.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { noteLostEvent } from "../../src/platform/state/lost-events.ts";
import { makeAllPrivate } from "../../src/platform/private-file.ts";
import { createWorld, data, hook, rows, run, type World } from "../e2e/harness.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";
const prompted = (world: World, extra: object = {}) =>
  hook(world, "new", { session_id: SESSION, hook_event_name: "UserPromptSubmit", prompt: "hello", ...extra });
const modeOf = (path: string): number => statSync(path).mode & 0o777;
/** Writes an error to the hooks' log: the payload is not JSON. */
const failingHook = (world: World) => run(world, ["new"], { input: "{ not json" });

describe("an existing data directory that others can read", () => {
  it.each([
    ["a hook", (world: World) => prompted(world)],
    ["a command", (world: World) => run(world, ["list"])],
    ["the MCP server", (world: World) => run(world, ["mcp"], { input: "" })],
  ])("is made private by %s", async (_, use) => {
    const world = createWorld();
    mkdirSync(world.home, { recursive: true });
    chmodSync(world.home, 0o755);
    await use(world);
    expect(modeOf(world.home)).toBe(0o700);
  });

  it("is made private by the worker with all its files", async () => {
    const world = createWorld();
    await prompted(world);
    await rows(world, "SELECT 1");
    const open = ["c-mem.db", "spool", "backups/old/x.db"].map((name) => join(world.home, name));
    mkdirSync(join(world.home, "backups", "old"), { recursive: true });
    writeFileSync(join(world.home, "backups", "old", "x.db"), "x");
    for (const path of [world.home, ...open]) chmodSync(path, 0o777);
    await run(world, ["worker", "run", "--once"]);
    for (const name of readdirSync(world.home, { recursive: true, encoding: "utf8" }))
      expect({ name, open: modeOf(join(world.home, name)) & 0o077 }).toEqual({ name, open: 0 });
    expect(modeOf(world.home)).toBe(0o700);
  });

  it("may be a symbolic link, whose target is made private", async () => {
    const world = createWorld();
    await prompted(world);
    const elsewhere = join(dirname(world.home), "elsewhere");
    renameSync(world.home, elsewhere);
    symlinkSync(elsewhere, world.home);
    chmodSync(elsewhere, 0o755);
    await prompted(world, { prompt: "hello again" });
    await failingHook(world);
    expect([lstatSync(world.home).isSymbolicLink(), modeOf(elsewhere)]).toEqual([true, 0o700]);
    expect(existsSync(join(elsewhere, "logs", "hook.log"))).toBe(true);
    expect(await rows(world, "SELECT count(*) AS n FROM prompts")).toEqual([{ n: 2 }]);
  });

  it("keeps its mode if other users may write to it (sticky bit)", () => {
    const world = createWorld();
    const shared = join(world.project, "shared");
    mkdirSync(shared);
    writeFileSync(join(shared, "theirs"), "x", { mode: 0o644 });
    chmodSync(shared, 0o1777);
    expect([makeAllPrivate(shared), modeOf(shared), modeOf(join(shared, "theirs"))]).toEqual([0, 0o777, 0o644]);
  });

  it("is reported with a hint if it is the home folder, which --fix does not change", async () => {
    const world = createWorld();
    const home = world.env["HOME"] ?? "";
    chmodSync(home, 0o755);
    const { stdout } = await run(world, ["doctor", "--fix"], { env: { C_MEM_HOME: home } });
    expect(stdout).toMatch(/privacy: the data directory .* is your home folder.*\n.*set C_MEM_HOME/);
    expect(stdout).not.toMatch(/chmod -R|made 0 files/);
    expect(modeOf(home)).toBe(0o755);
  });
});

describe("a link or pipe in place of one of C-Mem's files", () => {
  it("is replaced by a new file when it is the hooks' log", async () => {
    const world = createWorld();
    const target = join(world.project, "mine.txt");
    writeFileSync(target, "mine");
    mkdirSync(join(world.home, "logs"), { recursive: true, mode: 0o700 });
    const log = join(world.home, "logs", "hook.log");
    symlinkSync(target, log);
    await failingHook(world);
    expect(readFileSync(target, "utf8")).toBe("mine");
    expect([lstatSync(log).isFile(), readFileSync(log, "utf8")]).toEqual([
      true,
      expect.stringContaining("bad_payload"),
    ]);
  });

  it("does not block a hook when the log is a pipe", async () => {
    const world = createWorld();
    mkdirSync(join(world.home, "logs"), { recursive: true, mode: 0o700 });
    const log = join(world.home, "logs", "hook.log");
    execFileSync("mkfifo", [log]);
    await failingHook(world);
    expect(readFileSync(log, "utf8")).toContain("bad_payload");
  });

  it.each([["the worker's log", "logs/worker.log", (world: World) => run(world, ["worker", "run", "--once"])]])(
    "is not followed by %s",
    async (_, name, use) => {
      const world = createWorld();
      await prompted(world);
      const target = join(world.project, "mine.txt");
      writeFileSync(target, "mine");
      mkdirSync(join(world.home, "logs"), { recursive: true, mode: 0o700 });
      symlinkSync(target, join(world.home, name));
      expect((await use(world)).status).toBe(0);
      expect(readFileSync(target, "utf8")).toBe("mine");
    },
  );

  it("is not followed when C-Mem counts hooks that recorded nothing", async () => {
    const world = createWorld();
    await prompted(world);
    const target = join(world.project, "mine.txt");
    writeFileSync(target, "mine");
    const fired = join(world.home, "logs", "fired");
    mkdirSync(fired, { recursive: true, mode: 0o700 });
    symlinkSync(target, join(fired, "recall"));
    const read = { tool_name: "Bash", tool_input: { command: "ls" } };
    await hook(world, "recall", { session_id: SESSION, hook_event_name: "PreToolUse", ...read });
    expect(readFileSync(target, "utf8")).toBe("mine");
    expect(readFileSync(join(fired, "recall"), "utf8")).toBe(".");
  });

  it("is not followed when C-Mem counts lost events", () => {
    const world = createWorld();
    const target = join(world.project, "mine.txt");
    writeFileSync(target, "mine");
    const count = join(world.project, "lost-events");
    symlinkSync(target, count);
    noteLostEvent(count, 1);
    expect(readFileSync(target, "utf8")).toBe("mine");
  });

  it("is not followed when it is the marker of a private turn, which stays private", async () => {
    const world = createWorld();
    const target = join(world.project, "mine.txt");
    writeFileSync(target, "mine");
    await prompted(world, { prompt: "<private>x</private>", prompt_id: "p1" });
    const folder = join(world.home, "private");
    const [marker = ""] = readdirSync(folder);
    renameSync(join(folder, marker), join(world.project, "marker"));
    symlinkSync(target, join(folder, marker));
    await prompted(world, { prompt: "< private>y</private>", prompt_id: "p2" });
    expect(readFileSync(target, "utf8")).toBe("mine");
    expect(lstatSync(join(folder, marker)).isFile()).toBe(true);
    expect((await data(world, ["status"]))["prompts"] ?? 0).toBe(0);
  });
});
