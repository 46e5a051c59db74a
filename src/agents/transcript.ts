// What a transcript reader is: each agent keeps its sessions in files of its own kind, and reads them into our events.
import type { AgentEvent } from "../core/event.ts";

export interface TranscriptFile {
  agent: string;
  path: string;
  /** The conversation the file belongs to; a subagent's file belongs to the session that started it. */
  sessionId: string;
  isSubagent: boolean;
  modifiedAt: number;
  bytes: number;
}

/** What a reader has taken in so far, beside the events: counted, and told at the end. */
export interface ReadNotes {
  /** Line types the reader does not know, with how often they came. */
  unknown: Record<string, number>;
}

/** For files that grow line by line (JSONL). The state is plain JSON: it is stored, and reading goes on from there. */
export interface LineReader<State> {
  kind: "lines";
  start(file: TranscriptFile): State;
  /** Types of lines that are never conversation, as they stand in the bytes: such lines are not even parsed. */
  skipped?: RegExp;
  /** The line without bulk that `read` never looks at: it need not be parsed. */
  cut?(line: Buffer): Buffer;
  read(state: State, line: unknown, notes: ReadNotes): AgentEvent[];
  /** What is still held back, e.g. the end of the last turn. The state stays usable: more lines may follow. */
  flush(state: State): AgentEvent[];
}

/** For files that are written anew as a whole (JSON), or sessions spread over many files. */
export interface DocumentReader {
  kind: "document";
  /** A session is more than the file it is named by. */
  isSpread?: true;
  /** With its text, if that does not come from where the file is (or was). */
  read(file: TranscriptFile, notes: ReadNotes, text?: string): AgentEvent[];
}
