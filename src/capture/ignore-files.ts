// The .c-memignore files of a folder and those above it: whether what happens there, or to a file, is not to be recorded.
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, normalize, relative, sep } from "node:path";
import { IGNORE_FILE, MAX_PATH_CHARS } from "../config/paths.ts";
import { readText, statOf } from "../platform/read-file.ts";
import { type IgnoreRule, isHiddenBy, parseIgnoreRules } from "../core/privacy/ignore-rules.ts";
import { fullWindowsPath, isWindowsPath } from "../core/windows-path.ts";
import { covers } from "./covers.ts";
import type { Place } from "./project.ts";

/** The file that hides the folder, if one does. */
export function hiddenBy(place: Place): string | undefined {
  return isForeign(place) ? undefined : hidingFile(place.folder, place);
}

/** A folder of Windows on another system: neither it nor a .c-memignore beside it is here. */
function isForeign({ cwd }: Place): boolean {
  return sep === "/" && isWindowsPath(cwd);
}

/** `path` as the agent names it: from the session's folder, or in full. Behind a link it is also what it really is. */
export function isHiddenFile(path: string, place: Place, excludePaths: readonly string[]): boolean {
  if (isForeign(place)) {
    const full = fullWindowsPath(path, place.cwd);
    return excludePaths.some((pattern) => covers(pattern, full));
  }
  const named = isAbsolute(path) ? inFolder(path, place) : join(place.folder, path);
  if (named.length > MAX_PATH_CHARS) return excludePaths.some((pattern) => covers(pattern, named));
  return [...new Set([named, realPath(named, place)])].some(
    (full) => excludePaths.some((pattern) => covers(pattern, full)) || hidingFile(full, place) !== undefined,
  );
}

/** The agent may name a file through a link that `folder` has resolved. */
function inFolder(path: string, { cwd, folder }: Place): string {
  const inside = relative(cwd, path);
  return inside.startsWith("..") || isAbsolute(inside) ? normalize(path) : join(folder, inside);
}

/** As long as a place is known, each path is looked up once: some 10 to 30 microseconds. */
const realPaths = new WeakMap<Place, Map<string, string>>();

/** Of what is not there (any more), as far as it is there. */
function realPath(path: string, place: Place): string {
  // It is one already.
  if (path === place.folder) return path;
  const looked = realPaths.get(place) ?? new Map<string, string>();
  realPaths.set(place, looked);
  const before = looked.get(path);
  if (before !== undefined) return before;
  const real =
    tryRealPath(path) ?? (dirname(path) === path ? path : join(realPath(dirname(path), place), basename(path)));
  looked.set(path, real);
  return real;
}

function tryRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function hidingFile(full: string, place: Place): string | undefined {
  if (full.length > MAX_PATH_CHARS) return undefined;
  const { tree } = place;
  const above = ignoreFiles(full, place).find(({ folder, rules }) =>
    isHiddenBy(rules, slashed(relative(folder, full))),
  );
  if (above !== undefined) return join(above.folder, IGNORE_FILE);
  // A worktree obeys what the main working tree says, also where that file is not under version control.
  if (tree === undefined || tree.mainTop === tree.top) return undefined;
  const inside = relative(tree.top, full);
  const main = inside.startsWith("..")
    ? undefined
    : ignoreFiles(tree.mainTop, place).find(({ folder }) => folder === tree.mainTop);
  return main !== undefined && isHiddenBy(main.rules, slashed(inside)) ? join(tree.mainTop, IGNORE_FILE) : undefined;
}

interface IgnoreFile {
  folder: string;
  rules: IgnoreRule[];
}

/** As long as a place is known, its files are read once. */
const known = new WeakMap<Place, Map<string, IgnoreFile[]>>();

/** Those of the folder and above it, the nearest first. Most folders have none, and the next file in one has the same. */
function ignoreFiles(folder: string, place: Place): IgnoreFile[] {
  const files = known.get(place) ?? new Map<string, IgnoreFile[]>();
  known.set(place, files);
  const found = files.get(folder);
  if (found !== undefined) return found;
  const rules = readRules(join(folder, IGNORE_FILE));
  const parent = dirname(folder);
  const above = folder === homedir() || parent === folder ? [] : ignoreFiles(parent, place);
  const all = rules === undefined ? above : [{ folder, rules }, ...above];
  files.set(folder, all);
  return all;
}

function readRules(path: string): IgnoreRule[] | undefined {
  if (!statOf(path)?.isFile()) return undefined;
  const text = readText(path);
  // Somebody wanted to hide something, and it cannot be told what: everything, then.
  return text === undefined ? [{ pattern: "**", isException: false }] : parseIgnoreRules(text);
}

function slashed(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}
