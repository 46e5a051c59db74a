// Which project a folder belongs to, so that worktrees and sub-folders share one memory and namesakes do not.
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { type Env, isDisabled, MAX_PATH_CHARS, PROJECT_FILE, userHome } from "../config/paths.ts";
import type { LoadedSettings } from "../config/load.ts";
import type { Project } from "../core/event.ts";
import { fullWindowsPath, isWindowsPath, nativeWindowsPath, pathBelow, slashedPath } from "../core/windows-path.ts";
import { findGitTree, type GitTree, normaliseRemote, readBranch, readRemote } from "./git.ts";
import { statOf } from "../platform/read-file.ts";
import { covers, realFolder } from "./covers.ts";
import { hiddenBy } from "./ignore-files.ts";

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
  // A folder of another system is not here: looked up, it would be taken for one below the process's own.
  if (cwd.length > MAX_PATH_CHARS || isForeign(cwd)) return { cwd, folder: cwd, tree: undefined, projectFiles: [] };
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
  const top = tree?.mainTop ?? projectFolder(place) ?? folder;
  const root = isWindowsPath(top) ? nativeWindowsPath(top) : top;
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
  return { key: own, name: basename(isWindowsPath(own) ? slashedPath(own) : own) || own, ...shared };
}

function isForeign(cwd: string): boolean {
  return sep === "/" && isWindowsPath(cwd);
}

export function branchOf(place: Place): string | undefined {
  return place.tree === undefined ? undefined : readBranch(place.tree);
}

/** Why nothing of what happens here may be recorded, in words for a person; undefined where it may. */
export function offReason(place: Place, { values, sources, blocked }: LoadedSettings, env: Env): string | undefined {
  if (isDisabled(env)) return "C_MEM_DISABLE is set";
  if (blocked !== undefined) return blocked;
  if (!values.enabled) return `enabled is false (${sources.enabled})`;
  // A linked worktree lies elsewhere, and is the same repository.
  const main = place.tree?.mainTop ?? place.folder;
  const pattern = values.excludePaths.find((one) => coversPlace(one, place) || covers(one, main));
  if (pattern !== undefined) return `excludePaths has ${pattern}`;
  const file = hiddenBy(place);
  return file === undefined ? undefined : `${file} says so`;
}

/** A file's path as the store keeps it: relative to the working tree and with "/" where it lies inside. */
export function storedPath(path: string, place: Place): string {
  const top = place.tree?.top ?? projectFolder(place) ?? place.folder;
  if (isWindowsPath(place.cwd) || isWindowsPath(path)) return storedWindowsPath(path, place, top);
  // The agent may name the file through a symlink that `folder` has resolved.
  const inCwd = isAbsolute(path) ? pathInside(place.cwd, path) : path;
  const inside = pathInside(top, inCwd === undefined ? path : join(place.folder, inCwd));
  if (inside === undefined) return path;
  return sep === "/" ? inside : inside.replaceAll(sep, "/");
}

function storedWindowsPath(path: string, place: Place, top: string): string {
  const [cwd, folder] = [slashedPath(place.cwd), slashedPath(place.folder)];
  const full = fullWindowsPath(path, cwd);
  const inCwd = pathBelow(cwd, full);
  return pathBelow(slashedPath(top), inCwd === undefined ? full : `${folder}/${inCwd}`) ?? full;
}

/** A path of a session as it is stored: relative where it lies below the root of the session's project. */
export function pathFromRoot(path: string, root: string): string {
  if (isWindowsPath(root)) return pathBelow(slashedPath(root), slashedPath(path)) ?? path;
  return isAbsolute(path) ? (pathInside(root, path) ?? path) : path;
}

/** A file or folder somebody names: as typed, as it would be stored from here, and in full. */
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

function coversPlace(pattern: string, place: Place): boolean {
  return covers(pattern, place.folder) || covers(pattern, place.cwd);
}
