// Makes an agent's event ready for disk: tied to its project, filtered of everything private, capped. Nothing is
// written before this has run.
import type { LoadedSettings } from "../config/load.ts";
import type { Settings } from "../config/schema.ts";
import type { Activity, AgentEvent, CapturedEvent, FileTouch } from "../core/event.ts";
import { filterText, filterValue } from "../core/filter.ts";
import { branchOf, identifyProject, type Place, storedPath } from "./project.ts";

/** Returns undefined when nothing of the event may or need be kept. */
export function captureEvent(event: AgentEvent, place: Place, settings: LoadedSettings): CapturedEvent | undefined {
  const activity = filterActivity(event.activity, place, settings.values);
  if (activity === undefined) return undefined;
  const project = identifyProject(place, settings);
  const branch = event.branch ?? branchOf(place);
  const { branch: _, ...rest } = event;
  return {
    ...rest,
    cwd: filterText(event.cwd),
    ...(event.agentType !== undefined && { agentType: label(event.agentType) }),
    ...(event.transcriptPath !== undefined && { transcriptPath: filterText(event.transcriptPath) }),
    activity,
    project: {
      key: filterText(project.key),
      name: filterText(project.name),
      root: filterText(project.root),
      ...(project.remote !== undefined && { remote: filterText(project.remote) }),
    },
    ...(branch !== undefined && branch !== "" && { branch: filterText(branch) }),
  };
}

function filterActivity(activity: Activity, place: Place, settings: Settings): Activity | undefined {
  const clean = (text: string) => filterText(text, settings.maxOutputChars);
  switch (activity.kind) {
    case "prompt": {
      const text = clean(activity.text);
      return text.trim() === "" ? undefined : { ...activity, text };
    }
    case "turn-end":
      return activity.response === undefined ? activity : { ...activity, response: clean(activity.response) };
    case "tool-use":
      if (settings.skipTools.includes(activity.name)) return undefined;
      return {
        ...activity,
        name: filterText(activity.name),
        input: filterValue(activity.input, settings.maxInputChars),
        ...(activity.output !== undefined && { output: clean(activity.output) }),
        files: activity.files.map((file) => filterFile(file, place)),
      };
    case "machine-prompt":
      return undefined;
    case "session-start":
      return {
        ...activity,
        source: label(activity.source),
        ...(activity.model !== undefined && { model: label(activity.model) }),
      };
    case "session-end":
      return { ...activity, reason: label(activity.reason) };
    case "checkpoint":
      return activity;
  }
}

/** For what should be a word or two, but comes from outside. */
function label(text: string): string {
  return filterText(text, 200);
}

function filterFile(file: FileTouch, place: Place): FileTouch {
  return { ...file, path: filterText(storedPath(file.path, place)) };
}
