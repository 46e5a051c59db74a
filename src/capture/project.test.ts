import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadSettings } from "../config/load.ts";
import type { Settings } from "../config/schema.ts";
import { normaliseRemote } from "./git.ts";
import { isExcludedFile } from "./ignore-files.ts";
import { branchOf, findPlace, identifyProject, offReason, pathFromRoot, type Place, storedPath } from "./project.ts";

const scratch = () => realpathSync(mkdtempSync(join(tmpdir(), "c-mem-project-")));
const loadedDefaults = loadSettings({ user: "/nonexistent" }, {});
const defaults = loadedDefaults.values;

function git(cwd: string, ...args: string[]): void {
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, stdio: "ignore" });
}

function repository(folder: string, remote?: string): string {
  mkdirSync(folder, { recursive: true });
  git(folder, "init", "-q", "-b", "main");
  git(folder, "commit", "-q", "--allow-empty", "-m", "x");
  if (remote !== undefined) git(folder, "remote", "add", "origin", remote);
  return folder;
}

const isExcluded = (place: Place, values: Settings): boolean =>
  offReason(place, { ...loadedDefaults, values }, {}) !== undefined;

const keyOf = (folder: string, user: Partial<Settings> = {}) => {
  const place = findPlace(folder);
  const loaded = loadSettings({ user: "/nonexistent", project: place.projectFiles }, {});
  return identifyProject(place, { ...loaded, values: { ...loaded.values, ...user } }).key;
};

describe("a project", () => {
  it("is identified by its git remote, in any folder", () => {
    const root = scratch();
    const a = repository(join(root, "a"), "git@github.com:Owner/app.git");
    const b = repository(join(root, "b"), "https://user:secret@github.com/Owner/app");
    expect(keyOf(a)).toBe("github.com/Owner/app");
    expect(keyOf(b)).toBe("github.com/Owner/app");
    expect(identifyProject(findPlace(a), loadedDefaults)).toEqual({
      key: "github.com/Owner/app",
      name: "app",
      root: a,
      remote: "github.com/Owner/app",
    });
  });

  it("prefers origin over other remotes", () => {
    const folder = repository(join(scratch(), "a"));
    git(folder, "remote", "add", "fork", "https://host/me/app");
    git(folder, "remote", "add", "origin", "https://host/them/app");
    expect(keyOf(folder)).toBe("host/them/app");
  });

  it("includes its sub-folders and worktrees", () => {
    const root = scratch();
    const main = repository(join(root, "main"));
    mkdirSync(join(main, "src", "deep"), { recursive: true });
    git(main, "worktree", "add", "-q", "-b", "feature", join(root, "tree"));
    mkdirSync(join(root, "tree", "src"));
    for (const folder of [main, join(main, "src", "deep"), join(root, "tree"), join(root, "tree", "src")]) {
      expect(keyOf(folder)).toBe(main);
    }
    expect(branchOf(findPlace(main))).toBe("main");
    expect(branchOf(findPlace(join(root, "tree", "src")))).toBe("feature");
  });

  it("is the bare repository for worktrees that have no main tree", () => {
    const root = scratch();
    const source = repository(join(root, "source"));
    git(root, "clone", "-q", "--bare", source, join(root, "store.git"));
    git(join(root, "store.git"), "remote", "remove", "origin");
    git(join(root, "store.git"), "worktree", "add", "-q", join(root, "one"));
    expect(keyOf(join(root, "one"))).toBe(join(root, "store.git"));
  });

  it("differs for another folder of the same name", () => {
    const root = scratch();
    const one = repository(join(root, "x", "app"));
    const two = repository(join(root, "y", "app"));
    expect(keyOf(one)).not.toBe(keyOf(two));
  });

  it("is the folder itself outside of git", () => {
    const folder = scratch();
    expect(keyOf(folder)).toBe(folder);
    expect(branchOf(findPlace(folder))).toBeUndefined();
  });

  it("is found through symlinks", () => {
    const root = scratch();
    mkdirSync(join(root, "real"));
    symlinkSync(join(root, "real"), join(root, "link"));
    expect(keyOf(join(root, "link"))).toBe(join(root, "real"));
  });

  it("has the name in a project file, also in folders below that file", () => {
    const root = scratch();
    mkdirSync(join(root, "packages", "a"), { recursive: true });
    writeFileSync(join(root, ".c-mem.json"), '{"project": "suite"}');
    expect(keyOf(root)).toBe(`${root}#suite`);
    expect(keyOf(join(root, "packages", "a"))).toBe(`${root}#suite`);
  });

  it("can be a part of a repository, by a project file", () => {
    const tree = repository(join(scratch(), "mono"), "https://host/me/mono");
    mkdirSync(join(tree, "packages", "a"), { recursive: true });
    writeFileSync(join(tree, "packages", "a", ".c-mem.json"), '{"project": "a"}');
    expect(keyOf(join(tree, "packages", "a"))).toBe("host/me/mono#a");
    expect(keyOf(tree)).toBe("host/me/mono");
  });

  it("cannot take another project's key through a project file", () => {
    const root = scratch();
    const victim = repository(join(root, "victim"), "https://host/me/secret");
    const hostile = repository(join(root, "hostile"));
    writeFileSync(join(hostile, ".c-mem.json"), '{"project": "host/me/secret"}');
    expect(keyOf(hostile)).not.toBe(keyOf(victim));
    expect(keyOf(hostile)).not.toBe(keyOf(victim, { projects: { [victim]: "host/me/secret" } }));
  });

  it("is not shared by two repositories that name their remote relative to themselves", () => {
    const root = scratch();
    const one = repository(join(root, "x", "app"), "../upstream.git");
    const two = repository(join(root, "y", "app"), "../upstream.git");
    expect(keyOf(one)).toBe(join(root, "x", "upstream"));
    expect(keyOf(two)).toBe(join(root, "y", "upstream"));
  });

  it("has the name that the user's settings give its folder; the longest match wins", () => {
    const root = scratch();
    mkdirSync(join(root, "a", "b"), { recursive: true });
    const settings = { projects: { [root]: "outer", [join(root, "a")]: "inner" } };
    expect(keyOf(join(root, "a", "b"), settings)).toBe("name:inner");
    expect(keyOf(root, settings)).toBe("name:outer");
  });

  it("survives broken git files", () => {
    const root = scratch();
    writeFileSync(join(root, ".git"), "gitdir: /nowhere/at/all\n");
    expect(keyOf(root)).toBe(root);
    const other = scratch();
    writeFileSync(join(other, ".git"), "\0\0garbage");
    expect(keyOf(other)).toBe(other);
  });

  it("is found for a folder that no longer exists", () => {
    expect(keyOf("/no/such/folder")).toBe("/no/such/folder");
  });
});

