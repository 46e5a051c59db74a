// Where a hook's troubles go: one small file, never the agent's screen. `status` and `doctor` read it.
import { appendLog, HOOK_LOG_BYTES } from "../platform/private-file.ts";
import { filterText } from "../core/privacy/filter.ts";
import { isBusy } from "../store/db/driver.ts";

/**
 * Never throws. The payload itself is never logged. A lock is no error: the event waits in the spool, and what memory
 * knows is not injected this once.
 */
export function logHookError(path: string, hook: string, error: unknown): void {
  if (isBusy(error)) return;
  const { code, message } = error as { code?: string; message?: string };
  const entry = {
    at: new Date().toISOString(),
    hook,
    code: typeof code === "string" ? code : "error",
    message: filterText(String(message ?? error), 500),
  };
  appendLog(path, entry, HOOK_LOG_BYTES);
}
