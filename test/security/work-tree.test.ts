// C-Mem writes Cursor's rule into a clone. Links in it must not redirect the rule to another folder or a tracked file.
import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { rulesText } from "../../src/agents/cursor/rules.ts";
import { createWorld, rows, run, type World } from "../e2e/harness.ts";

const RULE = ".cursor/rules/c-mem-context.mdc";

function git(cwd: string, ...args: string[]): string {
  const name = ["-c", "user.name=x", "-c", "user.email=x@example.com"];
  return execFileSync("git", [...name, ...args], { cwd, encoding: "utf8" });
}

function createClone(prepare: (project: string) => void = () => {}): World {
  const world = createWorld();
  git(world.project, "init", "-q");
  prepare(world.project);
  git(world.project, "add", "-A");
  git(world.project, "commit", "-q", "--allow-empty", "-m", "first");
  return world;
}

const install = (world: World, cwd = world.project) => run(world, ["install", "cursor", "--yes", "--no-sync"], { cwd });

/** Sends two prompts; the second writes the first into the rule. */
async function sendPrompts(world: World, cwd = world.project): Promise<void> {
  for (const [id, prompt] of [
    ["u", "Teach the parser about tabs"],
    ["v", "And about form feeds"],
  ] as const) {
    const base = { conversation_id: id, generation_id: "g1", workspace_roots: [cwd], cursor_version: "2" };
    const input = JSON.stringify({ ...base, hook_event_name: "beforeSubmitPrompt", prompt });
    await run(world, ["new", "--agent", "cursor"], { input, cwd });
    await rows(world, "SELECT 1");
  }
}

const hasFirstPrompt = (path: string): boolean =>
  existsSync(path) && readFileSync(path, "utf8").includes("parser about tabs");

