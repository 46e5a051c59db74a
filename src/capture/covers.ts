// Whether a folder or a glob of the user's settings covers a path.
import { realpathSync } from "node:fs";
import { posix, sep } from "node:path";
import { userHome } from "../config/paths.ts";
import { cached } from "../core/cached.ts";
import { matchesPath } from "../core/glob.ts";
import { isAnchored } from "../core/path-pattern.ts";
import { isWindowsPath } from "../core/windows-path.ts";

/** Pattern -> the pattern as written and with its symlinks resolved. A cache: `covers` is called for every file. */
const spellings = new Map<string, string[]>();

/** The pattern is matched as written and with its symlinks resolved, since the path may be written either way. */
export function covers(pattern: string, path: string): boolean {
  const known = cached(spellings, pattern, () => {
    const full = expand(pattern);
    // NFC: "ü" is one or two characters, depending on the keyboard and the file system.
    return [...new Set([full, resolveLinks(full)].map((one) => one.normalize("NFC")))];
  });
  const normalised = path.normalize("NFC");
  return known.some((one) => matchesPath(one, normalised));
}

/** "~/a/../b//c" -> "/home/me/b/c"; "a" -> "**\/a": a relative pattern matches in every folder. */
function expand(pattern: string): string {
  const isHome = pattern === "~" || /^~[/\\]/.test(pattern);
  const full = isHome ? userHome(process.env) + pattern.slice(1) : pattern;
  return posix.normalize((isAnchored(full) ? full : `**/${full}`).replaceAll("\\", "/"));
}

/** Resolves links in the folders before the first wildcard. */
function resolveLinks(pattern: string): string {
  const parts = pattern.split("/");
  const wild = parts.findIndex((part) => /[*?]/.test(part));
  const fixed = wild === -1 ? parts : parts.slice(0, wild);
  return [realPath(fixed.join("/") || "/"), ...parts.slice(fixed.length)].join("/");
}

/** Returns the path itself if it cannot be resolved. */
export function realPath(path: string): string {
  return tryRealPath(path) ?? path;
}

export function tryRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** True for a Windows path on another system: its files are not on this machine. */
export function isForeign(cwd: string): boolean {
  return sep === "/" && isWindowsPath(cwd);
}
