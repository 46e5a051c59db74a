// Decides whether an event may need context. If so, loads the bundle that opens the database and finds the context.
import { join } from "node:path";
import type { HookWire } from "../agents/hook-wire.ts";
import { LINES_KEY, lookupKey, noteShown, readShown } from "../capture/live/shown-items.ts";
import { writeDrop } from "../capture/live/spool.ts";
import type { CapturedEvent } from "../core/event.ts";
import { runWithBytecodeCache } from "../platform/bytecode-cache.ts";
import { statOf } from "../platform/read-file.ts";
import { logHookError } from "./log.ts";
import { contextOwner, type InjectAnswer, type InjectRequest, type LookupBundle, type StartBundle } from "./types.ts";

/** Never throws: an error is logged, and nothing is injected. */
export function requestContext(request: InjectRequest, hook: string): InjectAnswer | undefined {
  const { event, paths } = request;
  try {
    if (!isWorthLookup(request)) return undefined;
    // Two bundles: only a session start drains the spool and so needs the code that writes to the database.
    const answer =
      event.activity.kind === "session-start"
        ? (load("context.cjs", request) as StartBundle).contextForStart(request)
        : (load("recall.cjs", request) as LookupBundle).contextForEvent(request);
    if (answer !== undefined && answer.keys.length > 0) noteShown(paths.shown, contextOwner(event), answer.keys);
    return answer;
  } catch (error) {
    logHookError(paths.hookLog, hook, error);
    return undefined;
  }
}

function load(bundle: string, { event, paths }: InjectRequest): unknown {
  return runWithBytecodeCache(join(import.meta.dirname, bundle), { folder: paths.cache, use: event.activity.kind });
}

/** Writes an injection as a separate drop, not as part of its event. */
export function recordInjection(request: InjectRequest, answer: InjectAnswer, isEventRecorded: boolean): void {
  if (answer.injection === undefined) return;
  const { hook, activity: _, ...rest } = request.event;
  // If the event is recorded, too, only its drop names the hook, so that each run is counted once.
  const run = hook !== undefined && !isEventRecorded ? { hook } : {};
  const event: CapturedEvent = { ...rest, ...run, activity: { kind: "injection" }, injection: answer.injection };
  // Not synced: losing it in a power cut does no harm.
  writeDrop(request.paths.spool, event, { isDurable: false });
}

/** Events that are not recorded: tool and subagent starts, and tool uses that the transcript will record. */
export function isLookupOnly({ activity: { kind } }: CapturedEvent, wire: HookWire): boolean {
  return ["tool-start", "subagent-start"].includes(kind) || (kind === "tool-use" && wire.toolsFromTranscript === true);
}

/** Shorter prompts are replies such as "yes, do it". */
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
      // For each tool, a file or command is looked up once per session. Most tool calls repeat one, so they stop here.
      const wasLookedUp = () => {
        if (typeof subject !== "string") return false;
        const known = readShown(paths.shown, contextOwner(event));
        // A file with decisions behind some of its lines is looked up before every edit.
        const hasLines =
          activity.name !== "Read" && surface === "file" && known.includes(lookupKey(LINES_KEY, subject));
        return known.includes(lookupKey(activity.name, subject)) && !hasLines;
      };
      return isOn(surface) && hasDatabase() && !wasLookedUp();
    }
    default:
      return false;
  }
}
