// Counts runs of hooks that record nothing, one byte each in a file per hook. The others leave an event in the spool.
import { join } from "node:path";
import { appendPrivate } from "../private-file.ts";
import { listFolder, statOf } from "../read-file.ts";

interface HookFires {
  /** "recall", or "codex recall" for another agent than Claude Code. */
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
    // The data directory cannot be written to; `doctor` says so.
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
