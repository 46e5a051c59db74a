// Finds the context for a prompt, tool or subagent event. Opens the database read-only. Built as recall.cjs.
import { describeTree } from "../capture/work-tree.ts";
import { LINES_KEY, lookupKey, noteShown, readShown } from "../capture/live/shown-items.ts";
import { shortHash } from "../core/hash.ts";
import type { Surface } from "../core/event.ts";
import { asObject, asString } from "../core/json.ts";
import type { Block } from "../recall/inject/block.ts";
import { throttleLevel } from "../recall/inject/throttle.ts";
import {
  idsForTask,
  contextForCommand,
  contextForFailure,
  contextForEdit,
  contextForFile,
  contextForIds,
  contextForPrompt,
  type EventRequest,
} from "../recall/inject/event-context.ts";
import type { PlannedEdit } from "../recall/inject/line-notes.ts";
import { type Db, hasSqlite, openDriver } from "../store/db/driver.ts";
import { findProject } from "../store/tables/projects.ts";
import { findSession } from "../store/tables/sessions.ts";
import { contextOwner, type InjectAnswer, type InjectRequest, isHeldOut } from "./types.ts";

/** A WAL database blocks readers only during recovery after a crash. If that takes longer, nothing is injected. */
const BUSY_TIMEOUT_MS = 20;

export function contextForEvent(request: InjectRequest): InjectAnswer | undefined {
  if (!hasSqlite() || isHeldOut(request)) return undefined;
  // Never closed: the process ends anyway.
  const db = openDriver(request.paths.database, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    const project = findProject(db, request.event.project.key);
    return project && contextForActivity(db, request, (surface) => eventRequest(db, request, project.id, surface));
  } catch (error) {
    // Another process is just creating the database and its tables.
    if (/^no such table\b/.test((error as Error).message)) return undefined;
    throw error;
  }
}

/** Getters, because most lookups find nothing and never need these values. */
function eventRequest(
  db: Db,
  { event, place, paths }: InjectRequest,
  projectId: number,
  surface: Surface,
): EventRequest {
  return {
    projectId,
    // Items of the current session are left out, except for a subagent, which has not seen them.
    get ownSessionId() {
      return event.agentId === undefined ? findSession(db, event.sessionId)?.id : undefined;
    },
    get tree() {
      return describeTree(place, event.transcriptPath);
    },
    get shown() {
      return new Set(readShown(paths.shown, contextOwner(event)));
    },
    get throttle() {
      return throttleLevel(db, surface, event.at);
    },
    now: event.at,
  };
}

function contextForActivity(
  db: Db,
  { event, paths }: InjectRequest,
  on: (surface: Surface) => EventRequest,
): InjectAnswer | undefined {
  const { activity, sessionId } = event;
  switch (activity.kind) {
    case "prompt":
      return toAnswer("prompt", contextForPrompt(db, activity.text, on("prompt")));
    case "tool-use":
      return toAnswer("error", contextForFailure(db, commandOf(activity.input), activity.output ?? "", on("error")));
    case "tool-start": {
      const { name, path, input } = activity;
      if (path !== undefined) {
        if (name === "Read")
          return toAnswer("file", contextForFile(db, path, false, on("file")), [lookupKey(name, path)]);
        return answerForEdit(db, { name, input, path }, { event, paths }, on("file"));
      }
      const fields = asObject(input);
      const command = commandOf(input);
      if (command !== undefined) {
        return toAnswer("command", contextForCommand(db, command, on("command")), [lookupKey("Bash", command)]);
      }
      // The prompt of the Agent tool is the task of the subagent that it starts.
      const task = asString(fields?.["prompt"]);
      if (task === undefined) return undefined;
      const ids = idsForTask(db, `${asString(fields?.["description"]) ?? ""}\n${task}`, on("subagent"));
      return { keys: [`task=${shortHash(asString(fields?.["subagent_type"]) ?? DEFAULT_TYPE)}:${ids.join(",")}`] };
    }
    case "subagent-start": {
      const ids = takeTaskIds(paths.shown, sessionId, event.agentType);
      return ids && toAnswer("subagent", contextForIds(db, ids, on("subagent")));
    }
    default:
      return undefined;
  }
}

/** The file is looked up before its first edit; its lines before every edit, if decisions stand behind some of them. */
function answerForEdit(
  db: Db,
  edit: PlannedEdit,
  { event, paths }: Pick<InjectRequest, "event" | "paths">,
  request: EventRequest,
): InjectAnswer {
  const { name, path } = edit;
  const known = readShown(paths.shown, contextOwner(event));
  const isFirst = !known.includes(lookupKey(name, path));
  const { block, mayHaveMore } = contextForEdit(db, edit, isFirst, request);
  const linesKey = lookupKey(LINES_KEY, path);
  const keys = [
    ...(isFirst ? [lookupKey(name, path)] : []),
    ...(mayHaveMore && !known.includes(linesKey) ? [linesKey] : []),
  ];
  return toAnswer("file", block, keys);
}

function commandOf(input: unknown): string | undefined {
  return asString(asObject(input)?.["command"]);
}

const DEFAULT_TYPE = "general-purpose";

/** The ids found before the Agent tool ran. The nth subagent of a type takes the ids of the nth task of that type. */
function takeTaskIds(shown: string, sessionId: string, agentType = DEFAULT_TYPE): number[] | undefined {
  const type = shortHash(agentType);
  const keys = readShown(shown, sessionId);
  const tasks = keys.filter((key) => key.startsWith(`task=${type}:`));
  const task = tasks[keys.filter((key) => key === `took=${type}`).length];
  if (task === undefined) return undefined;
  noteShown(shown, sessionId, [`took=${type}`]);
  return (task.split(":")[1] ?? "").split(",").filter(Boolean).map(Number);
}

function toAnswer(surface: Surface, { text, items, tokens }: Block, keys: string[] = []): InjectAnswer {
  if (text === "") return { keys };
  return { text, keys: [...keys, ...items], injection: { surface, itemIds: items, chars: text.length, tokens } };
}
