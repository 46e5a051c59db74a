// Keeps the file up to date by which memory reaches an agent that no hook can tell anything: the block of a session start,
// in a rule the agent reads with every prompt. Only where `install` has put that file.
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { hasRules, rulesText } from "../agents/cursor/rules.ts";
import { checkIgnored, checkNotCommitted, realPathInside, writeInside } from "../agents/work-tree-file.ts";
import { readInstall } from "../platform/state/install-record.ts";
import { readText } from "../platform/read-file.ts";
import { loadBundle } from "./bundle.ts";
import { logHookError } from "./log.ts";
import type { ReadingHalf, TellAnswer, TellInput } from "./types.ts";

/** Before a prompt, after a turn and at the end of a session. */
const MOMENTS: ReadonlySet<string> = new Set(["session-start", "prompt", "turn-end", "session-end"]);

export function hasRulesFile(input: TellInput, name: string): boolean {
  return readRules(input, name) !== undefined;
}

/** What the file says now, where that is something else than before. */
export function refreshRules(input: TellInput, name: string): TellAnswer | undefined {
  const { event } = input;
  const path = pathOf(input, name);
  const before = MOMENTS.has(event.activity.kind) ? readRules(input, name) : undefined;
  if (before === undefined) return undefined;
  const start = { ...input, event: { ...event, activity: { kind: "session-start", source: "startup" } as const } };
  const told = (loadBundle("context.cjs") as ReadingHalf).tell(start);
  const after = rulesText(told?.text ?? "");
  if (after === before) return undefined;
  try {
    writeRules(input, path, after);
  } catch (error) {
    logHookError(input.paths.hookLog, "rules", error);
    return undefined;
  }
  return told;
}

/** Not into a file that git would commit, nor through a link that leads out of the tree. */
function writeRules({ place }: TellInput, path: string, text: string): void {
  const top = place.tree?.top ?? place.folder;
  if (place.tree !== undefined) {
    const real = realPathInside(top, path);
    checkNotCommitted(top, place.tree.gitDir, real);
    checkIgnored(top, place.tree.commonDir, real);
  }
  writeInside(top, path, text);
}

/** One that came with a repository is not ours, whatever it says: what is remembered would be handed on with the next commit. */
function readRules(input: TellInput, name: string): string | undefined {
  const text = readText(pathOf(input, name)) ?? "";
  return hasRules(text) && isInstalledHere(input) ? text : undefined;
}

function isInstalledHere({ place, paths }: TellInput): boolean {
  const top = place.tree?.top;
  if (top === undefined) return false;
  const projects = readInstall(paths.install)?.agents?.["cursor"]?.projects ?? [];
  return projects.some((one) => one.top === top || realOf(one.top) === realOf(top));
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function pathOf({ place }: TellInput, name: string): string {
  return join(place.tree?.top ?? place.folder, name);
}
