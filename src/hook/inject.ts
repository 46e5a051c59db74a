// Decides whether an event is worth a lookup, and asks a context bundle. Does not open the database.
import { join } from "node:path";
import type { HookWire } from "../agents/hook-wire.ts";
import { lookupKey, noteShown, readShown } from "../capture/live/shown-items.ts";
import { writeDrop } from "../capture/live/spool.ts";
import type { CapturedEvent } from "../core/event.ts";
import { runWithBytecodeCache } from "../platform/bytecode-cache.ts";
import { statOf } from "../platform/read-file.ts";
import { logHookError } from "./log.ts";
import { type ContextBundle, type InjectAnswer, type InjectRequest, readerId } from "./types.ts";

/** Never throws: on an error nothing is injected. */
export function findContext(request: InjectRequest, hook: string): InjectAnswer | undefined {
  const { event, paths } = request;
  try {
    if (!isWorthLookup(request)) return undefined;
    // Two bundles: a session start drains the spool and needs all the code that writes; the others only read.
    const bundle = event.activity.kind === "session-start" ? "context.cjs" : "recall.cjs";
    const cache = { folder: paths.cache, use: event.activity.kind };
    const { inject } = runWithBytecodeCache(join(import.meta.dirname, bundle), cache) as ContextBundle;
    const answer = inject(request);
    if (answer !== undefined && answer.keys.length > 0) noteShown(paths.shown, readerId(event), answer.keys);
    return answer;
  } catch (error) {
    logHookError(paths.hookLog, hook, error);
    return undefined;
  }
}

/** Records an injection apart from its event. */
export function recordInjection(request: InjectRequest, answer: InjectAnswer, isEventRecorded: boolean): void {
  if (answer.injection === undefined) return;
  const { hook, activity: _, ...rest } = request.event;
  // Only one of the two records counts as a run of the hook.
  const run = hook !== undefined && !isEventRecorded ? { hook } : {};
  const event: CapturedEvent = { ...rest, ...run, activity: { kind: "injection" }, injection: answer.injection };
  // Not synced: losing it in a power cut does no harm.
  writeDrop(request.paths.spool, event, { isDurable: false });
}

/** Nothing has happened yet, or the transcript will record it. */
export function isLookupOnly({ activity: { kind } }: CapturedEvent, wire: HookWire): boolean {
  return ["tool-start", "subagent-start"].includes(kind) || (kind === "tool-use" && wire.toolsFromTranscript === true);
}

/** Shorter prompts are replies. */
const MIN_PROMPT_CHARS = 12;

function isWorthLookup({ event, settings, paths }: InjectRequest): boolean {
  const { activity } = event;
  const isOn = (surface: string) => (settings.surfaces as readonly string[]).includes(surface);
  const hasDatabase = () => statOf(paths.database) !== undefined;
  switch (activity.kind) {
    case "session-start":
      return isOn("session-start") || isOn("compaction");
    case "prompt":
      return (
        isOn("prompt") && activity.text.length >= MIN_PROMPT_CHARS && !/^\s*[/!]/.test(activity.text) && hasDatabase()
      );
    case "tool-use":
      return isOn("error") && activity.isError && activity.exitCode !== undefined && hasDatabase();
    case "subagent-start":
      return isOn("subagent") && hasDatabase();
    case "tool-start": {
      const surface = activity.path !== undefined ? "file" : activity.name === "Bash" ? "command" : "subagent";
      const subject = activity.path ?? (activity.input as { command?: unknown } | null)?.command;
      // Once per file and session, and once more when it is changed: most tool calls end here.
      const wasLookedUp = () =>
        typeof subject === "string" &&
        readShown(paths.shown, readerId(event)).includes(lookupKey(activity.name, subject));
      return isOn(surface) && hasDatabase() && !wasLookedUp();
    }
    default:
      return false;
  }
}
