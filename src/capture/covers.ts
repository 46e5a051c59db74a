// Whether a folder or a glob of the user's settings covers a path.
import { realpathSync } from "node:fs";
import { posix, sep } from "node:path";
import { userHome } from "../config/paths.ts";
import { cached } from "../core/cached.ts";
import { matchesPath } from "../core/glob.ts";
import { isAnchored } from "../core/path-pattern.ts";
import { isWindowsPath } from "../core/windows-path.ts";

/** Each pattern is resolved once: settings are checked for every file. */
const spellings = new Map<string, string[]>();

/** Pattern and path may each be written with symlinks, so the pattern is matched as given and resolved. */
export function covers(pattern: string, path: string): boolean {
  const known = cached(spellings, pattern, () => {
    const full = expand(pattern);
    // NFC: "ü" is one character or two, depending on the keyboard and the file system.
    return [...new Set([full, resolveLinks(full)].map((one) => one.normalize("NFC")))];
  });
  const normalised = path.normalize("NFC");
  return known.some((one) => matchesPath(one, normalised));
}

/** "~/a/../b//c" -> "/home/me/b/c"; "a" -> "**\/a": a relative pattern hides too much rather than nothing. */
function expand(pattern: string): string {
  const isHome = pattern === "~" || /^~[/\\]/.test(pattern);
  const full = isHome ? userHome(process.env) + pattern.slice(1) : pattern;
  return posix.normalize((isAnchored(full) ? full : `**/${full}`).replaceAll("\\", "/"));
}

/** Resolves the folders before the first wildcard. */
function resolveLinks(pattern: string): string {
  const parts = pattern.split("/");
  const wild = parts.findIndex((part) => /[*?]/.test(part));
  const fixed = wild === -1 ? parts : parts.slice(0, wild);
  return [realPath(fixed.join("/") || "/"), ...parts.slice(fixed.length)].join("/");
}

/** The path itself where nothing is there. */
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

/** A Windows folder on another system: its files are not here. */
export function isForeign(cwd: string): boolean {
  return sep === "/" && isWindowsPath(cwd);
}
