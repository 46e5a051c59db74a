// Writes a file into a folder that others fill, such as a clone: a link in it must not lead the write elsewhere.
import { lstatSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { AppError } from "../core/error.ts";
import { matchesPath } from "../core/glob.ts";
import { type IgnoreRule, parseIgnoreRules } from "../core/privacy/ignore-rules.ts";
import { replaceFile } from "../platform/replace-file.ts";
import { listFolder } from "../platform/read-file.ts";

/**
 * Where a path below `root` really is: every folder above it that exists is resolved, and has to be in `root` and not in its
 * `.git`. So has what the file itself is a link to; the link is replaced when the file is written, not followed.
 */
export function realPathInside(root: string, path: string): string {
  const realRoot = realpathSync(root);
  const missing: string[] = [];
  let folder = dirname(path);
  while (folder !== root && !isThere(folder)) {
    missing.unshift(basename(folder));
    folder = dirname(folder);
  }
  const real = join(resolveLink(folder, path), ...missing, basename(path));
  if (!isBelow(realRoot, real)) throw refusal(path, dirname(real), root);
  const isLink = lstatSync(real, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const target = isLink ? resolveLink(real, path) : real;
  if (!isBelow(realRoot, target)) throw refusal(path, target, root);
  checkSameRepository(realRoot, real, path);
  return real;
}

/** True for a link to nothing, too; not for a path below a link to itself, which cannot be looked up. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ELOOP") return false;
    throw error;
  }
}

/** ".GIT" is the same folder on macOS and Windows. */
function isBelow(realRoot: string, real: string): boolean {
  const below = relative(realRoot, real).toLowerCase().split(sep);
  return real !== realRoot && below[0] !== ".." && !below.includes(".git");
}

/** A submodule or a nested clone has an index and an exclude file of its own, which do not know our file. */
function checkSameRepository(realRoot: string, real: string, path: string): void {
  for (let folder = dirname(real); folder !== realRoot; folder = dirname(folder)) {
    if (!isThere(join(folder, ".git"))) continue;
    throw new AppError("link_refused", `${path} was not written: ${folder} belongs to another repository.`, {
      hint: "Remove the link that leads there, then run the command again.",
    });
  }
}

function resolveLink(link: string, path: string): string {
  try {
    return realpathSync(link);
  } catch {
    throw new AppError("link_refused", `${path} cannot be written: ${link} is a link that leads nowhere.`, {
      hint: "Remove the link, then run the command again.",
    });
  }
}

function refusal(path: string, real: string, root: string): AppError {
  return new AppError("link_refused", `${path} was not written: a link leads it to ${real}, outside ${root}.`, {
    hint: "Remove the link, then run the command again.",
  });
}

/** Readable by its owner alone; whole or not at all. */
export function writeInside(root: string, path: string, content: string | Buffer, mode = 0o600): void {
  const real = realPathInside(root, path);
  const folder = dirname(real);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // A folder that was replaced by a link meanwhile.
  if (realpathSync(folder) !== folder) throw refusal(path, realpathSync(folder), root);
  replaceFile(real, content, { mode, isDurable: false });
}

/** Throws where git would commit the file in spite of the exclude line: it is tracked, or a .gitignore takes it back in. */
export function checkNotCommitted(top: string, gitDir: string, real: string): void {
  const place = relative(realpathSync(top), real).split(sep).join("/");
  if (isTracked(gitDir, place)) {
    throw new AppError("file_tracked", `${real} is tracked by git; memory in it would be committed.`, {
      hint: `Run \`git rm --cached ${place}\`, then run the command again.`,
    });
  }
  const ignoreFile = findException(realpathSync(top), real);
  if (ignoreFile !== undefined) {
    throw new AppError(
      "file_not_ignored",
      `${ignoreFile} keeps git from ignoring ${real}; memory in it would be committed.`,
      {
        hint: `Add the line ${basename(real)} to the end of ${ignoreFile}, then run the command again.`,
      },
    );
  }
}

/** The .gitignore with a line such as "!.cursor/rules/*", which wins over .git/info/exclude. */
function findException(realTop: string, real: string): string | undefined {
  const last = lastRule(realTop, real);
  return last?.isException ? last.file : undefined;
}

/** What the .gitignore files say of it: the last matching line of the nearest file that has one. */
function lastRule(realTop: string, real: string): { file: string; isException: boolean } | undefined {
  for (let folder = dirname(real); ; folder = dirname(folder)) {
    const file = join(folder, ".gitignore");
    const last = lastMatch(readIgnoreFile(file), relative(folder, real).split(sep).join("/"));
    if (last !== undefined) return { file, isException: last.isException };
    if (folder === realTop) return undefined;
  }
}

function lastMatch(text: string, path: string): IgnoreRule | undefined {
  // "!*/" and the like match folders only.
  const lines = text.replace(/^.*\/[ \t\r]*$/gm, "");
  return parseIgnoreRules(lines).findLast((rule) => matchesFile(rule, path));
}

/** Throws where git would offer the file for a commit: since `install` its folder moved, or the exclude line was deleted. */
export function checkIgnored(top: string, commonDir: string, real: string): void {
  // Not a repository: nothing is committed from there.
  if (!isThere(join(commonDir, "objects"))) return;
  const realTop = realpathSync(top);
  const place = relative(realTop, real);
  const text = readIgnoreFile(join(commonDir, "info", "exclude"));
  if (text.split(/\r?\n/).includes(excludeLine(place))) return;
  const rule = lastRule(realTop, real) ?? lastMatch(text, place.split(sep).join("/"));
  if (rule?.isException === false) return;
  throw new AppError("file_not_ignored", `git does not ignore ${real}; memory in it would be committed.`, {
    hint: "Run `c-mem install cursor` there again: it has git ignore the file.",
  });
}

/** As a line of .git/info/exclude: "docs [old]/a.md" -> "/docs \[old\]/a.md". */
export function excludeLine(place: string): string {
  return `/${place
    .split(sep)
    .join("/")
    .replace(/[\\*?[\]]/g, "\\$&")}`;
}

const MAX_IGNORE_BYTES = 1024 * 1024;

/** Git reads no .gitignore that is a link. */
function readIgnoreFile(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size <= MAX_IGNORE_BYTES ? readFileSync(path, "utf8") : "";
}

/** Unlike `matchesPath`, a pattern for a folder above the file does not match the file: git looks at each by itself. */
function matchesFile({ pattern }: IgnoreRule, path: string): boolean {
  if (!matchesPath(pattern, path)) return false;
  return pattern.endsWith("**") || matchesPath(pattern, basename(path)) || !matchesPath(pattern, dirname(path));
}

/** Larger than the index of any repository of note. */
const MAX_INDEX_BYTES = 256 * 1024 * 1024;
/** From this version on an entry has only the end of its path that differs from the one before. */
const SHORTENED = 4;

/** Whether git has the file in its index: what is written into it would be committed, whatever is excluded. No git process. */
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
