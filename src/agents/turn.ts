// What a reader keeps about the turn it is in, the same for every agent: whose events these are, the prompt being
// worked on, the newest answer to it, and whether it is private. Plain JSON: it is part of a reader's stored state.
import type { Activity, AgentEvent } from "../core/event.ts";
import { isWhollyPrivate } from "../core/privacy/private-tags.ts";
import type { TranscriptFile } from "./transcript.ts";

export interface Turn {
  header: Omit<AgentEvent, "activity">;
  promptId?: string;
  /** The newest words of the assistant in this turn; they end it when the next prompt comes. */
  response?: { text: string; at: number; copiedFrom?: string };
  /** Set while the newest line shows that the turn is over: its last message, or an interruption. */
  end?: { isInterrupted: boolean; at: number; copiedFrom?: string };
  isPrivate: boolean;
  /** A wholly private prompt came before: what sums the session up may tell of it. */
  wasPrivate: boolean;
}

export function startTurn(file: TranscriptFile): Turn {
  return {
    header: { agent: file.agent, sessionId: file.sessionId, transcriptPath: file.path, cwd: "", at: 0 },
    isPrivate: false,
    wasPrivate: false,
  };
}

/** Ends the turn before and begins the next. A wholly private prompt and all that follows it give no events. */
export function beginTurn(turn: Turn, promptId: string, text: string, at?: number): AgentEvent[] {
  const ended = closeTurn(turn);
  delete turn.response;
  delete turn.end;
  turn.promptId = promptId;
  turn.isPrivate = isWhollyPrivate(text);
  turn.wasPrivate ||= turn.isPrivate;
  return [...ended, ...emit(turn, { kind: "prompt", promptId, text }, at)];
}

/** The agent said its last word of the turn, as far as this line shows. */
export function markEnded(turn: Turn): void {
  turn.end = { isInterrupted: false, ...here(turn) };
}

export function markInterrupted(turn: Turn): void {
  turn.end = { isInterrupted: true, ...here(turn) };
}

/** The agent works on: a tool call, a result, background work that wakes it. */
export function markWorking(turn: Turn): void {
  delete turn.end;
}

function here({ header: { at, copiedFrom } }: Turn): { at: number; copiedFrom?: string } {
  return { at, ...(copiedFrom !== undefined && { copiedFrom }) };
}

/** At the end of a file: how the turn ended, or its newest words where it may go on. Changes nothing: more may follow. */
export function endOfTurn(turn: Turn): AgentEvent[] {
  const { response, end } = turn;
  if (end !== undefined) return closeTurn(turn);
  return response === undefined
    ? []
    : emitAs(turn, response, { kind: "response", ...promptOf(turn), text: response.text });
}

/** The turn is over, by its own end or because the next prompt came. */
function closeTurn(turn: Turn): AgentEvent[] {
  const { response, end } = turn;
  const isInterrupted = end?.isInterrupted === true;
  const source = isInterrupted ? end : (response ?? end);
  if (source === undefined) return [];
  return emitAs(turn, source, {
    kind: "turn-end",
    ...promptOf(turn),
    ...(response !== undefined && { response: response.text }),
    ...(isInterrupted && { isInterrupted }),
  });
}

/** Where what was said is a copy, so is that the turn ended with it. */
function emitAs(turn: Turn, source: { at: number; copiedFrom?: string }, activity: Activity): AgentEvent[] {
  const { copiedFrom: _, ...header } = turn.header;
  const { copiedFrom, at } = source;
  return emit({ ...turn, header: { ...header, ...(copiedFrom !== undefined && { copiedFrom }) } }, activity, at);
}

export function emit(turn: Turn, activity: Activity, at = turn.header.at): AgentEvent[] {
  const isTelling = ["title", "compaction", "file-snapshot"].includes(activity.kind);
  return turn.isPrivate || (turn.wasPrivate && isTelling) ? [] : [{ ...turn.header, at, activity }];
}

/** For messages and tool uses: the prompt they belong to. */
export function promptOf(turn: Turn): { promptId?: string } {
  return turn.promptId === undefined ? {} : { promptId: turn.promptId };
}

/** The turn in a reader's state, which is otherwise its own business. */
export function turnOf(state: unknown): Turn | undefined {
  return (state as { turn?: Turn } | null)?.turn;
}
