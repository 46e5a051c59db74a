// The .c-memignore files of a folder and its parents: they exclude the folder, or single files, from recording.
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, normalize, relative, sep } from "node:path";
import { IGNORE_FILE, MAX_PATH_CHARS } from "../config/paths.ts";
import { cached } from "../core/cached.ts";
import { type IgnoreRule, isHiddenBy, parseIgnoreRules } from "../core/privacy/ignore-rules.ts";
import { fullWindowsPath } from "../core/windows-path.ts";
import { readText, statOf } from "../platform/read-file.ts";
import { covers, isForeign, tryRealPath } from "./covers.ts";
import type { Place } from "./project.ts";

/** The .c-memignore file that excludes this folder. */
export function ignoreFileExcluding(place: Place): string | undefined {
  return isForeign(place.cwd) ? undefined : fileExcluding(place.folder, place);
}

/** `path` is absolute or relative to the session's folder. If it is a link, its target is checked, too. */
export function isExcludedFile(path: string, place: Place, excludePaths: readonly string[]): boolean {
  const isExcluded = (full: string): boolean => excludePaths.some((pattern) => covers(pattern, full));
  if (isForeign(place.cwd)) return isExcluded(fullWindowsPath(path, place.cwd));
  const named = isAbsolute(path) ? resolveFolder(path, place) : join(place.folder, path);
  if (named.length > MAX_PATH_CHARS) return isExcluded(named);
  return [...new Set([named, resolveFile(named, place)])].some(
    (full) => isExcluded(full) || fileExcluding(full, place) !== undefined,
  );
}

/** Replaces `cwd` at the start of the path by `folder`: the agent may name the folder through a link. */
function resolveFolder(path: string, { cwd, folder }: Place): string {
  const inside = relative(cwd, path);
  return inside.startsWith("..") || isAbsolute(inside) ? normalize(path) : join(folder, inside);
}

/** Cached per place, because each lookup takes 10 to 30 microseconds. */
const realPaths = new WeakMap<Place, Map<string, string>>();

/** Resolves symlinks. If the end of the path does not exist, resolves the folders before it. */
function resolveFile(path: string, place: Place): string {
  if (path === place.folder) return path;
  return cached(
    cached(realPaths, place, () => new Map()),
    path,
    () => {
      const parent = dirname(path);
      return tryRealPath(path) ?? (parent === path ? path : join(resolveFile(parent, place), basename(path)));
    },
  );
}

/** The nearest .c-memignore file that excludes this path. */
function fileExcluding(full: string, place: Place): string | undefined {
  if (full.length > MAX_PATH_CHARS) return undefined;
  const { tree } = place;
  const excludes = ({ folder, rules }: IgnoreFile, path: string): boolean =>
    isHiddenBy(rules, slashed(relative(folder, path)));
  const above = ignoreFiles(full, place).find((file) => excludes(file, full));
  if (above !== undefined) return join(above.folder, IGNORE_FILE);
  // The main working tree's file also applies in its worktrees, even if it is not committed.
  if (tree === undefined || tree.mainTop === tree.top) return undefined;
  const inside = relative(tree.top, full);
  const main = ignoreFiles(tree.mainTop, place).find(({ folder }) => folder === tree.mainTop);
  if (main === undefined || inside.startsWith("..") || !excludes(main, join(tree.mainTop, inside))) return undefined;
  return join(tree.mainTop, IGNORE_FILE);
}

interface IgnoreFile {
  folder: string;
  rules: IgnoreRule[];
}

const ignoreFilesOf = new WeakMap<Place, Map<string, IgnoreFile[]>>();

/** The ignore files of the folder and its parents up to the home folder, nearest first. */
function ignoreFiles(folder: string, place: Place): IgnoreFile[] {
  return cached(
    cached(ignoreFilesOf, place, () => new Map()),
    folder,
    () => {
      const parent = dirname(folder);
      const above = folder === homedir() || parent === folder ? [] : ignoreFiles(parent, place);
      const path = join(folder, IGNORE_FILE);
      if (!statOf(path)?.isFile()) return above;
      const text = readText(path);
      // If the file cannot be read, exclude everything.
      const rules = text === undefined ? [{ pattern: "**", isException: false }] : parseIgnoreRules(text);
      return [{ folder, rules }, ...above];
    },
  );
}

function slashed(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}