describe("normaliseRemote", () => {
  it.each([
    ["git@github.com:o/r.git", "github.com/o/r"],
    ["ssh://git@github.com:22/o/r.git", "github.com/o/r"],
    ["https://GitHub.com/o/r/", "github.com/o/r"],
    ["https://user:pw@host:8443/o/r.git", "host:8443/o/r"],
    ["host:o/r", "host/o/r"],
    ["/srv/git/r.git", "/srv/git/r"],
    ["file:///srv/git/r.git", "/srv/git/r"],
    ["C:\\git\\r", "C:\\git\\r"],
    ["C:/git/r.git", "C:/git/r"],
  ])("%s is %s", (url, expected) => {
    expect(normaliseRemote(url)).toBe(expected);
  });
});

describe("a stored path", () => {
  it("is relative to the working tree if the file is inside, else as given", () => {
    const root = scratch();
    const tree = repository(join(root, "tree"));
    mkdirSync(join(tree, "src"));
    const place = findPlace(join(tree, "src"));
    expect(storedPath(join(tree, "src", "a.ts"), place)).toBe("src/a.ts");
    expect(storedPath("a.ts", place)).toBe("src/a.ts");
    expect(storedPath("/etc/hosts", place)).toBe("/etc/hosts");
    expect(storedPath(join(root, "tree-2", "a.ts"), place)).toBe(join(root, "tree-2", "a.ts"));
  });

  it("is relative even if the agent names the folder through a symlink", () => {
    const root = scratch();
    repository(join(root, "real"));
    symlinkSync(join(root, "real"), join(root, "link"));
    expect(storedPath(join(root, "link", "a.ts"), findPlace(join(root, "link")))).toBe("a.ts");
  });
});

