// Attacks with paths and links: C-Mem must not write outside the data directory or read files without end.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { rulesText } from "../../src/agents/cursor/rules.ts";
import { allBytes, createWorld, hook, rows, run, type World } from "../e2e/harness.ts";
import { ATTACKS } from "./hostile-texts.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";
const prompted = (world: World, extra: object) =>
  hook(world, "new", { session_id: SESSION, hook_event_name: "UserPromptSubmit", prompt: "still here", ...extra });

/** Each test is one attack. */
let attacks = 0;
beforeEach(() => void attacks++);

/** The paths of all files in the test's folder, except those in the data directory. */
function outside({ home }: World): string[] {
  const root = dirname(dirname(home));
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => !join(root, name).startsWith(home))
    .toSorted();
}

describe("a payload", () => {
  const upwards = "../../../../outside";
  it.each([
    ["a session id with ../", { session_id: upwards, prompt: "<private>x</private>" }],
    ["a session id with a NUL", { session_id: "a\0b" }],
    ["an absolute session id", { session_id: "/tmp/c-mem-should-not-be" }],
    ["a prompt id with ../", { prompt_id: upwards }],
    ["a folder with ../", { cwd: "/proc/self/cwd/../../.." }],
    ["a folder name of 100,000 letters", { cwd: `/${"a".repeat(100_000)}` }],
    ["a path of 30,000 folders", { cwd: "/a".repeat(30_000) }],
    ["a transcript path with ../", { transcript_path: "../../../../etc/passwd" }],
  ])("with %s writes only into the data directory", async (_, extra) => {
    const world = createWorld();
    const before = outside(world);
    await prompted(world, extra);
    for (const source of ["startup", "compact"]) {
      await hook(world, "context", { session_id: SESSION, ...extra, hook_event_name: "SessionStart", source });
    }
    await hook(world, "recall", {
      session_id: SESSION,
      ...extra,
      hook_event_name: "PreToolUse",
      tool_name: "Read",
      tool_input: { file_path: upwards },
    });
    await rows(world, "SELECT 1");
    expect(outside(world)).toEqual(before);
  });
});

describe("a transcript_path", () => {
  it.each([
    ["an endless device", () => "/dev/zero"],
    [
      "a pipe without a writer",
      (world: World) => {
        const path = join(world.project, "pipe.jsonl");
        execFileSync("mkfifo", [path]);
        return path;
      },
    ],
    ["a folder", (world: World) => world.project],
    [
      "a link to another file",
      (world: World) => {
        const path = join(world.project, "link.jsonl");
        writeFileSync(join(world.project, "notes.txt"), "Rumpelstilzchen");
        symlinkSync(join(world.project, "notes.txt"), path);
        return path;
      },
    ],
  ])("that is %s does not block the worker and is not imported", async (_, path) => {
    const world = createWorld();
    const transcript_path = path(world);
    await prompted(world, { transcript_path });
    await hook(world, "summary", {
      session_id: SESSION,
      hook_event_name: "Stop",
      transcript_path,
      last_assistant_message: "Done.",
    });
    const worker = await run(world, ["worker", "run", "--once"]);
    expect(worker.status).toBe(0);
    expect(await rows(world, "SELECT text FROM prompts")).toEqual([{ text: "still here" }]);
    expect(allBytes(world.home)).not.toContain("Rumpelstilzchen");
  });
});

describe("a repository", () => {
  it.each([
    ["a .git that points to a device", "gitdir: /dev"],
    ["a .git that points to itself", "gitdir: ."],
    ["a .git that points to ../", `gitdir: ${"../".repeat(50)}etc`],
    ["a .git with a NUL", "gitdir: a\0b"],
    ["a .git of a megabyte", `gitdir: ${"a".repeat(1024 * 1024)}`],
  ])("with %s is treated as a plain folder", async (_, text) => {
    const world = createWorld();
    writeFileSync(join(world.project, ".git"), text);
    await prompted(world, {});
    expect(await rows(world, "SELECT text FROM prompts")).toEqual([{ text: "still here" }]);
  });

  it("with circular links is treated as a plain folder", async () => {
    const world = createWorld();
    symlinkSync(join(world.project, "b"), join(world.project, "a"));
    symlinkSync(join(world.project, "a"), join(world.project, "b"));
    for (const name of [".git", ".c-mem.json", ".c-memignore"])
      symlinkSync(join(world.project, "a"), join(world.project, name));
    await prompted(world, { cwd: join(world.project, "a", "b") });
    await prompted(world, {});
    expect((await rows(world, "SELECT text FROM prompts")).length).toBeGreaterThan(0);
  });

  it("with the name of another project does not get its memory", async () => {
    const world = createWorld();
    const other = join(world.project, "..", "other");
    mkdirSync(other);
    writeFileSync(
      join(other, ".c-mem.json"),
      JSON.stringify({ project: "project", provider: "openai", baseUrl: "http://evil.example" }),
    );
    await prompted(world, {});
    await prompted(world, { cwd: other, session_id: "other" });
    const keys = await rows<{ key: string }>(world, "SELECT key FROM projects");
    expect(new Set(keys.map(({ key }) => key)).size).toBe(2);
    const config = await run(world, ["config", "get", "provider"], { cwd: other });
    expect(config.stdout).toContain("none");
  });
});

