// Keeps the file up to date by which memory reaches an agent that no hook can tell anything: the block of a session start,
// in a rule the agent reads with every prompt. Only where `install` has put that file.
import { writeFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { hasRules, rulesText } from "../agents/cursor/rules.ts";
import { readText } from "../config/read.ts";
import { loadBundle } from "./bundle.ts";
import { logHookError } from "./log.ts";
import { recordInjection } from "./speak.ts";
import type { ReadingHalf, TellInput } from "./told.ts";

/** Before a prompt, after a turn and at the end of a session. */
const MOMENTS: ReadonlySet<string> = new Set(["session-start", "prompt", "turn-end", "session-end"]);

/** Never throws: then the file stays as it was. */
export function refreshRules(input: TellInput, name: string): void {
  const { event, place, paths } = input;
  if (!MOMENTS.has(event.activity.kind)) return;
  try {
    const path = join(place.tree?.top ?? place.folder, name);
    const before = readText(path);
    if (before === undefined || !hasRules(before)) return;
    const start = { ...input, event: { ...event, activity: { kind: "session-start", source: "startup" } as const } };
    const told = (loadBundle("context.cjs") as ReadingHalf).tell(start);
    const after = rulesText(told?.text ?? "");
    if (after === before) return;
    writeFileSync(`${path}.new`, after);
    renameSync(`${path}.new`, path);
    if (told?.injection !== undefined) recordInjection(start, told, true);
  } catch (error) {
    logHookError(paths.hookLog, event.hook ?? "rules", error);
  }
}
