// Which project a folder belongs to, so that worktrees and sub-folders share one memory and namesakes do not.
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { PROJECT_FILE } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import type { Project } from "../core/event.ts";
import { matchesPath } from "../core/glob.ts";
import { findGitTree, type GitTree, normaliseRemote, readBranch, readRemote } from "./git.ts";
import { statOf } from "./read.ts";

export interface Place {
  /** The folder as the agent named it. */
  cwd: string;
  /** The folder with symlinks resolved. */
  folder: string;
  tree: GitTree | undefined;
  /** The nearest project file at or above the folder, within its working tree. */
  projectFile: string | undefined;
}

export function findPlace(cwd: string): Place {
  const folder = realFolder(cwd);
  const tree = findGitTree(folder);
  return { cwd, folder, tree, projectFile: findProjectFile(folder, tree?.top) };
}

/** The key is a name somebody gave, else the git remote, else the main working tree, else the folder. */
export function identifyProject(place: Place, settings: Settings): Project {
  const { folder, tree, projectFile } = place;
  const given = settings.project || nameByFolder(folder, settings.projects);
  const root = tree?.mainTop ?? (projectFile === undefined ? folder : dirname(projectFile));
  const url = tree === undefined ? undefined : readRemote(tree);
  const remote = url === undefined ? undefined : normaliseRemote(url);
  // "name:" keeps a given name apart from remotes and paths: a project file that came with somebody else's
  // repository cannot reach into the memory of another project.
  const key = given !== "" ? `name:${given}` : (remote ?? root);
  const name = given !== "" ? given : basename(remote ?? root) || root;
  return { key, name, root, ...(remote !== undefined && { remote }) };
}

export function branchOf(place: Place): string | undefined {
  return place.tree === undefined ? undefined : readBranch(place.tree);
}

export function isExcluded(place: Place, settings: Settings): boolean {
  if (!settings.enabled) return true;
  return settings.excludePaths.some((pattern) => matchesPath(expandHome(pattern), place.folder));
}

/** A file's path as the store keeps it: relative to the working tree and with "/" where it lies inside. */
export function storedPath(path: string, place: Place): string {
  const top = place.tree?.top ?? (place.projectFile === undefined ? place.folder : dirname(place.projectFile));
  // The agent may name the file through a symlink that `folder` has resolved.
  const inCwd = isAbsolute(path) ? pathInside(place.cwd, path) : path;
  const inside = pathInside(top, inCwd === undefined ? path : join(place.folder, inCwd));
  if (inside === undefined) return path;
  return sep === "/" ? inside : inside.replaceAll(sep, "/");
}

function pathInside(folder: string, path: string): string | undefined {
  const inside = relative(folder, path);
  return inside === "" || inside.startsWith("..") || isAbsolute(inside) ? undefined : inside;
}

function realFolder(cwd: string): string {
  try {
    return realpathSync.native(cwd);
  } catch {
    return cwd;
  }
}

function findProjectFile(folder: string, top: string | undefined): string | undefined {
  const home = homedir();
  for (let dir = folder; ; dir = dirname(dir)) {
    const file = join(dir, PROJECT_FILE);
    if (statOf(file) !== undefined) return file;
    if (dir === top || dir === home || dirname(dir) === dir) return undefined;
  }
}

function nameByFolder(folder: string, projects: Record<string, string>): string {
  const matches = Object.entries(projects).filter(([pattern]) => matchesPath(expandHome(pattern), folder));
  return matches.toSorted(([a], [b]) => b.length - a.length)[0]?.[1] ?? "";
}

function expandHome(pattern: string): string {
  return pattern === "~" || pattern.startsWith("~/") ? homedir() + pattern.slice(1) : pattern;
}
