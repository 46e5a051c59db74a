// Reads a repository's files for a folder's working tree, remote and branch, without starting git.
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { readText, statOf } from "../platform/read-file.ts";

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

/** The branch, or the start of the commit's hash if HEAD is detached. */
export function readBranch(tree: GitTree): string | undefined {
  const head = readText(join(tree.gitDir, "HEAD"))?.trim();
  if (head === undefined || head === "") return undefined;
  const ref = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  return ref ?? head.slice(0, 12);
}

/** The url of origin, else of the first remote. */
export function readRemote(tree: GitTree): string | undefined {
  const config = readText(join(tree.commonDir, "config"));
  if (config === undefined) return undefined;
  const remotes = new Map<string, string>();
  let remote: string | undefined;
  for (const line of config.split("\n")) {
    const section = /^\s*\[(.*)\]/.exec(line)?.[1];
    if (section !== undefined) {
      remote = /^remote "(.*)"$/.exec(section)?.[1];
      continue;
    }
    // One regular expression for the whole line would take minutes on a hostile file with many spaces.
    const url = /^\s*url\s*=/.test(line) ? line.slice(line.indexOf("=") + 1).trim() : "";
    if (remote !== undefined && url !== "" && !remotes.has(remote)) remotes.set(remote, url);
  }
  return remotes.get("origin") ?? remotes.values().next().value;
}

/** "git@GitHub.com:a/b.git" and "https://me:pw@github.com/a/b" -> "github.com/a/b" */
export function normaliseRemote(url: string): string {
  const scp = /^(?:[^@/\s]+@)?([^:/\s]+):(?!\/\/)(.+)$/.exec(url);
  const parsed = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^/]*)(\/.*)?$/i.exec(url);
  // "C:\repo" and "C:/repo" look like scp's host:path, but "C" is a drive.
  const [host, path] = parsed
    ? [parsed[1] ?? "", parsed[2] ?? ""]
    : scp && !/^[a-z]$/i.test(scp[1] ?? "")
      ? [scp[1] ?? "", scp[2] ?? ""]
      : ["", url];
  const cleanPath = path.replace(/(?<!\/)\/+$/, "").replace(/\.git$/, "");
  if (host === "") return cleanPath;
  return `${host.toLowerCase().replace(/:(22|443|80)$/, "")}/${cleanPath.replace(/^\/+/, "")}`;
}