describe("a repository with links", () => {
  /** Creates a link `name` in the repository to a file outside of it. */
  const createLink = (world: World, name: string): string => {
    const [link, target] = [join(world.project, name), join(world.project, "..", "mine.txt")];
    mkdirSync(dirname(link), { recursive: true });
    writeFileSync(target, "mine");
    symlinkSync(target, link);
    return target;
  };

  it("cannot make a bug report overwrite a file", async () => {
    const world = createWorld();
    const name = `c-mem-bug-report-${new Date().toISOString().slice(0, 10)}.txt`;
    const target = createLink(world, name);
    const { stdout } = await run(world, ["bug-report"]);
    expect(stdout.trim()).toBe(join(world.home, "logs", name));
    expect((await run(world, ["bug-report", "-o", name])).status).toBe(1);
    expect(readFileSync(target, "utf8")).toBe("mine");
  });

  it("cannot make C-Mem overwrite a linked file, or write memory into a rule that it brings along", async () => {
    const world = createWorld();
    execFileSync("git", ["init", "-q"], { cwd: world.project });
    const rule = join(world.project, ".cursor", "rules", "c-mem-context.mdc");
    const target = createLink(world, ".cursor/rules/c-mem-context.mdc.new");
    writeFileSync(rule, rulesText(""));
    const base = { conversation_id: "u", generation_id: "g1", workspace_roots: [world.project], cursor_version: "2" };
    const sendPrompt = (prompt: string, id: string) =>
      run(world, ["new", "--agent", "cursor"], {
        input: JSON.stringify({ ...base, conversation_id: id, hook_event_name: "beforeSubmitPrompt", prompt }),
      });
    await sendPrompt("Teach the parser about tabs", "u");
    await rows(world, "SELECT 1");
    await sendPrompt("And about form feeds", "v");
    expect([readFileSync(rule, "utf8"), readFileSync(target, "utf8")]).toEqual([rulesText(""), "mine"]);
    await run(world, ["install", "cursor", "--yes", "--no-sync"]);
    await sendPrompt("And about returns", "w");
    expect(readFileSync(rule, "utf8")).toContain("Teach the parser about tabs");
    expect(readFileSync(target, "utf8")).toBe("mine");
  });
});

describe("the archive", () => {
  it("keeps copies inside its folder, for any session id and file name", async () => {
    const world = createWorld();
    const folder = join(world.claudeDir, "projects", "..-..-etc");
    mkdirSync(folder, { recursive: true });
    const line = {
      type: "user",
      promptId: "p",
      sessionId: "../../../x",
      cwd: world.project,
      uuid: "u",
      timestamp: "2026-01-01T00:00:00Z",
      message: { content: "hello" },
    };
    writeFileSync(join(folder, "..%2f..%2fx;rm -rf $HOME.jsonl"), `${JSON.stringify(line)}\n`);
    const before = outside(world);
    await run(world, ["sync", "--quiet", "--archive"]);
    expect(outside(world)).toEqual(before);
    for (const name of readdirSync(join(world.home, "archive", "claude-code"))) expect(name).toMatch(/^[\w.-]+$/);
  });

  it("writes no file when the source path in an archived copy was forged", async () => {
    const world = createWorld();
    const folder = join(world.claudeDir, "projects", "-app");
    mkdirSync(folder, { recursive: true });
    const line = {
      type: "user",
      promptId: "p",
      sessionId: SESSION,
      cwd: world.project,
      uuid: "u",
      timestamp: "2026-01-01T00:00:00Z",
      message: { content: "hello" },
    };
    const path = join(folder, `${SESSION}.jsonl`);
    writeFileSync(path, `${JSON.stringify(line)}\n`);
    await run(world, ["sync", "--quiet", "--archive"]);
    execFileSync("rm", [path]);
    const archive = join(world.home, "archive", "claude-code");
    const about = readdirSync(archive).find((name) => name.endsWith(".about.json")) ?? "";
    const copy = JSON.parse(readFileSync(join(archive, about), "utf8")) as { file: { path: string } };
    copy.file.path = "../../../../etc/passwd";
    writeFileSync(join(archive, about), JSON.stringify(copy));
    const before = outside(world);
    expect((await run(world, ["sync", "--quiet", "--force"])).stderr).not.toMatch(/internal|stack/i);
    expect(outside(world)).toEqual(before);
  });
});

it("ATTACKS has the number of these tests", () => {
  expect(attacks - 1).toBe(ATTACKS.paths);
});
