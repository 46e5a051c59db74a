// Logs a hook's errors to a small file, never to the agent. `status` and `doctor` read it.
import { appendLog, HOOK_LOG_BYTES } from "../platform/private-file.ts";
import { filterText } from "../core/privacy/filter.ts";
import { isBusy } from "../store/db/driver.ts";

/** Never throws, never logs the payload. Ignores a locked database: only the lookup fails, the event is recorded. */
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
