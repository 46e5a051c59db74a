// Decides whether a live event is recorded (excluded folder? private turn?) and redacts it before it is written.
import { dirname, join } from "node:path";
import type { Paths } from "../../config/paths.ts";
import type { Settings } from "../../config/schema.ts";
import { cached } from "../../core/cached.ts";
import type { Activity, AgentEvent, CapturedEvent, FileTouch } from "../../core/event.ts";
import { asObject, asString } from "../../core/json.ts";
import { isSkippedTool } from "../../core/own-tools.ts";
import { filterText, filterValue } from "../../core/privacy/filter.ts";
import { isWhollyPrivate } from "../../core/privacy/private-tags.ts";
import type { CaptureContext } from "../capture-context.ts";
import { covers } from "../covers.ts";
import { isExcludedFile } from "../ignore-files.ts";
import { branchOf, type Place, storedPath } from "../project.ts";
import { admitIds } from "./ids.ts";
import { beginPrivateTurn, endPrivateTurn, isPrivateTurn } from "./private-turn.ts";

/** Why an event is not recorded. "nothing": skipped tool, excluded file, machine prompt, or no text is left. */
export type SkipReason = "excluded" | "private" | "nothing";

export function admitEvent(
  reported: AgentEvent,
  context: CaptureContext,
  { privateTurns }: Pick<Paths, "privateTurns">,
): CapturedEvent | SkipReason {
  // The ids come first, because the check for private turns names a marker file after the session id.
  const event = admitIds(reported);
  if (context.isExcluded || isTranscriptExcluded(event, context.settings.excludePaths)) return "excluded";
  if (trackPrivateTurn(privateTurns, event)) return "private";
  return redactEvent(event, context) ?? "nothing";
}

/** If `excludePaths` covers a session's transcript, its live events are not recorded either. */
function isTranscriptExcluded(
  { transcriptPath, sessionId, agentId }: AgentEvent,
  patterns: readonly string[],
): boolean {
  if (transcriptPath === undefined || patterns.length === 0) return false;
  // transcriptPath is the parent session's; a subagent's file is <session>/subagents/agent-<id>.jsonl.
  const own = agentId && join(dirname(transcriptPath), sessionId, "subagents", `agent-${agentId}.jsonl`);
  return patterns.some((pattern) => covers(pattern, transcriptPath) || (own && covers(pattern, own)));
}

/** Updates the session's marker file. Returns true for an event of a private turn. */
function trackPrivateTurn(folder: string, event: AgentEvent): boolean {
  const { activity, sessionId } = event;
  if (activity.kind === "session-start" || activity.kind === "session-end") return false;
  if (activity.kind !== "prompt") return isPrivateTurn(folder, event);
  const isPrivate = isWhollyPrivate(activity.text);
  if (isPrivate) beginPrivateTurn(folder, sessionId, activity.promptId);
  else endPrivateTurn(folder, sessionId);
  return isPrivate;
}

/** Adds the project, filters private text and secrets, cuts long texts. Undefined: nothing is left to record. */
export function redactEvent(
  reported: AgentEvent,
  { place, settings, project }: CaptureContext,
): CapturedEvent | undefined {
  const event = admitIds(reported);
  const activity = redactActivity(event.activity, place, settings);
  if (activity === undefined) return undefined;
  const { branch = branchOf(place), ...rest } = event;
  return {
    ...rest,
    cwd: filterRepeated(event.cwd),
    ...(event.agentType !== undefined && { agentType: label(event.agentType) }),
    ...(event.transcriptPath !== undefined && { transcriptPath: filterRepeated(event.transcriptPath) }),
    activity,
    project,
    ...(branch !== undefined && branch !== "" && { branch: filterRepeated(branch) }),
  };
}

/** Limit of a tool output, prompt or answer; of a longer one the beginning and the end are kept. */
const MAX_TEXT_CHARS = 32_000;
/** Limit of each value in a tool's input. */
const MAX_INPUT_CHARS = 20_000;

/** Every event of a session repeats the same few folders, files and branches: each is filtered once. */
const repeated = new Map<string, string>();
const MAX_REPEATED = 1_000;

function filterRepeated(text: string): string {
  if (repeated.size >= MAX_REPEATED) repeated.clear();
  return cached(repeated, text, () => filterText(text));
}

const TEXTS = ["text", "response", "output", "thinking", "title", "plan", "summary"];
/** Usually one or two words, but filtered like text: the agent may send anything. */
const LABELS = ["source", "reason"];

function redactActivity(reported: Activity, place: Place, settings: Settings): Activity | undefined {
  const activity = withoutExcluded(reported, place, settings);
  if (activity === undefined) return undefined;
  const fields: Record<string, unknown> = { ...activity };
  const replace = (keys: readonly string[], filter: (text: string) => string): void => {
    for (const key of keys) if (typeof fields[key] === "string") fields[key] = filter(fields[key]);
  };
  replace(TEXTS, (text) => filterText(text, MAX_TEXT_CHARS));
  replace(LABELS, label);
  replace(["name"], filterRepeated);
  replace(["path"], (path) => filterText(storedPath(path, place)));
  if ("input" in activity) fields["input"] = filterValue(activity.input, MAX_INPUT_CHARS);
  if ("files" in activity) fields["files"] = activity.files.map((file) => filterFile(file, place));
  const isEmpty = activity.kind === "prompt" && String(fields["text"]).trim() === "";
  return isEmpty ? undefined : (fields as Activity);
}

/** If any of these is in skipTools, file snapshots are skipped, too. */
const EDITING_TOOLS = ["Edit", "Write", "MultiEdit", "NotebookEdit"];

function withoutExcluded(
  activity: Activity,
  place: Place,
  { skipTools, excludePaths }: Settings,
): Activity | undefined {
  const isExcluded = (path: string): boolean => isExcludedFile(path, place, excludePaths);
  switch (activity.kind) {
    case "machine-prompt":
      return undefined;
    case "tool-use": {
      // A tool use with an excluded file is skipped: its input and output may show the file's content.
      const paths = new Set([...activity.files.map((file) => file.path), ...pathsIn(activity.input)]);
      return isSkippedTool(activity.name, skipTools) || [...paths].some(isExcluded) ? undefined : activity;
    }
    case "tool-start":
      return activity.path !== undefined && isExcluded(activity.path) ? undefined : activity;
    case "file-snapshot": {
      if (EDITING_TOOLS.some((name) => isSkippedTool(name, skipTools))) return undefined;
      const files = activity.files.filter((file) => !isExcluded(file.path));
      return files.length === 0 ? undefined : { ...activity, files };
    }
    default:
      return activity;
  }
}

/** Only the start of a command is searched for paths: the rest is usually text that the command writes. */
const MAX_COMMAND_CHARS = 4_000;
const PATH_KEYS = ["file_path", "path", "notebook_path"];

/** The paths in a tool's input. In a command, each word with a dot or a slash may be one. */
function pathsIn(input: unknown): string[] {
  const fields = asObject(input) ?? {};
  const paths = PATH_KEYS.flatMap((key) => asString(fields[key]) ?? []);
  const words = (asString(fields["command"]) ?? "").slice(0, MAX_COMMAND_CHARS).split(/[\s"'`|;&<>()=]+/);
  return [...paths, ...words.filter((word) => /[./]/.test(word))];
}

function label(text: string): string {
  return filterText(text, 200);
}

function filterFile(file: FileTouch, place: Place): FileTouch {
  return {
    ...file,
    path: filterRepeated(storedPath(file.path, place)),
    ...(file.backup !== undefined && { backup: label(file.backup) }),
  };
}
