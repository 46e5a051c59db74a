// What the reader of a Claude Code transcript holds in mind from one line to the next. Plain JSON: it is stored between runs.
import type { Activity, AgentEvent } from "../../core/event.ts";
import type { Turn } from "../turn.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Backups } from "./file-history.ts";
import type { QueuedPrompt } from "./queue.ts";

export interface Call {
  id: string;
  name: string;
  input: Json;
}

/** A result that stands in the file before its call. */
export interface EarlyResult {
  id: string;
  header: Turn["header"];
  line: JsonObject;
  block: JsonObject;
}

export type Message = Extract<Activity, { kind: "message" }>;

export interface ClaudeCodeState {
  turn: Turn;
  line: number;
  calls: Call[];
  early: EarlyResult[];
  /** A message comes one block a line, with tool results in between: it is held back until another one begins. */
  message?: AgentEvent & { activity: Message };
  /** A title met before the first line that says when and where. */
  title?: string;
  hasCustomTitle: boolean;
  /** It was said what the session goes on with. */
  hasOrigin?: boolean;
  /** The session this one was forked from. */
  forkedFrom?: string;
  queue: QueuedPrompt[];
  /** Where the session began: paths of backups are relative to it, also after a `cd`. */
  firstFolder?: string;
  backups: Backups;
  /** Files that wait to be told of, until there is a prompt. */
  tracked?: Backups;
  /**
   * Prompts that are wholly private, with all that was done for them. A session's subagents work for the same prompts
   * but have files of their own: who reads them puts the ids of the session's state here, at the start or later.
   */
  privatePromptIds: string[];
}

/** Stands in where a line has no id of its own. */
export function lineId(state: ClaudeCodeState): string {
  return `${state.turn.header.sessionId}:${state.line}`;
}
