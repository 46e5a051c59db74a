// Matches a path against a folder or a glob: "*" within a name, "**" across folders. Paths below a match also match.
// Uses no regular expressions: an untrusted repository's pattern could make them exponentially slow.

export function matchesPath(pattern: string, path: string): boolean {
  const wanted = splitPath(pattern);
  // Indexes of the pattern's parts that may come next.
  let open = afterFolders(wanted, [0]);
  for (const name of splitPath(path)) {
    if (open.includes(wanted.length)) return true;
    const next = open.flatMap((at) => {
      if (wanted[at] === ANY_FOLDERS) return [at];
      return matchesName(wanted[at] ?? "", name) ? [at + 1] : [];
    });
    open = afterFolders(wanted, next);
    if (open.length === 0) return false;
  }
  return open.includes(wanted.length);
}

const ANY_FOLDERS = "**";

/** Adds the index after each "**", because "**" also matches no folder at all. */
function afterFolders(wanted: readonly string[], indexes: readonly number[]): number[] {
  const open = new Set(indexes);
  for (const index of open) if (wanted[index] === ANY_FOLDERS) open.add(index + 1);
  return [...open];
}

/** "*" matches any characters, "?" one. Backtracks only to the last "*", so the time is not exponential. */
function matchesName(pattern: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let starAt = 0;
  for (let index = 0; index < name.length;) {
    if (pattern[at] === "*") {
      star = at++;
      starAt = index;
    } else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === name[index])) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      index = ++starAt;
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}

function splitPath(path: string): string[] {
  const names = path.replaceAll("\\", "/").split("/");
  while (names.length > 1 && names.at(-1) === "") names.pop();
  return names;
}
