// Handles Windows paths on any system: drives, both separators, `\\?\`, and `/c/...` of git-bash.

/** `C:\a`, `c:/a`, `\\?\C:\a`, `\\server\share`. Not `/c/a`: that may be a folder of a POSIX system. */
const WINDOWS = /^(?:[A-Za-z]:(?:[\\/]|$)|\\\\)/;

export function isWindowsPath(path: string): boolean {
  return WINDOWS.test(path);
}

/** `\\?\c:\a\..\b` and `/c/b` -> "C:/b". Only for paths of a Windows session. */
export function slashedPath(path: string): string {
  const slashed = path
    .replaceAll("\\", "/")
    .replace(/^\/\/[?.]\/UNC\//i, "//")
    .replace(/^\/\/[?.]\//, "")
    .replace(/^(?:\/cygdrive|\/mnt)?\/([A-Za-z])(?=\/|$)/, "$1:")
    .replace(/^[a-z]:/, (drive) => drive.toUpperCase());
  const [, root = "", rest = ""] = /^([A-Z]:\/?|\/{1,2})?(.*)$/s.exec(slashed) ?? [];
  return root + withoutDots(rest, root !== "");
}

/** "c:/Users/me" -> "C:\Users\me" */
export function nativeWindowsPath(path: string): string {
  return slashedPath(path).replaceAll("/", "\\");
}

/** The part of a slashed path below the folder, ignoring case; undefined if it is not below. */
export function pathBelow(folder: string, path: string): string | undefined {
  const start = `${folder.replace(/\/+$/, "")}/`;
  return path.length > start.length && path.slice(0, start.length).toLowerCase() === start.toLowerCase()
    ? path.slice(start.length)
    : undefined;
}

/** The absolute path with slashes; a relative path is resolved against the session's folder. */
export function fullWindowsPath(path: string, cwd: string): string {
  const given = slashedPath(path);
  return /^(?:[A-Z]:|\/)/.test(given) ? given : slashedPath(`${cwd}/${given}`);
}

function withoutDots(path: string, isAbsolute: boolean): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".." || !isAbsolute) parts.push(part);
  }
  return parts.join("/");
}
