// Whether a pattern of `excludePaths` matches what it seems to.

/** What is wrong with it, in words that follow the pattern; undefined where nothing is. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.startsWith("!"))
    return "can match nothing: exceptions (!) are not supported here; use a .c-memignore file";
  if (/^~[^/\\]/.test(pattern)) return "can match nothing: only ~ and ~/ stand for a home folder; write the full path";
  if (/\$\w|\$\{|%\w+%/.test(pattern))
    return "can match nothing: variables are not expanded; write ~/ or the full path";
  if (/\{[^/{}]*,[^/{}]*\}/.test(pattern)) return "can match nothing: braces are not expanded; list each path";
  // Not [slug] or [...path]: those are names of folders.
  if (/\[(?:[!^][^\]/]+|[^\]/]-[^\]/])\]/.test(pattern))
    return "can match nothing: [a-z] is not a range here; use * or ?";
  if (/^[a-z]{2,}:/i.test(pattern)) return "can match nothing: it is an address, not a path";
  if (!isAnchored(pattern)) return "is not a full path and applies in every folder; start it with /, ~/ or **/";
  return undefined;
}

/** Starts at the root, at home, at a drive, or anywhere ("**"). Not "*\/a", which would be /a alone. */
export function isAnchored(pattern: string): boolean {
  return /^(?:[/\\]|~(?:[/\\]|$)|\*\*[/\\]|\*+$|[a-z]:(?:[/\\]|$))/i.test(pattern);
}
