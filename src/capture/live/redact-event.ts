// Makes an agent's event ready for disk: tied to its project, filtered of everything private, capped. Nothing is
// written before this has run.
import type { Settings } from "../../config/schema.ts";
import type { Activity, AgentEvent, CapturedEvent, FileTouch } from "../../core/event.ts";
import { filterText, filterValue } from "../../core/privacy/filter.ts";
import { isUnrecorded } from "../../core/own-tools.ts";
import { admitIds } from "./ids.ts";
import { isHiddenFile } from "../ignore-files.ts";
import { branchOf, type Place, storedPath } from "../project.ts";
import type { CaptureContext } from "../capture-context.ts";

/** Returns undefined when nothing of the event may or need be kept. */
export function redactEvent(
  reported: AgentEvent,
  { place, settings, project }: CaptureContext,
): CapturedEvent | undefined {
  const event = admitIds(reported);
  const activity = filterActivity(event.activity, place, settings);
  if (activity === undefined) return undefined;
  const branch = event.branch ?? branchOf(place);
  const { branch: _, ...rest } = event;
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

/** Longest tool output, prompt or answer kept; longer ones keep head and tail. */
const MAX_TEXT_CHARS = 32_000;
/** Longest text kept of each value in a tool's input. */
const MAX_INPUT_CHARS = 20_000;

/** The same few folders, files and branches stand in every event of a session: each is filtered once. */
const repeated = new Map<string, string>();
const MAX_REPEATED = 1_000;

function filterRepeated(text: string): string {
  const known = repeated.get(text);
  if (known !== undefined) return known;
  if (repeated.size >= MAX_REPEATED) repeated.clear();
  const filtered = filterText(text);
  repeated.set(text, filtered);
  return filtered;
}

function filterActivity(activity: Activity, place: Place, settings: Settings): Activity | undefined {
  const clean = (text: string) => filterText(text, MAX_TEXT_CHARS);
  switch (activity.kind) {
    case "prompt": {
      const text = clean(activity.text);
      return text.trim() === "" ? undefined : { ...activity, text };
    }
    case "turn-end":
      return activity.response === undefined ? activity : { ...activity, response: clean(activity.response) };
    case "response":
      return { ...activity, text: clean(activity.text) };
    case "tool-use":
      if (isUnrecorded(activity.name, settings.skipTools) || isHiddenUse(activity, place, settings)) return undefined;
      return {
        ...activity,
        name: filterRepeated(activity.name),
        input: filterValue(activity.input, MAX_INPUT_CHARS),
        ...(activity.output !== undefined && { output: clean(activity.output) }),
        files: activity.files.map((file) => filterFile(file, place)),
      };
    case "file-snapshot": {
      if (EDITING_TOOLS.some((name) => isUnrecorded(name, settings.skipTools))) return undefined;
      const files = activity.files.filter((file) => !isHiddenFile(file.path, place, settings.excludePaths));
      return files.length === 0 ? undefined : { ...activity, files: files.map((file) => filterFile(file, place)) };
    }
    case "message":
      return {
        ...activity,
        text: clean(activity.text),
        ...(activity.thinking !== undefined && { thinking: clean(activity.thinking) }),
      };
    case "title":
      return { ...activity, title: clean(activity.title) };
    case "origin":
      return {
        kind: "origin",
        ...(activity.plan !== undefined && { plan: clean(activity.plan) }),
        ...(activity.forkedFrom !== undefined && { forkedFrom: activity.forkedFrom }),
      };
    case "compaction":
      return { ...activity, summary: clean(activity.summary) };
    case "machine-prompt":
      return undefined;
    case "session-start":
      return { ...activity, source: label(activity.source) };
    case "session-end":
      return { ...activity, reason: label(activity.reason) };
    case "tool-start":
      if (activity.path !== undefined && isHiddenFile(activity.path, place, settings.excludePaths)) return undefined;
      return {
        ...activity,
        name: filterRepeated(activity.name),
        input: filterValue(activity.input, MAX_INPUT_CHARS),
        ...(activity.path !== undefined && { path: filterText(storedPath(activity.path, place)) }),
      };
    case "checkpoint":
    case "subagent-start":
    case "injection":
      return activity;
  }
}

/** Where their calls are not recorded, the files they changed are not either. */
const EDITING_TOOLS = ["Edit", "Write", "MultiEdit", "NotebookEdit"];

type ToolUse = Extract<Activity, { kind: "tool-use" }>;

/** A use of a file that is hidden tells of it in what went in and what came out. Of a command its words are looked at. */
function isHiddenUse({ files, input }: ToolUse, place: Place, { excludePaths }: Settings): boolean {
  const paths = new Set([...files.map((file) => file.path), ...pathsNamed(input)]);
  return [...paths].some((path) => isHiddenFile(path, place, excludePaths));
}

/** Of longer commands the rest is text that is written somewhere. */
const MAX_COMMAND_CHARS = 4_000;
const PATH_KEYS = ["file_path", "path", "notebook_path"];

function pathsNamed(input: unknown): string[] {
  if (typeof input !== "object" || input === null) return [];
  const fields = input as Record<string, unknown>;
  const named = PATH_KEYS.flatMap((key) => (typeof fields[key] === "string" ? [fields[key]] : []));
  const command = fields["command"];
  if (typeof command !== "string") return named;
  // A word with a dot or a slash in it may be a file.
  const words = command.slice(0, MAX_COMMAND_CHARS).split(/[\s"'`|;&<>()=]+/);
  return [...named, ...new Set(words.filter((word) => /[./]/.test(word)))];
}

/** For what should be a word or two, but comes from outside. */
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
