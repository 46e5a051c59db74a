// Which project a folder belongs to, so that worktrees and sub-folders share one memory and namesakes do not.
import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { PROJECT_FILE, userHome } from "../config/paths.ts";
import type { LoadedSettings } from "../config/load.ts";
import type { Settings } from "../config/schema.ts";
import type { Project } from "../core/event.ts";
import { matchesPath } from "../core/glob.ts";
import { findGitTree, type GitTree, normaliseRemote, readBranch, readRemote } from "./git.ts";
import { statOf } from "../config/read.ts";

export interface Place {
  /** The folder as the agent named it. */
  cwd: string;
  /** The folder with symlinks resolved. */
  folder: string;
  tree: GitTree | undefined;
  /** The project files at or above the folder within its working tree (and its main one), the nearest first. */
  projectFiles: string[];
}

export function findPlace(cwd: string): Place {
  const folder = realFolder(cwd);
  const tree = findGitTree(folder);
  return { cwd, folder, tree, projectFiles: findProjectFiles(folder, tree) };
}

/**
 * The key is a name the user gave, else the git remote, else the main working tree, else the folder. A name in a project
 * file only sets a part of a repository apart or gives a plain folder a name: the file may have come with somebody
 * else's repository, and must not reach into the memory of another project.
 */
export function identifyProject(place: Place, { values, sources }: LoadedSettings): Project {
  const { folder, tree } = place;
  const root = tree?.mainTop ?? projectFolder(place) ?? folder;
  const url = tree === undefined ? undefined : readRemote(tree);
  const remote = url === undefined ? undefined : normaliseRemote(/^\.{1,2}\//.test(url) ? resolve(root, url) : url);
  const own = remote ?? root;
  const shared = { root, ...(remote !== undefined && { remote }) };
  const fromFile = sources.project === "project" ? values.project : "";
  const fromUser =
    sources.project === "project"
      ? nameByFolder(place, values.projects)
      : values.project || nameByFolder(place, values.projects);
  if (fromUser !== "") return { key: `name:${fromUser}`, name: fromUser, ...shared };
  if (fromFile !== "") return { key: `${own}#${fromFile}`, name: fromFile, ...shared };
  return { key: own, name: basename(own) || own, ...shared };
}

export function branchOf(place: Place): string | undefined {
  return place.tree === undefined ? undefined : readBranch(place.tree);
}

export function isExcluded(place: Place, settings: Settings): boolean {
  if (!settings.enabled) return true;
  return settings.excludePaths.some((pattern) => coversPlace(pattern, place));
}

/** A file's path as the store keeps it: relative to the working tree and with "/" where it lies inside. */
export function storedPath(path: string, place: Place): string {
  const top = place.tree?.top ?? projectFolder(place) ?? place.folder;
  // The agent may name the file through a symlink that `folder` has resolved.
  const inCwd = isAbsolute(path) ? pathInside(place.cwd, path) : path;
  const inside = pathInside(top, inCwd === undefined ? path : join(place.folder, inCwd));
  if (inside === undefined) return path;
  return sep === "/" ? inside : inside.replaceAll(sep, "/");
}

/** A file somebody names: as typed, as it would be stored from here, and in full. */
export function pathNames(typed: string, cwd: string): string[] {
  const full = resolve(cwd, typed.replaceAll("\0", ""));
  return [typed, storedPath(full, findPlace(cwd)), full];
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

function findProjectFiles(folder: string, tree: GitTree | undefined): string[] {
  const home = userHome(process.env);
  const files: string[] = [];
  for (let dir = folder; ; dir = dirname(dir)) {
    files.push(join(dir, PROJECT_FILE));
    if (dir === tree?.top || dir === home || dirname(dir) === dir) break;
  }
  // A worktree obeys what the main working tree says, also where that file is not under version control.
  if (tree !== undefined && tree.mainTop !== tree.top) files.push(join(tree.mainTop, PROJECT_FILE));
  return files.filter((file) => statOf(file)?.isFile());
}

function projectFolder({ projectFiles }: Place): string | undefined {
  const outermost = projectFiles.at(-1);
  return outermost === undefined ? undefined : dirname(outermost);
}

function nameByFolder(place: Place, projects: Record<string, string>): string {
  const matches = Object.entries(projects).filter(([pattern]) => coversPlace(pattern, place));
  return matches.toSorted(([a], [b]) => b.length - a.length)[0]?.[1] ?? "";
}

/** Both may be named through symlinks, so both are compared as given and as they really are. */
function coversPlace(pattern: string, place: Place): boolean {
  const expanded = pattern === "~" || pattern.startsWith("~/") ? userHome(process.env) + pattern.slice(1) : pattern;
  const patterns = new Set([expanded, realPattern(expanded)]);
  return [...patterns].some((each) => matchesPath(each, place.folder) || matchesPath(each, place.cwd));
}

/** The pattern with symlinks resolved in the folders before its first wildcard. */
function realPattern(pattern: string): string {
  const parts = pattern.split("/");
  const wild = parts.findIndex((part) => /[*?]/.test(part));
  const fixed = wild === -1 ? parts : parts.slice(0, wild);
  return [realFolder(fixed.join("/") || "/"), ...parts.slice(fixed.length)].join("/");
}
