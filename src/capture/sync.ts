// Brings transcripts into the store: only what is new of each file, in pieces that are there as a whole or not at all.
import type { TranscriptSource } from "../agents/spec.ts";
import type { DocumentReader, LineReader, ReadNotes, TranscriptFile } from "../agents/transcript.ts";
import type { Env, Paths } from "../config/paths.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Db } from "../store/driver.ts";
import { projectOfSession } from "../store/projects.ts";
import { type SyncMark, syncMarks } from "../store/sync-state.ts";
import { transaction } from "../store/transaction.ts";
import { applyEvent } from "./apply.ts";
import { captureEvent } from "./capture.ts";
import { findStart, knownPrivateIds, type Position, privateIdsOf, saveCheckpoint } from "./checkpoint.ts";
import { readLines } from "./lines.ts";
import { findSurroundings, type Surroundings } from "./surroundings.ts";

/** A longer line is skipped and counted: no prompt or answer is that long, and memory is finite. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;
/** Bytes of transcript per transaction: what an interruption costs, and how long the write lock is held. */
const PIECE_BYTES = 8 * 1024 * 1024;

export interface Transcript {
  file: TranscriptFile;
  reader: TranscriptSource["reader"];
}

/** What one run knows. */
export interface SyncContext {
  env: Env;
  paths: Paths;
  /** What each file was like when it was read last. */
  marks: Map<string, SyncMark>;
  /** Read every file from its beginning. */
  force: boolean;
  /** Only sessions of this project, by name or key. */
  project: string | undefined;
  /** Prompts that were wholly private, and threads they started: what subagents did for them stays out as well. */
  privateIds: Set<string>;
  /** Folders are looked up once. */
  places: Map<string, Surroundings>;
}

export interface FileOutcome {
  file: TranscriptFile;
  state: "new" | "grown" | "rewritten" | "excluded";
  bytes: number;
  events: number;
  /** Lines that are not JSON, by number. */
  malformed: number[];
  /** Lines longer than memory is given for, by number. */
  tooLong: number[];
  unknown: Record<string, number>;
}

export function startSync(
  db: Db,
  paths: Paths,
  env: Env,
  options: { force?: boolean; project?: string | undefined } = {},
): SyncContext {
  return {
    env,
    paths,
    marks: syncMarks(db),
    force: options.force ?? false,
    project: options.project,
    privateIds: knownPrivateIds(db),
    places: new Map(),
  };
}

export function isUnchanged(file: TranscriptFile, context: SyncContext): boolean {
  const known = context.marks.get(file.path);
  return (
    !context.force && known !== undefined && known.size === file.bytes && known.mtime === Math.floor(file.modifiedAt)
  );
}

/** Yields the bytes of each piece as it is committed; between two pieces the run can be stopped and nothing is lost. */
export function* syncFile(db: Db, { file, reader }: Transcript, context: SyncContext): Generator<number, FileOutcome> {
  if (reader.kind === "document") return syncDocument(db, reader, file, context);
  return yield* syncLines(db, reader, file, context);
}

class Excluded extends Error {}

function* syncLines(
  db: Db,
  reader: LineReader<unknown>,
  file: TranscriptFile,
  context: SyncContext,
): Generator<number, FileOutcome> {
  const start = findStart(db, reader, file, context);
  const outcome: FileOutcome = {
    file,
    state: start.kind,
    bytes: 0,
    events: 0,
    malformed: [],
    tooLong: [],
    unknown: {},
  };
  if (start.kind === "grown" && !isWanted(db, file, context)) return { ...outcome, state: "excluded" };
  const position = { ...start };
  let pieceStart = start.offset;
  let events: AgentEvent[] = [];
  let tail: Buffer | undefined;
  let isPlaced = start.kind === "grown";
  try {
    for (const line of readLines(file.path, { from: start.offset, maxLineBytes: MAX_LINE_BYTES })) {
      if (!line.isWhole) {
        tail = line.bytes;
        break;
      }
      position.line += 1;
      events.push(...readLine(reader, position.state, line.bytes, outcome, position.line));
      // Seen before the rest is read: nothing of an excluded file is kept, not even that it is one.
      isPlaced ||= checkPlace(events, context);
      position.offset = line.end;
      outcome.bytes = position.offset - start.offset;
      if (position.offset - pieceStart < PIECE_BYTES) continue;
      storePiece(db, file, events, position, context, outcome, false);
      events = [];
      yield position.offset - pieceStart;
      pieceStart = position.offset;
    }
    // A last line without its newline may still be being written, and the last turn may go on: both are read, but the
    // state that is kept does not know of it, so that the next run reads them again as a whole.
    events.push(...readEnd(reader, position.state, tail, outcome));
    storePiece(db, file, events, position, context, outcome, true);
  } catch (error) {
    if (!(error instanceof Excluded)) throw error;
    outcome.state = "excluded";
  }
  return outcome;
}

