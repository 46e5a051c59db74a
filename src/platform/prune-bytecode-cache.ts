// Deletes compiled code that is no longer used: our own files, named by bundle and Node version, and the folders Node
// keeps for the MCP server, one for each version.
import { rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { listFolder, statOf } from "./read-file.ts";

/** Our files are renewed while in use; Node never touches its own again, so one still in use is compiled again now and then. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

export function pruneCompileCache(cache: string, now: number): void {
  const isOld = (path: string): boolean => now - (statOf(path)?.mtimeMs ?? now) > MAX_AGE_MS;
  for (const name of listFolder(cache)) {
    const path = join(cache, name);
    if (statOf(path)?.isDirectory() !== true) {
      if (isOld(path)) rmSync(path, { force: true });
      continue;
    }
    const files = listFolder(path).map((file) => join(path, file));
    const old = files.filter(isOld);
    for (const file of old) rmSync(file, { force: true });
    if (old.length === files.length && (old.length > 0 || isOld(path))) removeEmpty(path);
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // A file was just added.
  }
}
