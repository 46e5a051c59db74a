// What a .c-memignore file says: globs as in .gitignore. It can only hide; what another file hides stays hidden.
import { matchesPath } from "../glob.ts";

export interface IgnoreRule {
  pattern: string;
  /** "!": takes back what the same file has hidden before. */
  isException: boolean;
}

/** More is no list of a person's. */
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

/** Without a slash before its end a pattern means a name at any depth. */
function anchored(line: string): string {
  const pattern = line.replace(/\/+$/, "");
  if (pattern === "" || pattern === ".") return "**";
  return pattern.includes("/") ? pattern.replace(/^\.?\//, "") : `**/${pattern}`;
}

/** `path` is relative to the file's folder, "" for the folder itself: that is hidden where everything in it is. */
export function isHiddenBy(rules: readonly IgnoreRule[], path: string): boolean {
  if (path === "") return isAll(rules);
  let isHidden = false;
  for (const { pattern, isException } of rules) if (matchesPath(pattern, path)) isHidden = !isException;
  return isHidden;
}

function isAll(rules: readonly IgnoreRule[]): boolean {
  return rules.some(({ pattern }) => /^(?:\*\*\/)?\*{1,2}$/.test(pattern)) && !rules.some((rule) => rule.isException);
}
