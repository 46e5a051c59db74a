// Counts the runs of hooks that record nothing: one byte each, in a file per hook. The spool has those that record something.
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { appendPrivate } from "../private-file.ts";
import { statOf } from "../read-file.ts";

export interface HookFires {
  /** "recall"; of an agent other than Claude Code with its id before it: "codex recall". */
  hook: string;
  count: number;
  last_at: number;
}

/** Never throws: a run that is not counted is no reason to disturb the agent. */
export function noteHookFired(folder: string, hook: string): void {
  const path = join(folder, hook.replaceAll(" ", "."));
  try {
    appendPrivate(path, ".");
  } catch {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      appendPrivate(path, ".");
    } catch {
      // The data directory cannot be written to; `doctor` says so.
    }
  }
}

export function readHookFires(folder: string): HookFires[] {
  return namesIn(folder).flatMap((name) => {
    const found = statOf(join(folder, name));
    return found === undefined
      ? []
      : [{ hook: name.replace(".", " "), count: found.size, last_at: Math.round(found.mtimeMs) }];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
