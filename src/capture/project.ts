// Finds the project of a folder. Unless named otherwise, all worktrees and sub-folders of a repository share one.
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { LoadedSettings } from "../config/load.ts";
import { type Env, isDisabled, MAX_PATH_CHARS, PROJECT_FILE, userHome } from "../config/paths.ts";
import type { Project } from "../core/event.ts";
import { fullWindowsPath, isWindowsPath, nativeWindowsPath, pathBelow, slashedPath } from "../core/windows-path.ts";
import { statOf } from "../platform/read-file.ts";
import { covers, isForeign, realPath } from "./covers.ts";
import { findGitTree, type GitTree } from "../platform/git-tree.ts";
import { normaliseRemote, readBranch, readRemote } from "./git.ts";
import { ignoreFileExcluding } from "./ignore-files.ts";

export interface Place {
  /** The folder as the agent named it. */
  cwd: string;
  /** The folder with symlinks resolved. */
  folder: string;
  tree: GitTree | undefined;
  /**
   * The .c-mem.json files of the folder and its parents up to the root of the working tree, nearest first; in a linked
   * worktree, then that of the main working tree.
   */
  projectFiles: string[];
}

export function findPlace(cwd: string): Place {
  if (cwd.length > MAX_PATH_CHARS || isForeign(cwd)) return { cwd, folder: cwd, tree: undefined, projectFiles: [] };
  const folder = realPath(cwd);
  const tree = findGitTree(folder);
  return { cwd, folder, tree, projectFiles: findProjectFiles(folder, tree) };
}

/**
 * The key is a name from the user's settings, else the git remote, else the main working tree, else the folder. A name
 * in a project file is only appended to that key ("github.com/a/b#name"): the file may come with a cloned repository
 * and must not give access to another project's memory.
 */
export function identifyProject(place: Place, { values, sources }: LoadedSettings): Project {
  const { folder, tree } = place;
  const top = tree?.mainTop ?? projectFolder(place) ?? folder;
  const root = isWindowsPath(top) ? nativeWindowsPath(top) : top;
  const url = tree === undefined ? undefined : readRemote(tree);
  const remote = url === undefined ? undefined : normaliseRemote(/^\.{1,2}\//.test(url) ? resolve(root, url) : url);
  const key = remote ?? root;
  const shared = { root, ...(remote !== undefined && { remote }) };
  const isFromFile = sources.project === "project";
  const userName = (isFromFile ? "" : values.project) || nameByFolder(place, values.projects);
  if (userName !== "") return { key: `name:${userName}`, name: userName, ...shared };
  if (isFromFile && values.project !== "") return { key: `${key}#${values.project}`, name: values.project, ...shared };
  return { key, name: basename(isWindowsPath(key) ? slashedPath(key) : key) || key, ...shared };
}

export function branchOf(place: Place): string | undefined {
  return place.tree === undefined ? undefined : readBranch(place.tree);
}

/** Why recording is off in this folder, or undefined if it is on. */
export function offReason(place: Place, { values, sources, blocked }: LoadedSettings, env: Env): string | undefined {
  if (isDisabled(env)) return "C_MEM_DISABLE is set";
  if (blocked !== undefined) return blocked;
  if (!values.enabled) return `enabled is false (${sources.enabled})`;
  // A linked worktree may be outside of its repository's folder, so both are checked.
  const main = place.tree?.mainTop ?? place.folder;
  const pattern = values.excludePaths.find((one) => coversPlace(one, place) || covers(one, main));
  if (pattern !== undefined) return `excludePaths has ${pattern}`;
  const file = ignoreFileExcluding(place);
  return file === undefined ? undefined : `excluded by ${file}`;
}

/** A file's path as stored: if the file is in the working tree, relative to its root and with "/". */
export function storedPath(path: string, place: Place): string {
  const top = place.tree?.top ?? projectFolder(place) ?? place.folder;
  if (isWindowsPath(place.cwd) || isWindowsPath(path)) {
    const [cwd, folder] = [slashedPath(place.cwd), slashedPath(place.folder)];
    const full = fullWindowsPath(path, cwd);
    const inCwd = pathBelow(cwd, full);
    return pathBelow(slashedPath(top), inCwd === undefined ? full : `${folder}/${inCwd}`) ?? full;
  }
  // The agent may name the file through a link that `folder` has resolved.
  const inCwd = isAbsolute(path) ? pathInside(place.cwd, path) : path;
  const inside = pathInside(top, inCwd === undefined ? path : join(place.folder, inCwd));
  return inside === undefined ? path : inside.replaceAll(sep, "/");
}

/** The path relative to the root of the session's project, or the path itself if it is not below that root. */
export function pathFromRoot(path: string, root: string): string {
  if (isWindowsPath(root)) return pathBelow(slashedPath(root), slashedPath(path)) ?? path;
  return isAbsolute(path) ? (pathInside(root, path) ?? path) : path;
}

/** The forms in which a typed path may be stored: as typed, relative to the working tree, and absolute. */
export function pathNames(typed: string, cwd: string): string[] {
  const text = typed.replaceAll("\0", "");
  const slashed = slashedPath(text);
  if (isWindowsPath(text)) return [slashed, storedPath(text, findPlace(cwd))];
  const full = resolve(cwd, text);
  const names = [text.replace(/(?<=.)\/+$/, ""), storedPath(full, findPlace(cwd)), full];
  return text.includes("\\") ? [...names, slashed] : names;
}

function pathInside(folder: string, path: string): string | undefined {
  const inside = relative(folder, path);
  return inside === "" || /^\.\.(?:[/\\]|$)/.test(inside) || isAbsolute(inside) ? undefined : inside;
}

function findProjectFiles(folder: string, tree: GitTree | undefined): string[] {
  const home = userHome(process.env);
  const files: string[] = [];
  for (let dir = folder; ; dir = dirname(dir)) {
    files.push(join(dir, PROJECT_FILE));
    if (dir === tree?.top || dir === home || dirname(dir) === dir) break;
  }
  // The main working tree's file also applies in its worktrees, even if it is not committed.
  if (tree !== undefined && tree.mainTop !== tree.top) files.push(join(tree.mainTop, PROJECT_FILE));
  return files.filter((file) => statOf(file)?.isFile());
}

function projectFolder({ projectFiles }: Place): string | undefined {
  const outermost = projectFiles.at(-1);
  return outermost === undefined ? undefined : dirname(outermost);
}

/** The setting `projects` maps folder patterns to names; the longest matching pattern wins. */
function nameByFolder(place: Place, projects: Record<string, string>): string {
  const matches = Object.entries(projects).filter(([pattern]) => coversPlace(pattern, place));
  return matches.toSorted(([a], [b]) => b.length - a.length)[0]?.[1] ?? "";
}

function coversPlace(pattern: string, place: Place): boolean {
  return covers(pattern, place.folder) || covers(pattern, place.cwd);
}
