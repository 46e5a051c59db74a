// The interface of transcript readers, which convert an agent's session files to events.
import type { AgentEvent } from "../core/event.ts";
import { ownValue } from "./fields.ts";

export interface TranscriptFile {
  agent: string;
  path: string;
  /** The session of the file; for a subagent's file, the session that started the subagent. */
  sessionId: string;
  isSubagent: boolean;
  modifiedAt: number;
  bytes: number;
}

export interface ReadNotes {
  /** Line types that the reader does not know -> number of lines. */
  unknown: Record<string, number>;
}

/** Reads files that grow line by line (JSONL). The state is plain JSON, stored for the next run to continue. */
export interface LineReader<State> {
  kind: "lines";
  start(file: TranscriptFile): State;
  /** Matches lines without conversation, which are not parsed. */
  skipped?: RegExp;
  /** Removes large parts of a line that `read` does not use, before the line is parsed. */
  cut?(line: Buffer): Buffer;
  read(state: State, line: unknown, notes: ReadNotes): AgentEvent[];
  /** Returns the events held in the state, such as the turn's end. Keeps the state, because more lines may follow. */
  flush(state: State): AgentEvent[];
}

/** Reads files that the agent rewrites as a whole (JSON), and sessions that are spread over many files. */
export interface DocumentReader {
  kind: "document";
  /** The session's text is not all in `file.path` (OpenCode: many files, or database rows), so it is not archived. */
  isSpread?: true;
  /** `text`: the file's text, if it is not to be read from `file.path`. */
  read(file: TranscriptFile, notes: ReadNotes, text?: string): AgentEvent[];
}

/** Handlers that return no events. "mode summary" -> { mode: () => [], summary: () => [] } */
export function ignored(types: string): Record<string, () => []> {
  return Object.fromEntries(types.split(" ").map((type) => [type, () => []]));
}

/** Limit of unknown types that are counted by name; all others are counted together. */
const MAX_NAMES = 100;
const MAX_NAME_CHARS = 80;

export function countUnknown(notes: ReadNotes, type: unknown): void {
  const spelled = typeof type === "string" && type !== "" ? type.slice(0, MAX_NAME_CHARS) : "(no type)";
  const isKnown = Object.hasOwn(notes.unknown, spelled);
  // "__proto__" cannot be assigned: that would change the object's prototype.
  const mustGroup = spelled === "__proto__" || Object.keys(notes.unknown).length >= MAX_NAMES;
  const name = isKnown || !mustGroup ? spelled : "(others)";
  notes.unknown[name] = (ownValue(notes.unknown, name) ?? 0) + 1;
}
