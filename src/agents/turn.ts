// The current turn of a reader, for every agent: the session, the prompt, the newest answer, whether the turn is
// private. It is plain JSON, because it is part of a reader's stored state.
import type { Activity, AgentEvent } from "../core/event.ts";
import { isWhollyPrivate } from "../core/privacy/private-tags.ts";
import { defined, type Loose } from "./fields.ts";
import type { TranscriptFile } from "./transcript.ts";

type Stamp = Pick<AgentEvent, "at" | "copiedFrom">;

export interface Turn {
  header: Omit<AgentEvent, "activity">;
  promptId?: string;
  /** The assistant's newest text in this turn, which becomes the turn's response. */
  response?: Stamp & { text: string };
  /** Set if the newest line ends the turn: a last message or an interruption. */
  end?: Stamp & { isInterrupted: boolean };
  isPrivate: boolean;
  /** True after a wholly private prompt: titles and compactions of the session may repeat it. */
  wasPrivate: boolean;
}

export function startTurn(file: TranscriptFile): Turn {
  return {
    header: { agent: file.agent, sessionId: file.sessionId, transcriptPath: file.path, cwd: "", at: 0 },
    isPrivate: false,
    wasPrivate: false,
  };
}

/** Ends the current turn and begins the next. A turn with a wholly private prompt gives no events. */
export function beginTurn(turn: Turn, promptId: string, text: string, at?: number): AgentEvent[] {
  const ended = endTurn(turn);
  delete turn.response;
  delete turn.end;
  turn.promptId = promptId;
  turn.isPrivate = isWhollyPrivate(text);
  turn.wasPrivate ||= turn.isPrivate;
  return [...ended, ...emit(turn, { kind: "prompt", promptId, text }, at)];
}

/** Notes what the newest line shows: the agent works (a call or result), has ended the turn, or was interrupted. */
export function markTurn(turn: Turn, now: "working" | "ended" | "interrupted"): void {
  if (now === "working") delete turn.end;
  else turn.end = { isInterrupted: now === "interrupted", ...stamp(turn) };
}

export function setResponse(turn: Turn, text: string): void {
  if (text !== "") turn.response = { text, ...stamp(turn) };
}

function stamp({ header: { at, copiedFrom } }: Turn) {
  return defined<Stamp>({ at, copiedFrom });
}

/** Call at the end of a file. Emits the turn's end or, if the turn may continue, its response. Changes no state. */
export function endOfTurn(turn: Turn): AgentEvent[] {
  const { response, end, promptId } = turn;
  if (end !== undefined) return endTurn(turn);
  return response === undefined ? [] : emitAt(turn, response, { kind: "response", promptId, text: response.text });
}

function endTurn(turn: Turn): AgentEvent[] {
  const { response, end, promptId } = turn;
  const isInterrupted = end?.isInterrupted === true || undefined;
  const source = isInterrupted ? end : (response ?? end);
  if (source === undefined) return [];
  return emitAt(turn, source, { kind: "turn-end", promptId, response: response?.text, isInterrupted });
}

/** Emits the event at the time of `source`. In a fork, the event counts as copied if `source` was copied. */
function emitAt(turn: Turn, source: Stamp, activity: Loose<Activity>): AgentEvent[] {
  const { copiedFrom, at } = source;
  return emit({ ...turn, header: defined<Turn["header"]>({ ...turn.header, copiedFrom }) }, activity, at);
}

/** Returns the activity as an event; nothing in a private turn, or for a text that may repeat a private prompt. */
export function emit(turn: Turn, activity: Loose<Activity>, at = turn.header.at): AgentEvent[] {
  const isAboutSession = ["title", "compaction", "file-snapshot"].includes(activity.kind);
  if (turn.isPrivate || (turn.wasPrivate && isAboutSession)) return [];
  return [{ ...turn.header, at, activity: defined<Activity>(activity) }];
}

/** Emits an assistant message in the current turn, unless it has no text, thinking or token counts. */
export function emitMessage(
  turn: Turn,
  { text, thinking, ...rest }: Omit<Loose<Extract<Activity, { kind: "message" }>>, "kind" | "role" | "promptId">,
): AgentEvent[] {
  if (text.trim() === "" && !thinking && rest.tokens === undefined) return [];
  const message = { kind: "message", role: "assistant", text, thinking: thinking || undefined, ...rest } as const;
  return emit(turn, { ...message, promptId: turn.promptId });
}

/** The turn in a reader's state. */
export function turnOf(state: unknown): Turn | undefined {
  return (state as { turn?: Turn } | null)?.turn;
}
