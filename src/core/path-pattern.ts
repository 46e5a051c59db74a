// Checks patterns of `excludePaths` for mistakes, such as syntax that has no effect.

/** Completes the sentence "<pattern> …"; undefined if the pattern is valid. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.startsWith("!")) return "can match nothing: exceptions (!) work only in a .c-memignore file";
  if (/^~[^/\\]/.test(pattern)) return "can match nothing: only ~ and ~/ mean the home folder; write the full path";
  if (/\$\w|\$\{|%\w+%/.test(pattern))
    return "can match nothing: variables are not expanded; write ~/ or the full path";
  if (/\{[^/{}]*,[^/{}]*\}/.test(pattern)) return "can match nothing: braces are not expanded; list each path";
  // Folders may be named [slug] or [...path].
  if (/\[(?:[!^][^\]/]+|[^\]/]-[^\]/])\]/.test(pattern))
    return "can match nothing: [a-z] is not a range here; use * or ?";
  if (/^[a-z]{2,}:/i.test(pattern)) return "can match nothing: it is an address, not a path";
  if (!isAnchored(pattern)) return "is not a full path and applies in every folder; start it with /, ~/ or **/";
  return undefined;
}

/** True for patterns that start with /, ~, a drive or "**". False for "*\/a", which would match only below the root. */
export function isAnchored(pattern: string): boolean {
  return /^(?:[/\\]|~(?:[/\\]|$)|\*\*[/\\]|\*+$|[a-z]:(?:[/\\]|$))/i.test(pattern);
}
