// Whether a hook has anything to ask memory at all, and what becomes of the answer. The database stays shut here.
import { join } from "node:path";
import type { HookWire } from "../agents/hook-wire.ts";
import { lookedUp, noteShown, readShown } from "../capture/live/shown-items.ts";
import { writeDrop } from "../capture/live/spool.ts";
import { runWithBytecodeCache } from "../platform/bytecode-cache.ts";
import { statOf } from "../platform/read-file.ts";
import type { CapturedEvent } from "../core/event.ts";
import { logHookError } from "./log.ts";
import { type ReadingHalf, readerOf, type TellAnswer, type TellInput } from "./types.ts";

/** Shorter prompts are replies. */
const MIN_PROMPT_CHARS = 12;

/** Never throws: where anything is slow or broken, memory is silent. */
export function askMemory(input: TellInput, command: string): TellAnswer | undefined {
  try {
    if (!isWorthAsking(input)) return undefined;
    const answer = readingHalf(input).tell(input);
    if (answer !== undefined && answer.keys.length > 0)
      noteShown(input.paths.shown, readerOf(input.event), answer.keys);
    return answer;
  } catch (error) {
    logHookError(input.paths.hookLog, command, error);
    return undefined;
  }
}

/** What was shown outside of an event that is recorded anyway. */
export function recordInjection(input: TellInput, answer: TellAnswer, isRecorded: boolean): void {
  if (answer.injection === undefined) return;
  const { hook, activity: _, ...rest } = input.event;
  // The run of a hook that records anyway is counted already.
  const run = hook !== undefined && !isRecorded ? { hook } : {};
  const event: CapturedEvent = { ...rest, ...run, activity: { kind: "injection" }, injection: answer.injection };
  // Not synced: after a power cut nobody misses that something was shown.
  writeDrop(input.paths.spool, event, { isDurable: false });
}

/** Nothing has happened yet, or something that is told elsewhere: there is nothing to record. */
export function isOnlyAsked({ activity: { kind } }: CapturedEvent, wire: HookWire): boolean {
  return (
    kind === "tool-start" || kind === "subagent-start" || (kind === "tool-use" && wire.toolsFromTranscript === true)
  );
}

function isWorthAsking({ event, settings, paths }: TellInput): boolean {
  const { activity } = event;
  const isOn = (...surfaces: string[]): boolean => surfaces.some((surface) => settings.surfaces.includes(surface));
  switch (activity.kind) {
    case "session-start":
      return isOn("session-start", "compaction");
    case "prompt":
      return (
        isOn("prompt") && activity.text.length >= MIN_PROMPT_CHARS && !/^\s*[/!]/.test(activity.text) && hasStore(paths)
      );
    case "tool-use":
      return isOn("error") && activity.isError && activity.exitCode !== undefined && hasStore(paths);
    case "subagent-start":
      return isOn("subagent") && hasStore(paths);
    case "tool-start":
      return isOn(surfaceOf(activity)) && hasStore(paths) && !wasLookedUp(event, paths);
    default:
      return false;
  }
}

type ToolStart = Extract<CapturedEvent["activity"], { kind: "tool-start" }>;

function surfaceOf({ name, path }: ToolStart): string {
  if (path !== undefined) return "file";
  return name === "Bash" ? "command" : "subagent";
}

/** Once per file and session (and once more when it is to be changed); most tool calls end here. */
function wasLookedUp(event: CapturedEvent, paths: TellInput["paths"]): boolean {
  const { activity } = event;
  if (activity.kind !== "tool-start") return false;
  const subject = activity.path ?? (activity.input as { command?: unknown } | null)?.command;
  if (typeof subject !== "string") return false;
  return readShown(paths.shown, readerOf(event)).includes(lookedUp(activity.name, subject));
}

function hasStore(paths: TellInput["paths"]): boolean {
  return statOf(paths.database) !== undefined;
}

/** Two bundles: a session start brings the spool in and needs all that writing takes, the others only read. */
function readingHalf({ event, paths }: TellInput): ReadingHalf {
  const bundle = event.activity.kind === "session-start" ? "context.cjs" : "recall.cjs";
  return runWithBytecodeCache(join(import.meta.dirname, bundle), {
    folder: paths.cache,
    use: event.activity.kind,
  }) as ReadingHalf;
}
