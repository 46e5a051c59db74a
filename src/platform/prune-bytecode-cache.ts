// Deletes unused bytecode: C-Mem's files and Node's own cache folders, which the MCP server uses.
import { rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { listFolder, statOf } from "./read-file.ts";

/** C-Mem rewrites its files while they are in use. Node does not, so it compiles again every 30 days. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

export function pruneBytecodeCache(cache: string, now: number): void {
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
