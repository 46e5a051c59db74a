// Reads a repository's files for its remote and branch, without starting git.
import { join } from "node:path";
import type { GitTree } from "../platform/git-tree.ts";
import { readText } from "../platform/read-file.ts";

/** The branch, or the start of the commit's hash if HEAD is detached. */
export function readBranch(tree: GitTree): string | undefined {
  const head = readText(join(tree.gitDir, "HEAD"))?.trim();
  if (head === undefined || head === "") return undefined;
  const ref = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  return ref ?? head.slice(0, 12);
}

/** The url of origin, else of the first remote. */
export function readRemote(tree: GitTree): string | undefined {
  const config = readText(join(tree.commonDir, "config"));
  if (config === undefined) return undefined;
  const remotes = new Map<string, string>();
  let remote: string | undefined;
  for (const line of config.split("\n")) {
    const section = /^\s*\[(.*)\]/.exec(line)?.[1];
    if (section !== undefined) {
      remote = /^remote "(.*)"$/.exec(section)?.[1];
      continue;
    }
    // One regular expression for the whole line would take minutes on a hostile file with many spaces.
    const url = /^\s*url\s*=/.test(line) ? line.slice(line.indexOf("=") + 1).trim() : "";
    if (remote !== undefined && url !== "" && !remotes.has(remote)) remotes.set(remote, url);
  }
  return remotes.get("origin") ?? remotes.values().next().value;
}

/** "git@GitHub.com:a/b.git" and "https://me:pw@github.com/a/b" -> "github.com/a/b" */
export function normaliseRemote(url: string): string {
  const scp = /^(?:[^@/\s]+@)?([^:/\s]+):(?!\/\/)(.+)$/.exec(url);
  const parsed = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^/]*)(\/.*)?$/i.exec(url);
  // "C:\repo" and "C:/repo" look like scp's host:path, but "C" is a drive.
  const [host, path] = parsed
    ? [parsed[1] ?? "", parsed[2] ?? ""]
    : scp && !/^[a-z]$/i.test(scp[1] ?? "")
      ? [scp[1] ?? "", scp[2] ?? ""]
      : ["", url];
  const cleanPath = path.replace(/(?<!\/)\/+$/, "").replace(/\.git$/, "");
  if (host === "") return cleanPath;
  return `${host.toLowerCase().replace(/:(22|443|80)$/, "")}/${cleanPath.replace(/^\/+/, "")}`;
}
