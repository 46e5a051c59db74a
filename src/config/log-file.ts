// A log of one JSON object per line that never grows beyond twice its cap: the older half is kept beside it.
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";

export const HOOK_LOG_BYTES = 256 * 1024;

/** Never throws: a full disk must not become anybody's problem twice. */
export function appendLog(path: string, entry: object, maxBytes: number): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > maxBytes) renameSync(path, `${path}.1`);
    appendFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
  } catch {
    // Nowhere left to say it.
  }
}
