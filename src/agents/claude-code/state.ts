// State of the Claude Code transcript reader between lines. Plain JSON: it is stored between runs.
import type { Activity, AgentEvent } from "../../core/event.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Turn } from "../turn.ts";
import type { Backups } from "./file-history.ts";
import type { QueuedPrompt } from "./queue.ts";

export interface Call {
  id: string;
  name: string;
  input: Json;
}

/** A result that the file has before its call. */
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
  /** A message has one line per block, with tool results in between: it is held until the next one begins. */
  message?: AgentEvent & { activity: Message };
  /** A title that waits for the first line with a time and a folder. */
  title?: string;
  hasCustomTitle: boolean;
  /** True if the file has its own title, which takes precedence over those of summary lines. */
  hasTitle?: boolean;
  /** Uuids of the newest lines. Missing in states that older versions stored. */
  recent?: string[];
  /** True once the origin event was emitted. */
  hasOrigin?: boolean;
  /** The session that this one is a fork of. */
  forkedFrom?: string;
  queue: QueuedPrompt[];
  /** The folder where the session started: paths of file snapshots are relative to it, even after a `cd`. */
  firstFolder?: string;
  backups: Backups;
  /** File snapshots that wait for the first prompt. */
  tracked?: Backups;
  /**
   * Ids of wholly private prompts. A subagent's file needs them, too: the caller adds them from its session's state.
   */
  privatePromptIds: string[];
}

/** An id for a line that has none. */
export function lineId(state: ClaudeCodeState): string {
  return `${state.turn.header.sessionId}:${state.line}`;
}
