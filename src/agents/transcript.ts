// Transcript readers convert an agent's session files to our events.
import type { AgentEvent } from "../core/event.ts";
import { ownValue } from "./fields.ts";

export interface TranscriptFile {
  agent: string;
  path: string;
  /** The session the file belongs to; a subagent's file belongs to the session that started it. */
  sessionId: string;
  isSubagent: boolean;
  modifiedAt: number;
  bytes: number;
}

export interface ReadNotes {
  /** Line types the reader does not know, and how often each came. */
  unknown: Record<string, number>;
}

/** Reads files that grow line by line (JSONL). The state is plain JSON: it is stored, and reading continues from there. */
export interface LineReader<State> {
  kind: "lines";
  start(file: TranscriptFile): State;
  /** Matches the bytes of lines that are never conversation: they are not parsed. */
  skipped?: RegExp;
  /** Removes large parts that `read` never uses before the line is parsed. */
  cut?(line: Buffer): Buffer;
  read(state: State, line: unknown, notes: ReadNotes): AgentEvent[];
  /** Returns what waits in the state, such as the end of the last turn. More lines may follow. */
  flush(state: State): AgentEvent[];
}

/** Reads files that are always rewritten as a whole (JSON), and sessions that are spread over many files. */
export interface DocumentReader {
  kind: "document";
  /** A session has more files than the one that names it. */
  isSpread?: true;
  /** `text`: the file's text, where it is not read from `file.path`. */
  read(file: TranscriptFile, notes: ReadNotes, text?: string): AgentEvent[];
}

/** Readers of known line types without conversation. */
export function ignored(types: string): Record<string, () => []> {
  return Object.fromEntries(types.split(" ").map((type) => [type, () => []]));
}

/** Type names come from outside: only this many are counted apart, the others together. */
const MAX_NAMES = 100;
const MAX_NAME_CHARS = 80;

export function countUnknown(notes: ReadNotes, type: unknown): void {
  const spelled = typeof type === "string" && type !== "" ? type.slice(0, MAX_NAME_CHARS) : "(no type)";
  const isKnown = Object.hasOwn(notes.unknown, spelled);
  // Assigning "__proto__" would change the object instead of counting.
  const isFull = spelled === "__proto__" || Object.keys(notes.unknown).length >= MAX_NAMES;
  const name = isKnown || !isFull ? spelled : "(others)";
  notes.unknown[name] = (ownValue(notes.unknown, name) ?? 0) + 1;
}