describe("a path of a session on Windows, read on another system", () => {
  const cwd = String.raw`C:\Users\x\proj`;

  it.each([
    [String.raw`C:\Users\x\proj\src\a.ts`, "src/a.ts"],
    [String.raw`c:\users\X\Proj\src/a.ts`, "src/a.ts"],
    [String.raw`\\?\C:\Users\x\proj\src\a.ts`, "src/a.ts"],
    ["/c/Users/x/proj/src/a.ts", "src/a.ts"],
    [String.raw`src\a.ts`, "src/a.ts"],
    [String.raw`.\src\..\src\a.ts`, "src/a.ts"],
    [String.raw`..\other\a.ts`, "C:/Users/x/other/a.ts"],
    [String.raw`d:\other\a.ts`, "D:/other/a.ts"],
  ])("%s is stored as %s", (path, expected) => {
    expect(storedPath(path, findPlace(cwd))).toBe(expected);
    expect(storedPath(path, findPlace("c:/Users/x/proj"))).toBe(expected);
  });

  it("is stored the same if only the folder has the form of git-bash", () => {
    expect(storedPath(String.raw`C:\Users\x\proj\src\a.ts`, findPlace("/c/Users/x/proj"))).toBe("src/a.ts");
  });

  it.each([cwd, "c:/Users/x/proj", String.raw`\\?\c:\Users\x\proj`])("belongs to the project of %s", (folder) => {
    const place = findPlace(folder);
    // Not the repository the tests run in.
    expect(place).toMatchObject({ tree: undefined, projectFiles: [] });
    expect(identifyProject(place, loadedDefaults)).toEqual({ key: cwd, name: "proj", root: cwd });
  });

  it("is excluded by excludePaths, but not by a .c-memignore of this system", () => {
    const excluded = (path: string, ...patterns: string[]) => isExcludedFile(path, findPlace(cwd), patterns);
    expect(excluded(String.raw`secret\a.ts`, "C:/Users/x/proj/secret")).toBe(true);
    expect(excluded(String.raw`c:\Users\x\proj\secret\a.ts`, String.raw`C:\Users\x\proj\secret\**`)).toBe(true);
    expect(excluded(String.raw`C:\Users\x\proj\src\a.ts`, "C:/Users/x/proj/secret")).toBe(false);
  });

  it("is relative to the root of the session's project after a change of folder", () => {
    expect(pathFromRoot(String.raw`c:\users\x\proj\web/src/a.ts`, cwd)).toBe("web/src/a.ts");
    expect(pathFromRoot("/home/x/proj/web/src/a.ts", "/home/x/proj")).toBe("web/src/a.ts");
    expect(pathFromRoot("/home/x/proj-2/a.ts", "/home/x/proj")).toBe("/home/x/proj-2/a.ts");
  });
});

describe("an excluded folder", () => {
  it("is excluded even if the agent or the setting names it through a symlink", () => {
    const root = scratch();
    mkdirSync(join(root, "real", "client"), { recursive: true });
    symlinkSync(join(root, "real"), join(root, "link"));
    const through = (pattern: string, folder: string) =>
      isExcluded(findPlace(folder), { ...defaults, excludePaths: [pattern] });
    expect(through(join(root, "link", "**"), join(root, "real", "client"))).toBe(true);
    expect(through(join(root, "link"), join(root, "link", "client"))).toBe(true);
    expect(through(join(root, "real", "*"), join(root, "link", "client"))).toBe(true);
    expect(through(join(root, "other"), join(root, "link", "client"))).toBe(false);
  });

  it.each([
    ["/home/me/clients", "/home/me/clients/x", true],
    ["/home/me/clients/**", "/home/me/clients/x/y", true],
    ["/home/*/secret", "/home/me/secret/deep", true],
    ["/home/*/secret", "/home/me/secrets", false],
    ["**/vendor", "/a/b/vendor", true],
    ["/home/me/cli", "/home/me/clients", false],
  ])("%s covers %s: %s", (pattern, folder, expected) => {
    const place = { cwd: folder, folder, tree: undefined, projectFiles: [] };
    expect(isExcluded(place, { ...defaults, excludePaths: [pattern] })).toBe(expected);
  });

  it("is a whole tree with its worktrees if its project file disables C-Mem, even with project files below", () => {
    const root = scratch();
    const main = repository(join(root, "main"));
    git(main, "worktree", "add", "-q", "-b", "w", join(root, "w"));
    mkdirSync(join(main, "sub"));
    writeFileSync(join(main, ".c-mem.json"), '{"enabled": false}');
    writeFileSync(join(main, "sub", ".c-mem.json"), '{"skipTools": []}');
    for (const folder of [main, join(main, "sub"), join(root, "w")]) {
      const place = findPlace(folder);
      expect(isExcluded(place, loadSettings({ user: "/nonexistent", project: place.projectFiles }, {}).values)).toBe(
        true,
      );
    }
  });

  it("is every folder while C-Mem is disabled", () => {
    const place = { cwd: "/x", folder: "/x", tree: undefined, projectFiles: [] };
    expect(isExcluded(place, { ...defaults, enabled: false })).toBe(true);
  });
});
