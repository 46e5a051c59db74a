// Converts an agent's hook payloads to events, and builds answers in the form that the agent accepts. Each agent is
// described by one HookFormat.
import type { Activity, AgentEvent } from "../core/event.ts";
import { asObject, asString, type JsonObject, payloadTime } from "../core/json.ts";
import { defined, type Loose, ownValue } from "./fields.ts";

export interface HookCall {
  command: string;
  payload: unknown;
  /** Returns the current folder. Called only if the payload names no folder. */
  cwd: () => string;
  /** Reads the last part of a transcript. */
  readEnd: (path: string) => string | undefined;
  at: number;
  env: Readonly<Record<string, string | undefined>>;
}

/** The answer of a hook: `text` goes to the model, `message` to the user. */
export interface HookOutput {
  text?: string;
  message?: string;
}

export interface HookWire {
  /** Undefined if the payload has nothing to record. */
  event(call: HookCall): AgentEvent | undefined;
  /** Returns the JSON to print, or undefined to print nothing. */
  answer(command: string, activity: Activity | undefined, output: HookOutput): object | undefined;
  /** True if tool uses are recorded only from the transcript, which has more about them than the hooks. */
  toolsFromTranscript?: true;
  /** A rules file in the working tree through which the agent also gets context. */
  rulesFile?: string;
}

type EventReader = (payload: JsonObject, call: HookCall, cwd: string) => Loose<Activity> | undefined;

/** The readers of one hook command by event name, or a single reader if payloads do not name their event. */
type EventReaders = EventReader | Readonly<Record<string, EventReader>>;

export interface HookFormat extends Omit<HookWire, "event" | "answer">, Partial<Pick<HookWire, "answer">> {
  agent: string;
  events: Readonly<Record<string, EventReaders>>;
  /** The field of the answer that has the text. Undefined: the answer has Claude Code's form. */
  textField?: string;
  /** True if a payload without an event name is read as the first event of its command. */
  isFirstEventAssumed?: true;
  /** The session, folder and version. Without a `sessionId` the payload is ignored. */
  header(payload: JsonObject, call: HookCall): Loose<Partial<Omit<AgentEvent, "agent" | "at" | "activity">>>;
}

export function hookWire({ agent, events, isFirstEventAssumed, textField, header, ...wire }: HookFormat): HookWire {
  return {
    answer: (command, _activity, output) =>
      textField === undefined
        ? hookSpecificAnswer(firstEvent(ownValue(events, command)), output)
        : output.text === undefined
          ? {}
          : { [textField]: output.text },
    ...wire,
    event(call) {
      const payload = asObject(call.payload) ?? {};
      const { sessionId, ...fields } = header(payload, call);
      if (sessionId === undefined) return undefined;
      const cwd = fields.cwd || asString(payload["cwd"]) || call.cwd();
      const activity = findReader(ownValue(events, call.command), payload, isFirstEventAssumed)?.(payload, call, cwd);
      if (activity === undefined) return undefined;
      return defined<AgentEvent>({
        agent,
        sessionId,
        transcriptPath: asString(payload["transcript_path"]),
        at: payloadTime(payload["timestamp"], call.at),
        ...fields,
        cwd,
        activity: defined<Activity>(activity),
      });
    },
  };
}

function findReader(readers: EventReaders | undefined, payload: JsonObject, isFirstAssumed: true | undefined) {
  if (typeof readers !== "object") return readers;
  return ownValue(readers, asString(payload["hook_event_name"]) ?? (isFirstAssumed && firstEvent(readers)));
}

function firstEvent(readers: EventReaders | undefined): string | undefined {
  return typeof readers === "object" ? Object.keys(readers)[0] : undefined;
}

/** The form of answer that is accepted by Claude Code and by agents that copied its hooks. */
export function hookSpecificAnswer(hookEventName: string | undefined, { text, message }: HookOutput): object {
  return {
    ...(message !== undefined && { systemMessage: message }),
    ...(text !== undefined && { hookSpecificOutput: { hookEventName, additionalContext: text } }),
  };
}

export function readSessionStart(payload: JsonObject): Loose<Activity> {
  const source = asString(payload["source"]) ?? "startup";
  return { kind: "session-start", source, model: asString(payload["model"]) };
}

export function readSessionEnd(payload: JsonObject): Activity {
  return { kind: "session-end", reason: asString(payload["reason"]) ?? "other" };
}

/** Undefined for an empty prompt. */
export function promptActivity(text: string | undefined, promptId?: string): Loose<Activity> | undefined {
  return text === undefined || text.trim() === "" ? undefined : { kind: "prompt", promptId, text };
}
