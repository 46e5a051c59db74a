// Writes a file into a working tree, which may be hostile: never through a link that leads elsewhere, and never where
// git would commit it.
import { lstatSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { AppError } from "../core/error.ts";
import { matchesPath } from "../core/glob.ts";
import { type IgnoreRule, parseIgnoreRules } from "../core/privacy/ignore-rules.ts";
import { listFolder } from "../platform/read-file.ts";
import { replaceFile } from "../platform/replace-file.ts";

/**
 * The real path of a file below `root`. Throws if the file or a folder above it is a link that leads out of `root`,
 * into its `.git` or into another repository. If the file itself is a link, a write replaces the link.
 */
export function realPathInside(root: string, path: string): string {
  const realRoot = realpathSync(root);
  const missing: string[] = [];
  let folder = dirname(path);
  while (folder !== root && !exists(folder)) {
    missing.unshift(basename(folder));
    folder = dirname(folder);
  }
  const real = join(resolveLink(folder, path), ...missing, basename(path));
  if (!isBelow(realRoot, real)) throw leadsOutside(path, dirname(real), root);
  const isLink = lstatSync(real, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const target = isLink ? resolveLink(real, path) : real;
  if (!isBelow(realRoot, target)) throw leadsOutside(path, target, root);
  // A submodule or nested clone has its own index and exclude file, which are not checked.
  for (folder = dirname(real); folder !== realRoot; folder = dirname(folder)) {
    if (!exists(join(folder, ".git"))) continue;
    throw new AppError("link_refused", `${path} was not written: ${folder} belongs to another repository.`, {
      hint: "Remove the link that leads there, then run the command again.",
    });
  }
  return real;
}

/** True for a broken link, too; false for a path below a link that points at itself. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ELOOP") return false;
    throw error;
  }
}

/** Ignores case: ".GIT" is the same folder as ".git" on macOS and Windows. */
function isBelow(realRoot: string, real: string): boolean {
  const below = relative(realRoot, real).toLowerCase().split(sep);
  return real !== realRoot && below[0] !== ".." && !below.includes(".git");
}

function resolveLink(link: string, path: string): string {
  try {
    return realpathSync(link);
  } catch {
    throw new AppError("link_refused", `${path} cannot be written: ${link} is a broken link.`, {
      hint: "Remove the link, then run the command again.",
    });
  }
}

function leadsOutside(path: string, real: string, root: string): AppError {
  return new AppError("link_refused", `${path} was not written: a link leads it to ${real}, outside ${root}.`, {
    hint: "Remove the link, then run the command again.",
  });
}

/** Replaces the file in one step, readable by its owner only. */
export function writeInside(root: string, path: string, content: string | Buffer, mode = 0o600): void {
  const real = realPathInside(root, path);
  const folder = dirname(real);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The folder may have been replaced by a link in the meantime.
  if (realpathSync(folder) !== folder) throw leadsOutside(path, realpathSync(folder), root);
  replaceFile(real, content, { mode, isDurable: false });
}

/** Throws if git would commit the file despite the exclude line: it is tracked, or a .gitignore has an exception. */
export function checkNotCommitted(top: string, gitDir: string, real: string): void {
  const name = gitPath(realpathSync(top), real);
  if (isTracked(gitDir, name)) {
    throw new AppError("file_tracked", `${real} is tracked by git; memory in it would be committed.`, {
      hint: `Run \`git rm --cached ${name}\`, then run the command again.`,
    });
  }
  const rule = lastRule(realpathSync(top), real);
  if (rule?.isException !== true) return;
  const { file } = rule;
  throw new AppError("file_not_ignored", `${file} keeps git from ignoring ${real}; memory in it would be committed.`, {
    hint: `Add the line ${basename(real)} to the end of ${file}, then run the command again.`,
  });
}

/** Throws if git does not ignore the file: after `install` its folder was moved, or the exclude line was deleted. */
export function checkIgnored(top: string, commonDir: string, real: string): void {
  // No repository: nothing can be committed.
  if (!exists(join(commonDir, "objects"))) return;
  const realTop = realpathSync(top);
  const text = readIgnoreFile(join(commonDir, "info", "exclude"));
  if (text.split(/\r?\n/).includes(excludeLine(relative(realTop, real)))) return;
  const rule = lastRule(realTop, real) ?? lastMatch(text, gitPath(realTop, real));
  if (rule?.isException === false) return;
  throw new AppError("file_not_ignored", `git does not ignore ${real}; memory in it would be committed.`, {
    hint: "Run `c-mem install cursor` there again: it has git ignore the file.",
  });
}

/** A line for .git/info/exclude: "docs [old]/a.md" -> "/docs \[old\]/a.md". */
export function excludeLine(path: string): string {
  const slashed = path.split(sep).join("/");
  return `/${slashed.replace(/[\\*?[\]]/g, "\\$&")}`;
}

function gitPath(folder: string, path: string): string {
  return relative(folder, path).split(sep).join("/");
}

/** The last matching line of the nearest .gitignore that has one. It has priority over .git/info/exclude. */
function lastRule(realTop: string, real: string): { file: string; isException: boolean } | undefined {
  for (let folder = dirname(real); ; folder = dirname(folder)) {
    const file = join(folder, ".gitignore");
    const last = lastMatch(readIgnoreFile(file), gitPath(folder, real));
    if (last !== undefined) return { file, isException: last.isException };
    if (folder === realTop) return undefined;
  }
}

function lastMatch(text: string, path: string): IgnoreRule | undefined {
  // Lines such as "!*/" match only folders and are removed.
  const lines = text.replace(/^.*\/[ \t\r]*$/gm, "");
  return parseIgnoreRules(lines).findLast((rule) => matchesFile(rule, path));
}

/** Unlike `matchesPath`, a pattern for a folder does not match the files in it: git checks each folder by itself. */
function matchesFile({ pattern }: IgnoreRule, path: string): boolean {
  if (!matchesPath(pattern, path)) return false;
  return pattern.endsWith("**") || matchesPath(pattern, basename(path)) || !matchesPath(pattern, dirname(path));
}

const MAX_IGNORE_BYTES = 1024 * 1024;

/** Git ignores a .gitignore that is a link. */
function readIgnoreFile(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size <= MAX_IGNORE_BYTES ? readFileSync(path, "utf8") : "";
}

/** More than the index of any known repository. A larger index counts as having the file. */
const MAX_INDEX_BYTES = 256 * 1024 * 1024;
/** From this index version on, an entry has only the part of its path that differs from the entry before. */
const SHORTENED = 4;

/** True if git's index has the file. Reads the index itself, because starting git takes too long for a hook. */
function isTracked(gitDir: string, name: string): boolean {
  const indexes = listFolder(gitDir).filter((file) => file === "index" || file.startsWith("sharedindex."));
  return indexes.some((file) => {
    const stat = lstatSync(join(gitDir, file), { throwIfNoEntry: false });
    if (stat?.isFile() !== true) return false;
    if (stat.size > MAX_INDEX_BYTES) return true;
    const index = readFileSync(join(gitDir, file));
    const isShortened = index.length > 8 && index.readUInt32BE(4) >= SHORTENED;
    return index.includes(isShortened ? `${basename(name)}\0` : `${name}\0`);
  });
}
