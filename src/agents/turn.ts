// The turn a reader is in, the same for every agent: the session, the current prompt, the newest answer, whether it is
// private. Plain JSON: it is part of a reader's stored state.
import type { Activity, AgentEvent } from "../core/event.ts";
import { isWhollyPrivate } from "../core/privacy/private-tags.ts";
import { defined, type Loose } from "./fields.ts";
import type { TranscriptFile } from "./transcript.ts";

type Stamp = Pick<AgentEvent, "at" | "copiedFrom">;

export interface Turn {
  header: Omit<AgentEvent, "activity">;
  promptId?: string;
  /** The assistant's newest text in this turn; it becomes the turn's response. */
  response?: Stamp & { text: string };
  /** Set while the newest line shows that the turn is over: by its last message or an interruption. */
  end?: Stamp & { isInterrupted: boolean };
  isPrivate: boolean;
  /** An earlier prompt was wholly private: titles and compactions of the session may repeat it. */
  wasPrivate: boolean;
}

export function startTurn(file: TranscriptFile): Turn {
  return {
    header: { agent: file.agent, sessionId: file.sessionId, transcriptPath: file.path, cwd: "", at: 0 },
    isPrivate: false,
    wasPrivate: false,
  };
}

/** Ends the turn before and begins the next. A wholly private prompt and its whole turn give no events. */
export function beginTurn(turn: Turn, promptId: string, text: string, at?: number): AgentEvent[] {
  const ended = endTurn(turn);
  delete turn.response;
  delete turn.end;
  turn.promptId = promptId;
  turn.isPrivate = isWhollyPrivate(text);
  turn.wasPrivate ||= turn.isPrivate;
  return [...ended, ...emit(turn, { kind: "prompt", promptId, text }, at)];
}

/** After the newest line the agent is working (a tool call or its result), has ended the turn, or was interrupted. */
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

/** At the end of a file: the turn's end, or its newest response where it may go on. Changes no state. */
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

/** In a fork the end of a turn is a copy where its last message is one. */
function emitAt(turn: Turn, source: Stamp, activity: Loose<Activity>): AgentEvent[] {
  const { copiedFrom, at } = source;
  return emit({ ...turn, header: defined<Turn["header"]>({ ...turn.header, copiedFrom }) }, activity, at);
}

export function emit(turn: Turn, activity: Loose<Activity>, at = turn.header.at): AgentEvent[] {
  const isAboutSession = ["title", "compaction", "file-snapshot"].includes(activity.kind);
  if (turn.isPrivate || (turn.wasPrivate && isAboutSession)) return [];
  return [{ ...turn.header, at, activity: defined<Activity>(activity) }];
}

/** An assistant's message in the current turn; none without text, thinking and token counts. */
export function emitMessage(
  turn: Turn,
  { text, thinking, ...rest }: Omit<Loose<Extract<Activity, { kind: "message" }>>, "kind" | "role" | "promptId">,
): AgentEvent[] {
  if (text.trim() === "" && !thinking && rest.tokens === undefined) return [];
  const message = { kind: "message", role: "assistant", text, thinking: thinking || undefined, ...rest } as const;
  return emit(turn, { ...message, promptId: turn.promptId });
}

/** The turn inside a reader's state. */
export function turnOf(state: unknown): Turn | undefined {
  return (state as { turn?: Turn } | null)?.turn;
}
