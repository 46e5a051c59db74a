// Finds the working tree and git directories of a folder, without starting git.
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { readText, statOf } from "./read-file.ts";

export interface GitTree {
  /** The root of this working tree. */
  top: string;
  /** The root of the main working tree; differs from `top` in a linked worktree. */
  mainTop: string;
  /** This tree's own git directory, with HEAD. */
  gitDir: string;
  /** The repository's git directory, with the config. */
  commonDir: string;
}

export function findGitTree(folder: string): GitTree | undefined {
  for (let top = folder; ; top = dirname(top)) {
    const tree = gitTreeAt(top);
    if (tree !== undefined) return tree;
    if (dirname(top) === top) return undefined;
  }
}

function gitTreeAt(top: string): GitTree | undefined {
  const dotGit = join(top, ".git");
  const stat = statOf(dotGit);
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) return { top, mainTop: top, gitDir: dotGit, commonDir: dotGit };
  // In a linked worktree or submodule, .git is a file: "gitdir: <path>". Only a worktree's <path> has a "commondir".
  const pointer = /^gitdir: *(.+)/.exec(readText(dotGit) ?? "")?.[1]?.trim();
  if (pointer === undefined) return undefined;
  const gitDir = isAbsolute(pointer) ? pointer : resolve(top, pointer);
  const common = readText(join(gitDir, "commondir"))?.trim();
  if (common === undefined) return { top, mainTop: top, gitDir, commonDir: gitDir };
  const commonDir = isAbsolute(common) ? common : resolve(gitDir, common);
  // A bare repository has no main working tree: use the repository's folder instead.
  const mainTop = basename(commonDir) === ".git" ? dirname(commonDir) : commonDir;
  return { top, mainTop, gitDir, commonDir };
}

/** The commits whose parents a shallow clone does not have: git takes all their lines for new. */
export function shallowCommits(folder: string): ReadonlySet<string> {
  const tree = findGitTree(folder);
  const text = tree && readText(join(tree.commonDir, "shallow"));
  return new Set(text?.match(/^[0-9a-f]{40,64}$/gm));
}
