// Checks out a repository as it was before a session, with the files' times of then.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { WorkTree } from "../src/core/work-tree.ts";
import { statOf } from "../src/platform/read-file.ts";

/** The folder of the repositories' histories, which are not part of this repository. */
const BUNDLES = resolve(process.env["C_MEM_REAL_REPOS"] ?? "none");
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export interface RepositoryTree {
  /** Undefined if the repository has no commit before that time. */
  at(time: number): WorkTree | undefined;
  remove(): void;
}

/** `repo` is "owner/name". Undefined if its history is not in the folder. */
export function openRepository(repo: string): RepositoryTree | undefined {
  const bundle = join(BUNDLES, `${repo.split("/").at(-1)}.bundle`);
  if (!existsSync(bundle)) return undefined;
  const top = mkdtempSync(join(tmpdir(), "c-mem-tree-"));
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", top, ...args], { encoding: "utf8", maxBuffer: MAX_OUTPUT_BYTES, stdio: "pipe" });
  git("init", "-q");
  git("fetch", "-q", bundle, "+refs/heads/*:refs/heads/bundled/*");
  const newest = git("for-each-ref", "--sort=-committerdate", "--format=%(refname)", "refs/heads/bundled").split(
    "\n",
  )[0];
  return {
    at(time) {
      const commit = git("rev-list", "-1", `--before=${Math.floor(time / 1000)}`, newest ?? "HEAD").trim();
      if (commit === "") return undefined;
      git("checkout", "-q", "--force", "--detach", commit);
      setTimes(top, git("log", "--format=%x00%ct", "--name-only", commit));
      return { top, moves: [], rules: ["CLAUDE.md", "AGENTS.md"].map((name) => join(top, name)).filter(isFile) };
    },
    remove: () => rmSync(top, { recursive: true, force: true }),
  };
}

/** Gives each file the time of the last commit that changed it: recall compares it with the age of an observation. */
function setTimes(top: string, log: string): void {
  const seen = new Set<string>();
  for (const commit of log.split("\0").slice(1)) {
    const [time = "", ...files] = commit.split("\n").filter((line) => line !== "");
    for (const file of files.filter((each) => !seen.has(each))) {
      seen.add(file);
      if (isFile(join(top, file))) utimesSync(join(top, file), Number(time), Number(time));
    }
  }
}

const isFile = (path: string): boolean => statOf(path)?.isFile() === true;
