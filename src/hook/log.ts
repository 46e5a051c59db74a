// Where a hook's troubles go: one small file, never the agent's screen. `status` and `doctor` read it.
import { appendLog, HOOK_LOG_BYTES } from "../config/log-file.ts";
import { filterText } from "../core/filter.ts";

/** Never throws. The payload itself is never logged. */
export function logHookError(path: string, hook: string, error: unknown): void {
  const { code, message } = error as { code?: string; message?: string };
  const entry = {
    at: new Date().toISOString(),
    hook,
    code: typeof code === "string" ? code : "error",
    message: filterText(String(message ?? error), 500),
  };
  appendLog(path, entry, HOOK_LOG_BYTES);
}
