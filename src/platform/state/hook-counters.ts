// Counts hook runs that record no event: one byte per run in a file per hook. Other runs are counted by their events.
import { join } from "node:path";
import { appendPrivate } from "../private-file.ts";
import { listFolder, statOf } from "../read-file.ts";

interface HookFires {
  /** "recall", or "codex recall" for agents other than Claude Code. */
  hook: string;
  count: number;
  last_at: number;
}

/** Never throws: a missing count must not disturb the agent. */
export function noteHookFired(folder: string, hook: string): void {
  const path = join(folder, hook.replaceAll(" ", "."));
  try {
    appendPrivate(path, ".");
  } catch {
    // The data directory cannot be written to, which `doctor` reports.
  }
}

export function readHookFires(folder: string): HookFires[] {
  return listFolder(folder).flatMap((name) => {
    const found = statOf(join(folder, name));
    return found === undefined
      ? []
      : [{ hook: name.replace(".", " "), count: found.size, last_at: Math.round(found.mtimeMs) }];
  });
}
