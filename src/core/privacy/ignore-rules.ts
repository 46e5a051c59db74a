// Rules of a .c-memignore file: globs as in .gitignore. They cannot re-include a path that another file excludes.
import { matchesPath } from "../glob.ts";

export interface IgnoreRule {
  pattern: string;
  /** "!pattern" re-includes paths that earlier rules of the same file exclude. */
  isException: boolean;
}

const MAX_RULES = 1_000;
const MAX_PATTERN_CHARS = 500;

export function parseIgnoreRules(text: string): IgnoreRule[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "" && !line.startsWith("#") && line.length <= MAX_PATTERN_CHARS)
    .slice(0, MAX_RULES)
    .map((line) => {
      const isException = line.startsWith("!");
      return { pattern: anchored(isException ? line.slice(1) : line), isException };
    });
}

/** "*.log" matches at any depth, "a/*.log" only below the file's folder. */
function anchored(line: string): string {
  const pattern = line.replace(/\/+$/, "");
  if (pattern === "" || pattern === ".") return "**";
  return pattern.includes("/") ? pattern.replace(/^\.?\//, "") : `**/${pattern}`;
}

/** `path` is relative to the file's folder. "" is the folder itself: hidden if everything in it is hidden. */
export function isHiddenBy(rules: readonly IgnoreRule[], path: string): boolean {
  if (path === "") return isAll(rules);
  let isHidden = false;
  for (const { pattern, isException } of rules) if (matchesPath(pattern, path)) isHidden = !isException;
  return isHidden;
}

function isAll(rules: readonly IgnoreRule[]): boolean {
  return rules.some(({ pattern }) => /^(?:\*\*\/)?\*{1,2}$/.test(pattern)) && !rules.some((rule) => rule.isException);
}
