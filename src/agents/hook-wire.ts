// Converts an agent's hook payloads to events, and answers in the form it accepts. Each agent is one HookFormat.
import type { Activity, AgentEvent } from "../core/event.ts";
import { asObject, asString, type JsonObject, payloadTime } from "../core/json.ts";
import { defined, type Loose, ownValue } from "./fields.ts";

export interface HookCall {
  command: string;
  payload: unknown;
  /** Called only when the payload names no folder. */
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
  /** Undefined when the payload has nothing to record. */
  event(call: HookCall): AgentEvent | undefined;
  /** The JSON to print; undefined prints nothing. */
  answer(command: string, activity: Activity | undefined, output: HookOutput): object | undefined;
  /** Its transcript has more about a tool use than its hooks: tool uses are recorded from the transcript only. */
  toolsFromTranscript?: true;
  /** For an agent whose hooks cannot inject text: the file in the working tree that it reads instead. */
  rulesFile?: string;
}

type EventReader = (payload: JsonObject, call: HookCall, cwd: string) => Loose<Activity> | undefined;

/** The readers of one hook command by event name, or one reader where payloads do not name their event. */
type EventReaders = EventReader | Readonly<Record<string, EventReader>>;

export interface HookFormat extends Omit<HookWire, "event" | "answer">, Partial<Pick<HookWire, "answer">> {
  agent: string;
  events: Readonly<Record<string, EventReaders>>;
  /** The field of the answer that takes the text. Without it the agent takes the answer that Claude Code takes. */
  textField?: string;
  /** A payload that names no event stands for the first event of its command. */
  isFirstEventAssumed?: true;
  /** Undefined `sessionId`: the payload is not from this agent. */
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

/** The answer that Claude Code takes, and agents that copy its hooks. */
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