describe("Cursor's rule in a clone", () => {
  it("is private and ignored by git, and no other file is written", async () => {
    const world = createClone();
    expect((await install(world)).status).toBe(0);
    await sendPrompts(world);
    const rule = join(world.project, RULE);
    expect([hasFirstPrompt(rule), statSync(rule).mode & 0o777]).toEqual([true, 0o600]);
    expect(git(world.project, "status", "--porcelain")).toBe("");
    expect(readdirSync(dirname(rule))).toEqual(["c-mem-context.mdc"]);
  });

  it.each([
    ["a link as .cursor", (project: string, outside: string) => symlinkSync(outside, join(project, ".cursor"))],
    [
      "a link as .cursor/rules",
      (project: string, outside: string) => {
        mkdirSync(join(project, ".cursor"));
        symlinkSync(outside, join(project, ".cursor", "rules"));
      },
    ],
    [
      "a link to a link",
      (project: string, outside: string) => {
        symlinkSync(outside, join(project, "docs"));
        symlinkSync("docs", join(project, ".cursor"));
      },
    ],
    [
      "a link to a missing folder",
      (project: string, outside: string) => symlinkSync(join(outside, "new"), join(project, ".cursor")),
    ],
    ["a link to .git", (project: string) => symlinkSync(".git/hooks", join(project, ".cursor"))],
    ["a link to itself", (project: string) => symlinkSync(".cursor", join(project, ".cursor"))],
  ])("is not written through %s", async (_, link) => {
    const world = createClone();
    const outside = join(world.project, "..", "outside");
    mkdirSync(outside);
    link(world.project, outside);
    const { status, stderr } = await install(world);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/error: .*\.cursor.* (?:was not|cannot be) written.*link/),
    ]);
    await sendPrompts(world);
    expect(readdirSync(outside)).toEqual([]);
    expect(existsSync(join(world.project, ".git", "hooks", "rules"))).toBe(false);
  });

  it("is not written through a link to another repository in the clone", async () => {
    const world = createClone();
    const inner = join(world.project, "inner");
    mkdirSync(inner);
    git(inner, "init", "-q");
    mkdirSync(join(world.project, ".cursor"));
    symlinkSync("../inner", join(world.project, ".cursor", "rules"));
    const { status, stderr } = await install(world);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/was not written: .*inner belongs to another repository/),
    ]);
    expect(git(inner, "status", "--porcelain")).toBe("");
  });

  it.each([
    "!.cursor/**",
    "!.cursor/rules/*.mdc",
    "!*",
    "!*.mdc\n*.md",
    ".cursor/*\n!.cursor/rules/",
    "!.cursor/rules",
    "!/.cursor/*",
    "!*.mdc\nc-mem-*",
    "*\n!*/\n!*.ts",
  ])("is written only if git ignores it, with the .gitignore %j", async (lines) => {
    const world = createClone((project) => writeFileSync(join(project, ".gitignore"), `${lines}\n`));
    appendFileSync(join(world.project, ".git", "info", "exclude"), `/${RULE}\n`);
    mkdirSync(join(world.project, dirname(RULE)), { recursive: true });
    const isIgnored = spawnSync("git", ["check-ignore", "-q", RULE], { cwd: world.project }).status === 0;
    const { status, stderr } = await install(world);
    expect([status, stderr.includes(".gitignore keeps git from ignoring")]).toEqual([isIgnored ? 0 : 1, !isIgnored]);
    expect(existsSync(join(world.project, RULE))).toBe(isIgnored);
  });

  it("is not updated through a link added later, and uninstall deletes nothing through the link", async () => {
    const world = createClone();
    await install(world);
    const outside = join(world.project, "..", "outside");
    renameSync(join(world.project, ".cursor"), outside);
    symlinkSync(outside, join(world.project, ".cursor"));
    await sendPrompts(world);
    const moved = join(outside, "rules", "c-mem-context.mdc");
    expect(readFileSync(moved, "utf8")).toBe(rulesText(""));
    expect(readFileSync(join(world.home, "logs", "hook.log"), "utf8")).toContain("link_refused");
    expect((await run(world, ["uninstall", "cursor", "--yes"])).status).toBe(0);
    expect(existsSync(moved)).toBe(true);
  });

  it.each<[string, (project: string) => string]>([
    [
      "its folder was moved within the clone",
      (project) => {
        renameSync(join(project, ".cursor", "rules"), join(project, "docs"));
        symlinkSync("../docs", join(project, ".cursor", "rules"));
        return "docs/c-mem-context.mdc";
      },
    ],
    [
      "the exclude line was deleted",
      (project) => {
        writeFileSync(join(project, ".git", "info", "exclude"), "");
        return RULE;
      },
    ],
  ])("is not updated if git no longer ignores it: %s", async (_, change) => {
    const world = createClone();
    await install(world);
    const rule = change(world.project);
    await sendPrompts(world);
    expect(readFileSync(join(world.project, rule), "utf8")).toBe(rulesText(""));
    expect(readFileSync(join(world.home, "logs", "hook.log"), "utf8")).toContain("git does not ignore");
    await install(world);
    await sendPrompts(world);
    expect(hasFirstPrompt(join(world.project, rule))).toBe(true);
    expect(git(world.project, "status", "--porcelain")).not.toContain("c-mem-context");
  });

  it("is updated if the repository's .gitignore covers it", async () => {
    const world = createClone((project) => writeFileSync(join(project, ".gitignore"), ".cursor/rules/*.mdc\n"));
    await install(world);
    writeFileSync(join(world.project, ".git", "info", "exclude"), "");
    await sendPrompts(world);
    expect(hasFirstPrompt(join(world.project, RULE))).toBe(true);
    expect(git(world.project, "status", "--porcelain")).toBe("");
  });

  it("is written through a link within the clone, and git ignores its real path", async () => {
    const world = createClone((project) => {
      mkdirSync(join(project, "docs [old]"));
      writeFileSync(join(project, "docs [old]", "readme.md"), "x");
      mkdirSync(join(project, ".cursor"));
      symlinkSync("../docs [old]", join(project, ".cursor", "rules"));
    });
    expect((await install(world)).status).toBe(0);
    await sendPrompts(world);
    const real = join(world.project, "docs [old]", "c-mem-context.mdc");
    expect([hasFirstPrompt(real), statSync(real).mode & 0o777]).toEqual([true, 0o600]);
    expect(git(world.project, "status", "--porcelain")).toBe("");
    await run(world, ["uninstall", "cursor", "--yes"]);
    expect(existsSync(real)).toBe(false);
  });

  it("is not written if git tracks the file since the clone or a later commit", async () => {
    const addTracked = (project: string): void => {
      mkdirSync(join(project, "docs"), { recursive: true });
      writeFileSync(join(project, "docs", "c-mem-context.mdc"), rulesText(""));
      mkdirSync(join(project, ".cursor"), { recursive: true });
      rmSync(join(project, ".cursor", "rules"), { recursive: true, force: true });
      symlinkSync("../docs", join(project, ".cursor", "rules"));
    };
    const first = createClone(addTracked);
    const { status, stderr } = await install(first);
    expect([status, stderr]).toEqual([1, expect.stringContaining("is tracked by git")]);
    const later = createClone();
    await install(later);
    addTracked(later.project);
    git(later.project, "add", "-f", ".");
    git(later.project, "commit", "-q", "-m", "second");
    await sendPrompts(later);
    expect(hasFirstPrompt(join(later.project, "docs", "c-mem-context.mdc"))).toBe(false);
    expect(git(later.project, "status", "--porcelain")).toBe("");
  });

  it("is ignored in a linked worktree and in a submodule, whose .git is a file", async () => {
    const world = createClone();
    const tree = join(world.project, "..", "tree");
    git(world.project, "worktree", "add", "-q", tree);
    expect((await install(world, tree)).status).toBe(0);
    await sendPrompts(world, tree);
    expect([hasFirstPrompt(join(tree, RULE)), git(tree, "status", "--porcelain")]).toEqual([true, ""]);
    const outer = createClone();
    git(outer.project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", world.project, "inner");
    const inner = join(outer.project, "inner");
    expect((await install(outer, inner)).status).toBe(0);
    await sendPrompts(outer, inner);
    expect([hasFirstPrompt(join(inner, RULE)), git(inner, "status", "--porcelain")]).toEqual([true, ""]);
  });

  it("never adds a line to an exclude file outside the repository", async () => {
    const world = createClone();
    const mine = join(world.project, "..", "mine");
    writeFileSync(mine, "mine");
    const exclude = join(world.project, ".git", "info", "exclude");
    rmSync(exclude, { force: true });
    mkdirSync(dirname(exclude), { recursive: true });
    symlinkSync(mine, exclude);
    expect((await install(world)).stderr).toMatch(/error: .*exclude was not written: a link leads it to .*mine/);
    expect(readFileSync(mine, "utf8")).toBe("mine");
    expect(existsSync(join(world.project, ".cursor"))).toBe(false);
    const pointing = createWorld();
    const folder = join(pointing.project, "..", "folder");
    mkdirSync(folder);
    writeFileSync(join(pointing.project, ".git"), `gitdir: ${folder}\n`);
    await install(pointing);
    expect(readdirSync(folder)).toEqual([]);
  });
});
