// Where a hook's troubles go: one small file, never the agent's screen. `status` and `doctor` read it.
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { filterText } from "../core/filter.ts";

const MAX_LOG_BYTES = 256 * 1024;

/** Never throws: a full disk must not become the agent's problem. The payload itself is never logged. */
export function logHookError(path: string, hook: string, error: unknown): void {
  const { code, message } = error as { code?: string; message?: string };
  const line = JSON.stringify({
    at: new Date().toISOString(),
    hook,
    code: typeof code === "string" ? code : "error",
    message: filterText(String(message ?? error), 500),
  });
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
    appendFileSync(path, `${line}\n`, { mode: 0o600 });
  } catch {
    // Nowhere left to say it.
  }
}