function readLine(
  reader: LineReader<unknown>,
  state: unknown,
  bytes: Buffer | undefined,
  outcome: FileOutcome,
  number: number,
): AgentEvent[] {
  if (bytes !== undefined && (bytes.length === 0 || isSkipped(reader, bytes))) return [];
  const value = bytes === undefined ? undefined : parseLine(bytes);
  if (value !== undefined) return reader.read(state, value, outcome satisfies ReadNotes);
  (bytes === undefined ? outcome.tooLong : outcome.malformed).push(number);
  return [];
}

function readEnd(
  reader: LineReader<unknown>,
  state: unknown,
  tail: Buffer | undefined,
  outcome: FileOutcome,
): AgentEvent[] {
  const copy = structuredClone(state);
  const value = tail === undefined ? undefined : parseLine(tail);
  const last = value === undefined ? [] : reader.read(copy, value, outcome);
  return [...last, ...reader.flush(copy)];
}

/** The type of a line stands near one of its ends; the rest can be megabytes. */
const TYPE_WINDOW_BYTES = 400;

export function isSkipped(reader: LineReader<unknown>, bytes: Buffer): boolean {
  if (reader.skipBytes === undefined) return false;
  const head = bytes.toString("latin1", 0, Math.min(TYPE_WINDOW_BYTES, bytes.length));
  return reader.skipBytes.some((type) => head.includes(type));
}

export function parseLine(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

function storePiece(
  db: Db,
  file: TranscriptFile,
  events: AgentEvent[],
  position: Position,
  context: SyncContext,
  outcome: FileOutcome,
  isLast: boolean,
): void {
  transaction(db, () => {
    for (const id of privateIdsOf(position.state)) context.privateIds.add(id);
    for (const event of events) if (storeEvent(db, event, context, outcome)) outcome.events += 1;
    context.marks.set(
      file.path,
      saveCheckpoint(db, file, position, { malformed: outcome.malformed.length + outcome.tooLong.length, isLast }),
    );
  });
}

function syncDocument(db: Db, reader: DocumentReader, file: TranscriptFile, context: SyncContext): FileOutcome {
  const known = context.marks.has(file.path);
  const outcome: FileOutcome = {
    file,
    state: known ? "rewritten" : "new",
    bytes: file.bytes,
    events: 0,
    malformed: [],
    tooLong: [],
    unknown: {},
  };
  const events = reader.read(file, outcome);
  try {
    storePiece(db, file, events, documentPosition(), context, outcome, true);
  } catch (error) {
    if (!(error instanceof Excluded)) throw error;
    outcome.state = "excluded";
  }
  return outcome;
}

/** A document is read as a whole or not at all: there is no place in it to go on from. */
function documentPosition(): Position {
  return { kind: "new", offset: 0, line: 0, state: null, kept: { offset: 0, line: 0, state: "null" } };
}

export function storeEvent(db: Db, event: AgentEvent, context: SyncContext, outcome: FileOutcome): boolean {
  if (event.at <= 0 || event.cwd === "") return false;
  const promptId = "promptId" in event.activity ? event.activity.promptId : undefined;
  if (promptId !== undefined && context.privateIds.has(promptId)) return false;
  const surroundings = lookUp(event.cwd, context);
  if (surroundings.isExcluded || isOtherProject(surroundings, context)) {
    // A session belongs to where it began: one that began outside is not read, one that only looks in there goes on.
    if (outcome.events === 0 && outcome.state !== "grown") throw new Excluded();
    if (surroundings.isExcluded) return false;
  }
  const captured = captureEvent(event, surroundings);
  if (captured === undefined) return false;
  applyEvent(db, captured, `${event.sessionId}:${event.at}`);
  return true;
}

/** Whether the events say where they happened; throws where that is not to be read. */
function checkPlace(events: readonly AgentEvent[], context: SyncContext): boolean {
  const first = events.find(({ at, cwd }) => at > 0 && cwd !== "");
  if (first === undefined) return false;
  const surroundings = lookUp(first.cwd, context);
  if (surroundings.isExcluded || isOtherProject(surroundings, context)) throw new Excluded();
  return true;
}

/** A session that is there already belongs to the project it was filed under. */
function isWanted(db: Db, file: TranscriptFile, { project }: SyncContext): boolean {
  const own = project === undefined ? undefined : projectOfSession(db, file.sessionId);
  return own === undefined || own.name === project || own.key === project;
}

export function isOtherProject({ project }: Surroundings, context: SyncContext): boolean {
  return context.project !== undefined && context.project !== project.name && context.project !== project.key;
}

export function lookUp(cwd: string, context: SyncContext): Surroundings {
  const known = context.places.get(cwd);
  if (known !== undefined) return known;
  const found = findSurroundings(cwd, context.paths.config, context.env);
  context.places.set(cwd, found);
  return found;
}
