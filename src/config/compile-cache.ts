// The code Node keeps compiled beside the data, a folder for each version of Node: what is old is of versions that are gone.
import { rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { listFolder, statOf } from "./read.ts";

/** Node never touches a file again, so this also takes what is still in use: it is made anew in a few milliseconds. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

export function pruneCompileCache(cache: string, now: number): void {
  for (const version of listFolder(cache)) {
    const folder = join(cache, version);
    const names = listFolder(folder);
    const old = names.filter((name) => now - (statOf(join(folder, name))?.mtimeMs ?? now) > MAX_AGE_MS);
    for (const name of old) rmSync(join(folder, name), { force: true });
    if (old.length > 0 && old.length === names.length) removeEmpty(folder);
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody has just put something there.
  }
}
