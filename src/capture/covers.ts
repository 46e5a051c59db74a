// Whether a folder or a glob of the user's settings covers a path.
import { realpathSync } from "node:fs";
import { posix } from "node:path";
import { userHome } from "../config/paths.ts";
import { matchesPath } from "../core/glob.ts";
import { isAnchored } from "../core/path-pattern.ts";

/** Both may be named through symlinks, so the pattern is taken as given and as it really is. */
export function covers(pattern: string, path: string): boolean {
  const composed = path.normalize("NFC");
  return spellings(pattern).some((each) => matchesPath(each, composed));
}

/** Settings are asked about every file: each pattern is looked up once. */
const known = new Map<string, string[]>();

function spellings(pattern: string): string[] {
  const spelled = known.get(pattern);
  if (spelled !== undefined) return spelled;
  const expanded = expand(pattern);
  // "ü" is one character or two, by keyboard and by file system.
  const found = [...new Set([expanded, realPattern(expanded)].map((one) => one.normalize("NFC")))];
  known.set(pattern, found);
  return found;
}

/** "~/a/../b//c" -> "/home/me/b/c"; a relative pattern matches in every folder: it hides too much rather than nothing. */
function expand(pattern: string): string {
  const isHome = pattern === "~" || /^~[/\\]/.test(pattern);
  const full = isHome ? userHome(process.env) + pattern.slice(1) : pattern;
  const anchored = isAnchored(full) ? full : `**/${full}`;
  return posix.normalize(anchored.replaceAll("\\", "/"));
}

/** The pattern with symlinks resolved in the folders before its first wildcard. */
function realPattern(pattern: string): string {
  const parts = pattern.split("/");
  const wild = parts.findIndex((part) => /[*?]/.test(part));
  const fixed = wild === -1 ? parts : parts.slice(0, wild);
  return [realFolder(fixed.join("/") || "/"), ...parts.slice(fixed.length)].join("/");
}

export function realFolder(cwd: string): string {
  try {
    return realpathSync.native(cwd);
  } catch {
    return cwd;
  }
}
