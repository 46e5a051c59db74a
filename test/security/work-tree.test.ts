// Links in a clone that would lead what C-Mem writes into it elsewhere, or into a file that is committed.
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

function cloned(prepare: (project: string) => void = () => {}): World {
  const world = createWorld();
  git(world.project, "init", "-q");
  prepare(world.project);
  git(world.project, "add", "-A");
  git(world.project, "commit", "-q", "--allow-empty", "-m", "first");
  return world;
}

const install = (world: World, cwd = world.project) => run(world, ["install", "cursor", "--yes", "--no-sync"], { cwd });

/** Two prompts: the second is told of the first. */
async function remember(world: World, cwd = world.project): Promise<void> {
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

const said = (path: string): boolean => existsSync(path) && readFileSync(path, "utf8").includes("parser about tabs");

describe("Cursor's rule in a clone", () => {
  it("is private and ignored by git, and no other file is written", async () => {
    const world = cloned();
    expect((await install(world)).status).toBe(0);
    await remember(world);
    const rule = join(world.project, RULE);
    expect([said(rule), statSync(rule).mode & 0o777]).toEqual([true, 0o600]);
    expect(git(world.project, "status", "--porcelain")).toBe("");
    expect(readdirSync(dirname(rule))).toEqual(["c-mem-context.mdc"]);
  });

  it.each([
    ["its folder", (project: string, outside: string) => symlinkSync(outside, join(project, ".cursor"))],
    [
      "the folder in its folder",
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
      "a link to nothing",
      (project: string, outside: string) => symlinkSync(join(outside, "new"), join(project, ".cursor")),
    ],
    ["git's own folder", (project: string) => symlinkSync(".git/hooks", join(project, ".cursor"))],
    ["a link to itself", (project: string) => symlinkSync(".cursor", join(project, ".cursor"))],
  ])("is rejected if %s leads out of the tree", async (_, link) => {
    const world = cloned();
    const outside = join(world.project, "..", "outside");
    mkdirSync(outside);
    link(world.project, outside);
    const { status, stderr } = await install(world);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/error: .*\.cursor.* (?:was not|cannot be) written.*link/),
    ]);
    await remember(world);
    expect(readdirSync(outside)).toEqual([]);
    expect(existsSync(join(world.project, ".git", "hooks", "rules"))).toBe(false);
  });

  it("is rejected if a link leads into another repository in the tree", async () => {
    const world = cloned();
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
  ])("is rejected if git would not ignore it because of a .gitignore with %j", async (lines) => {
    const world = cloned((project) => writeFileSync(join(project, ".gitignore"), `${lines}\n`));
    appendFileSync(join(world.project, ".git", "info", "exclude"), `/${RULE}\n`);
    mkdirSync(join(world.project, dirname(RULE)), { recursive: true });
    const isIgnored = spawnSync("git", ["check-ignore", "-q", RULE], { cwd: world.project }).status === 0;
    const { status, stderr } = await install(world);
    expect([status, stderr.includes(".gitignore keeps git from ignoring")]).toEqual([isIgnored ? 0 : 1, !isIgnored]);
    expect(existsSync(join(world.project, RULE))).toBe(isIgnored);
  });

  it("is rejected by hooks if a link was added later, and uninstall deletes nothing behind it", async () => {
    const world = cloned();
    await install(world);
    const outside = join(world.project, "..", "outside");
    renameSync(join(world.project, ".cursor"), outside);
    symlinkSync(outside, join(world.project, ".cursor"));
    await remember(world);
    const moved = join(outside, "rules", "c-mem-context.mdc");
    expect(readFileSync(moved, "utf8")).toBe(rulesText(""));
    expect(readFileSync(join(world.home, "logs", "hook.log"), "utf8")).toContain("link_refused");
    expect((await run(world, ["uninstall", "cursor", "--yes"])).status).toBe(0);
    expect(existsSync(moved)).toBe(true);
  });

  it.each<[string, (project: string) => string]>([
    [
      "its folder moved within the tree",
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
    const world = cloned();
    await install(world);
    const rule = change(world.project);
    await remember(world);
    expect(readFileSync(join(world.project, rule), "utf8")).toBe(rulesText(""));
    expect(readFileSync(join(world.home, "logs", "hook.log"), "utf8")).toContain("git does not ignore");
    await install(world);
    await remember(world);
    expect(said(join(world.project, rule))).toBe(true);
    expect(git(world.project, "status", "--porcelain")).not.toContain("c-mem-context");
  });

  it("is updated if the repository's .gitignore covers it", async () => {
    const world = cloned((project) => writeFileSync(join(project, ".gitignore"), ".cursor/rules/*.mdc\n"));
    await install(world);
    writeFileSync(join(world.project, ".git", "info", "exclude"), "");
    await remember(world);
    expect(said(join(world.project, RULE))).toBe(true);
    expect(git(world.project, "status", "--porcelain")).toBe("");
  });

  it("follows a link within the tree, and git ignores the file by its real path", async () => {
    const world = cloned((project) => {
      mkdirSync(join(project, "docs [old]"));
      writeFileSync(join(project, "docs [old]", "readme.md"), "x");
      mkdirSync(join(project, ".cursor"));
      symlinkSync("../docs [old]", join(project, ".cursor", "rules"));
    });
    expect((await install(world)).status).toBe(0);
    await remember(world);
    const real = join(world.project, "docs [old]", "c-mem-context.mdc");
    expect([said(real), statSync(real).mode & 0o777]).toEqual([true, 0o600]);
    expect(git(world.project, "status", "--porcelain")).toBe("");
    await run(world, ["uninstall", "cursor", "--yes"]);
    expect(existsSync(real)).toBe(false);
  });

  it("is rejected if git tracks the file, from the clone or a pull", async () => {
    const bring = (project: string): void => {
      mkdirSync(join(project, "docs"), { recursive: true });
      writeFileSync(join(project, "docs", "c-mem-context.mdc"), rulesText(""));
      mkdirSync(join(project, ".cursor"), { recursive: true });
      rmSync(join(project, ".cursor", "rules"), { recursive: true, force: true });
      symlinkSync("../docs", join(project, ".cursor", "rules"));
    };
    const first = cloned(bring);
    const { status, stderr } = await install(first);
    expect([status, stderr]).toEqual([1, expect.stringContaining("is tracked by git")]);
    const later = cloned();
    await install(later);
    bring(later.project);
    git(later.project, "add", "-f", ".");
    git(later.project, "commit", "-q", "-m", "second");
    await remember(later);
    expect(said(join(later.project, "docs", "c-mem-context.mdc"))).toBe(false);
    expect(git(later.project, "status", "--porcelain")).toBe("");
  });

  it("is ignored in a linked worktree and in a submodule, whose .git is a file", async () => {
    const world = cloned();
    const tree = join(world.project, "..", "tree");
    git(world.project, "worktree", "add", "-q", tree);
    expect((await install(world, tree)).status).toBe(0);
    await remember(world, tree);
    expect([said(join(tree, RULE)), git(tree, "status", "--porcelain")]).toEqual([true, ""]);
    const outer = cloned();
    git(outer.project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", world.project, "inner");
    const inner = join(outer.project, "inner");
    expect((await install(outer, inner)).status).toBe(0);
    await remember(outer, inner);
    expect([said(join(inner, RULE)), git(inner, "status", "--porcelain")]).toEqual([true, ""]);
  });

  it("never adds a line to a file outside the repository", async () => {
    const world = cloned();
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
