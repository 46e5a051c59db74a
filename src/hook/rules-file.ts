// Keeps the file up to date by which memory reaches an agent that no hook can tell anything: the block of a session start,
// in a rule the agent reads with every prompt. Only where `install` has put that file.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasRules, rulesText } from "../agents/cursor/rules.ts";
import { readText } from "../config/read.ts";
import { loadBundle } from "./bundle.ts";
import type { ReadingHalf, TellAnswer, TellInput } from "./told.ts";

/** Before a prompt, after a turn and at the end of a session. */
const MOMENTS: ReadonlySet<string> = new Set(["session-start", "prompt", "turn-end", "session-end"]);

export function hasRulesFile(input: TellInput, name: string): boolean {
  return hasRules(readText(pathOf(input, name)) ?? "");
}

/** What the file says now, where that is something else than before. */
export function refreshRules(input: TellInput, name: string): TellAnswer | undefined {
  const { event } = input;
  const path = pathOf(input, name);
  const before = MOMENTS.has(event.activity.kind) ? readText(path) : undefined;
  if (before === undefined || !hasRules(before)) return undefined;
  const start = { ...input, event: { ...event, activity: { kind: "session-start", source: "startup" } as const } };
  const told = (loadBundle("context.cjs") as ReadingHalf).tell(start);
  const after = rulesText(told?.text ?? "");
  if (after === before) return undefined;
  writeFileSync(`${path}.new`, after);
  renameSync(`${path}.new`, path);
  return told;
}

function pathOf({ place }: TellInput, name: string): string {
  return join(place.tree?.top ?? place.folder, name);
}
