// The line under Claude Code's prompt: told from a small file, without opening the database.
import { findCaptureContext } from "../capture/capture-context.ts";
import { activityLine } from "../platform/state/activity.ts";
import type { Env, Paths } from "../config/paths.ts";

/** `payload` is what the client says of its session; of that only the folder matters. */
export function statusLine(paths: Paths, env: Env, payload: unknown): string {
  const { workspace, cwd } = (payload ?? {}) as { workspace?: { current_dir?: unknown }; cwd?: unknown };
  const folder = workspace?.current_dir ?? cwd;
  const { isExcluded = false, isBlocked = false } =
    typeof folder === "string" ? findCaptureContext(folder, paths.config, env) : {};
  if (isBlocked) return "C-Mem records nothing: settings unreadable (c-mem doctor)";
  return isExcluded ? "C-Mem is off here" : activityLine(paths, Date.now());
}
