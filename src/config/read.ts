// Small files of other programs, read without trusting them: absent, unreadable, huge or not a file at all is "not there".
import { readdirSync, readFileSync, type Stats, statSync } from "node:fs";

/** Settings and git's own files are far smaller. A link to a device or a pipe must not hold a hook up. */
const MAX_BYTES = 1024 * 1024;

export function readText(path: string): string | undefined {
  const stat = statOf(path);
  if (stat === undefined || !stat.isFile() || stat.size > MAX_BYTES) return undefined;
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

export function listFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
