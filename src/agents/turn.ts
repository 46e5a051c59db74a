// What a reader keeps about the turn it is in, the same for every agent: whose events these are, the prompt being
// worked on, the newest answer to it, and whether it is private. Plain JSON: it is part of a reader's stored state.
import type { Activity, AgentEvent } from "../core/event.ts";
import { isWhollyPrivate } from "../core/private-tags.ts";
import type { TranscriptFile } from "./transcript.ts";

export interface Turn {
  header: Omit<AgentEvent, "activity">;
  promptId?: string;
  /** The newest words of the assistant in this turn; they end it when the next prompt comes. */
  response?: { text: string; at: number; copiedFrom?: string };
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
  const ended = endOfTurn(turn);
  delete turn.response;
  turn.promptId = promptId;
  turn.isPrivate = isWhollyPrivate(text);
  turn.wasPrivate ||= turn.isPrivate;
  return [...ended, ...emit(turn, { kind: "prompt", promptId, text }, at)];
}

/** The turn ends with what was said last. Changes nothing: at the end of a file more may follow. */
export function endOfTurn(turn: Turn): AgentEvent[] {
  const { response, promptId } = turn;
  if (response === undefined) return [];
  const activity: Activity = { kind: "turn-end", ...(promptId !== undefined && { promptId }), response: response.text };
  // Where what was said is a copy, so is that the turn ended with it.
  const { copiedFrom: _, ...header } = turn.header;
  const { copiedFrom } = response;
  return emit(
    { ...turn, header: { ...header, ...(copiedFrom !== undefined && { copiedFrom }) } },
    activity,
    response.at,
  );
}

export function emit(turn: Turn, activity: Activity, at = turn.header.at): AgentEvent[] {
  const isTelling = activity.kind === "title" || activity.kind === "compaction";
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
