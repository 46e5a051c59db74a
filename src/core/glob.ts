// Matches a path against a folder or a glob: "*" within a name, "**" across folders. A match covers what lies below.

export function matchesPath(pattern: string, path: string): boolean {
  return globRegExp(pattern).test(slashes(path));
}

function globRegExp(pattern: string): RegExp {
  const body = slashes(pattern)
    .replace(/\/+$/, "")
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\/\*\*$/, "")
    .replace(/\*\*\/|\*\*|\*|\?/g, (wild) => {
      if (wild === "**/") return "(?:[^/]*/)*";
      if (wild === "**") return ".*";
      return wild === "*" ? "[^/]*" : "[^/]";
    });
  return new RegExp(`^${body}(?:/|$)`);
}

function slashes(path: string): string {
  return path.replaceAll("\\", "/");
}
