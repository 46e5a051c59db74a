// A log of one JSON object per line that never grows beyond twice its cap: the older half is kept beside it.
import { lstatSync, mkdirSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { appendPrivate } from "./private-file.ts";

export const HOOK_LOG_BYTES = 256 * 1024;

/** Never throws: there is nowhere to report that the log cannot be written. */
export function appendLog(path: string, entry: object, maxBytes: number): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > maxBytes) renameSync(path, `${path}.1`);
    appendPrivate(path, `${JSON.stringify(entry)}\n`);
  } catch {
    // Nowhere left to say it.
  }
}
