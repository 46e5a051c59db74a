// The reading half of most hooks: opens the database and asks recall. Built as recall.cjs, loaded only where it is needed.
import { describeTree } from "../capture/work-tree.ts";
import { lookedUp, noteShown, readShown } from "../capture/live/shown-items.ts";
import { shortHash } from "../core/hash.ts";
import type { CapturedEvent, Surface } from "../core/event.ts";
import { throttleLevel } from "../recall/inject/throttle.ts";
import {
  idsForTask,
  contextForCommand,
  contextForFailure,
  contextForFile,
  contextForIds,
  contextForPrompt,
  type EventContext,
  type EventRequest,
} from "../recall/inject/event-context.ts";
import { type Db, hasSqlite, openDriver } from "../store/db/driver.ts";
import { findProject } from "../store/tables/projects.ts";
import { findSession } from "../store/tables/sessions.ts";
import { isHeldOut, readerOf, type TellAnswer, type TellInput } from "./types.ts";

/** Readers of a WAL database wait for nobody, but for a moment after a crash; then memory is silent. */
const BUSY_TIMEOUT_MS = 20;

export function tell(input: TellInput): TellAnswer | undefined {
  if (!hasSqlite() || isHeldOut(input)) return undefined;
  // Not closed: the process ends anyway.
  const db = openDriver(input.paths.database, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    return answer(db, input);
  } catch (error) {
    // Another process is just making the store: there is nothing in it to tell.
    if (/^no such table\b/.test((error as Error).message)) return undefined;
    throw error;
  }
}

function answer(db: Db, input: TellInput): TellAnswer | undefined {
  const { event } = input;
  const { activity } = event;
  const project = findProject(db, event.project.key);
  if (project === undefined) return undefined;
  const request = (surface: Surface): EventRequest => requestFor(db, input, project.id, surface);
  switch (activity.kind) {
    case "prompt":
      return toAnswer("prompt", contextForPrompt(db, activity.text, request("prompt")), []);
    case "tool-use":
      return toAnswer("error", contextForFailure(db, activity.output ?? "", request("error")), []);
    case "tool-start":
      return beforeTool(db, event, request);
    case "subagent-start":
      return forSubagent(db, input, request("subagent"));
    default:
      return undefined;
  }
}

/** Looked up only where it matters: mostly there is nothing to say, and that is to be known soon. */
function requestFor(db: Db, { event, place, paths }: TellInput, projectId: number, surface: Surface): EventRequest {
  return {
    projectId,
    // A subagent knows nothing of what the session that started it has done.
    get ownSessionId() {
      return event.agentId === undefined ? findSession(db, event.sessionId)?.id : undefined;
    },
    get tree() {
      return describeTree(place, event.transcriptPath);
    },
    get shown() {
      return new Set(readShown(paths.shown, readerOf(event)));
    },
    get throttle() {
      return throttleLevel(db, surface, event.at);
    },
    now: event.at,
  };
}

function beforeTool(db: Db, event: CapturedEvent, request: (surface: Surface) => EventRequest): TellAnswer | undefined {
  const { activity } = event;
  if (activity.kind !== "tool-start") return undefined;
  const input = activity.input as Record<string, unknown>;
  if (activity.path !== undefined) {
    const told = contextForFile(db, activity.path, activity.name !== "Read", request("file"));
    return toAnswer("file", told, [lookedUp(activity.name, activity.path)]);
  }
  const { command, prompt, description, subagent_type: type } = input;
  if (typeof command === "string") {
    return toAnswer("command", contextForCommand(db, command, request("command")), [lookedUp("Bash", command)]);
  }
  if (typeof prompt !== "string") return undefined;
  const task = `${typeof description === "string" ? description : ""}\n${prompt}`;
  const ids = idsForTask(db, task, request("subagent"));
  return { keys: [`task=${shortHash(String(type ?? DEFAULT_TYPE))}:${ids.join(",")}`] };
}

const DEFAULT_TYPE = "general-purpose";

/** Its task was seen when it was asked for; several of one kind start in the order they were asked for. */
function forSubagent(db: Db, { event, paths }: TellInput, request: EventRequest): TellAnswer | undefined {
  const type = shortHash(event.agentType ?? DEFAULT_TYPE);
  const noted = readShown(paths.shown, event.sessionId);
  const tasks = noted.filter((key) => key.startsWith(`task=${type}:`));
  const started = noted.filter((key) => key === `took=${type}`).length;
  const ids = (tasks[started]?.split(":")[1] ?? "").split(",").filter(Boolean).map(Number);
  if (tasks[started] === undefined) return undefined;
  noteShown(paths.shown, event.sessionId, [`took=${type}`]);
  return toAnswer("subagent", contextForIds(db, ids, request), []);
}

function toAnswer(surface: Surface, { text, items, tokens }: EventContext, keys: string[]): TellAnswer {
  if (text === "") return { keys };
  return { text, keys: [...keys, ...items], injection: { surface, itemIds: items, chars: text.length, tokens } };
}
