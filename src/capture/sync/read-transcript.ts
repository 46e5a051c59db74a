// Reads what is new of a transcript into events that are ready for the store, piece by piece. Knows no database, so that
// a thread of its own can do it.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TranscriptSource } from "../../agents/spec.ts";
import type { LineReader, ReadNotes, TranscriptFile } from "../../agents/transcript.ts";
import { turnOf } from "../../agents/turn.ts";
import type { Env } from "../../config/paths.ts";
import type { AgentEvent, CapturedEvent } from "../../core/event.ts";
import type { SyncState } from "../../store/tables/sync-state.ts";
import { redactEvent } from "../live/redact-event.ts";
import { checkpointOf, findStart, type Position, privateIdsOf } from "./checkpoint.ts";
import { covers } from "../covers.ts";
import { readLines } from "./lines.ts";
import { findCaptureContext, type CaptureContext } from "../capture-context.ts";

/** A longer line is skipped and counted: no prompt or answer is that long, and memory is finite. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;
/** Bytes of transcript per piece: what an interruption costs, and how much is held in memory. */
const PIECE_BYTES = 2 * 1024 * 1024;

export interface Transcript {
  file: TranscriptFile;
  reader: TranscriptSource["reader"];
}

export interface ReadContext {
  env: Env;
  /** The user's settings file. */
  settings: string;
  /** Read every file from its beginning. */
  force: boolean;
  /** Only sessions of this project, by name or key. */
  project: string | undefined;
  /** Transcripts these patterns cover are not read. */
  excludePaths: readonly string[];
  /** Prompts that were wholly private, and threads they started: what subagents did for them stays out as well. */
  privateIds: Set<string>;
  /** Folders are looked up once. */
  places: Map<string, CaptureContext>;
}

/** A file that is to be read, and where reading it stopped last. */
export interface ReadRequest {
  transcript: Transcript;
  known: SyncState | undefined;
  /** Its session is known and of another project than the one asked for. */
  isElsewhere: boolean;
  /** Something of its session was forgotten: nothing the reader holds in mind of it is kept. */
  isForgotten: boolean;
}

/** A piece of a file, or why there is none; the error is then the file's last step. */
export type ReadStep =
  | { file: TranscriptFile; piece: Piece }
  | { file: TranscriptFile; error: string; isGone?: boolean };

export type FileState = "new" | "grown" | "rewritten" | "excluded";

/** What is stored as a whole or not at all. */
export interface Piece {
  state: FileState;
  isLast: boolean;
  bytes: number;
  events: CapturedEvent[];
  /** Lines that are not JSON, by number. */
  malformed: number[];
  /** Lines longer than memory is given for, by number. */
  tooLong: number[];
  unknown: Record<string, number>;
  /** What the reader has met so far of wholly private prompts. */
  privateIds: string[];
  /** Where reading goes on; none where nothing may be kept of the file. */
  checkpoint: SyncState | undefined;
}

/** The last piece is always there, even where nothing is new. A broken file says so and does not throw. */
export function* readTranscript(request: ReadRequest, context: ReadContext): Generator<ReadStep, void> {
  const { file } = request.transcript;
  try {
    for (const piece of readPieces(request, context)) yield { file, piece };
  } catch (error) {
    if (error instanceof Excluded) yield { file, piece: EXCLUDED };
    else yield { file, error: (error as Error).message, isGone: isGone(error, file) };
  }
}

/** Deleted since it was found, which is no fault of anybody's. */
function isGone(error: unknown, { path }: TranscriptFile): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT" && !existsSync(path);
}

const EXCLUDED: Piece = {
  state: "excluded",
  isLast: true,
  bytes: 0,
  events: [],
  malformed: [],
  tooLong: [],
  unknown: {},
  privateIds: [],
  checkpoint: undefined,
};

function* readPieces(
  { transcript, known, isElsewhere, isForgotten }: ReadRequest,
  context: ReadContext,
): Generator<Piece, void> {
  if (isElsewhere || isExcludedFile(transcript.file, context)) throw new Excluded();
  const { file, reader } = transcript;
  const state = known === undefined ? "new" : "rewritten";
  const reading: Reading = { file, context, state, isForgotten, isPlaced: false, ...nothingRead() };
  if (reader.kind === "lines") yield* readGrowing(reader, known, reading);
  else {
    reading.events = reader.read(file, reading);
    yield finish(reading, documentPosition(), { bytes: file.bytes, isLast: true });
  }
}

class Excluded extends Error {}

// The user may leave out transcripts as well as folders: "**/subagents/**".
export function isExcludedFile({ path }: TranscriptFile, { excludePaths }: Pick<ReadContext, "excludePaths">): boolean {
  return excludePaths.some((pattern) => covers(pattern, path));
}

/** A file being read, and what has been read since the last piece. */
interface Reading extends ReadNotes {
  file: TranscriptFile;
  context: ReadContext;
  state: FileState;
  isForgotten: boolean;
  /** It is known where the session began, and that it is to be read. */
  isPlaced: boolean;
  events: AgentEvent[];
  malformed: number[];
  tooLong: number[];
}

function nothingRead(): Pick<Reading, "events" | "malformed" | "tooLong" | "unknown"> {
  return { events: [], malformed: [], tooLong: [], unknown: {} };
}

function* readGrowing(
  reader: LineReader<unknown>,
  known: SyncState | undefined,
  reading: Reading,
): Generator<Piece, void> {
  const position = findStart(known, reader, reading.file, reading.context);
  reading.state = position.kind;
  let pieceStart = position.offset;
  let tail: Buffer | undefined;
  reading.isPlaced = position.offset > 0;
  for (const line of readLines(reading.file.path, { from: position.offset, maxLineBytes: MAX_LINE_BYTES })) {
    if (!line.isWhole) {
      tail = line.bytes;
      break;
    }
    position.line += 1;
    readLine(reader, position, line.bytes, reading);
    // Seen before the rest is read: nothing of an excluded file is kept, not even that it is one.
    reading.isPlaced ||= checkPlace(reading);
    position.offset = line.end;
    if (position.offset - pieceStart < PIECE_BYTES) continue;
    yield finish(reading, position, { bytes: position.offset - pieceStart, isLast: false });
    pieceStart = position.offset;
  }
  // A last line without its newline may still be being written, and the last turn may go on: both are read, but the
  // state that is kept does not know of it, so that the next run reads them again as a whole.
  readEnd(reader, position, tail, reading);
  yield finish(reading, position, { bytes: position.offset - pieceStart, isLast: true });
}

function readLine(
  reader: LineReader<unknown>,
  { state, line }: Position,
  bytes: Buffer | undefined,
  reading: Reading,
): void {
  if (bytes !== undefined && (bytes.length === 0 || isSkipped(reader, bytes))) return;
  const value = bytes === undefined ? undefined : parseLine(reader.cut?.(bytes) ?? bytes);
  if (bytes === undefined) reading.tooLong.push(line);
  else if (value === undefined) reading.malformed.push(line);
  else reading.events.push(...reader.read(state, value, reading));
}

function readEnd(reader: LineReader<unknown>, { state }: Position, tail: Buffer | undefined, reading: Reading): void {
  const copy = structuredClone(state);
  const value = tail === undefined ? undefined : parseLine(tail);
  if (value !== undefined) reading.events.push(...reader.read(copy, value, reading));
  reading.events.push(...reader.flush(copy));
}

/** The type of a line stands near one of its ends; the rest can be megabytes. */
const TYPE_WINDOW_BYTES = 400;

export function isSkipped(reader: LineReader<unknown>, bytes: Buffer): boolean {
  if (reader.skipped === undefined) return false;
  const head = bytes.toString("latin1", 0, Math.min(TYPE_WINDOW_BYTES, bytes.length));
  return reader.skipped.test(head);
}

export function parseLine(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

/** A document is read as a whole or not at all: there is no place in it to go on from. */
function documentPosition(): Position {
  return { kind: "new", offset: 0, line: 0, state: null, kept: { offset: 0, line: 0, state: "null" } };
}

function finish(reading: Reading, position: Position, piece: { bytes: number; isLast: boolean }): Piece {
  const { file, context, malformed, tooLong, unknown } = reading;
  const privateIds = privateIdsOf(position.state);
  for (const id of privateIds) context.privateIds.add(id);
  const events = captureAll(reading);
  // What a reader holds in mind may be what was forgotten, here or where it was copied from, or of a folder that is excluded.
  const isSecret = reading.isForgotten || isInCopy(position.state) || isOutside(position.state, context);
  const checkpoint = checkpointOf(file, position, { ...piece, isSecret });
  Object.assign(reading, nothingRead());
  return { ...piece, state: reading.state, events, malformed, tooLong, unknown, privateIds, checkpoint };
}

/** Still in what a fork has copied: what the reader holds back of it is another session's. */
export function isInCopy(state: unknown): boolean {
  return turnOf(state)?.header.copiedFrom !== undefined;
}

/** In an excluded folder, or nobody has said where: what the reader holds back of it must not be stored. */
export function isOutside(state: unknown, context: ReadContext): boolean {
  const cwd = turnOf(state)?.header.cwd;
  return cwd !== undefined && (cwd === "" || lookUp(cwd, context).isExcluded);
}

/** The same for events that come from elsewhere than a file: none, where the session began in an excluded folder. */
export function redactEvents(events: AgentEvent[], file: TranscriptFile, context: ReadContext): CapturedEvent[] {
  try {
    return captureAll({ ...nothingRead(), file, context, state: "new", isForgotten: false, isPlaced: false, events });
  } catch (error) {
    if (error instanceof Excluded) return [];
    throw error;
  }
}

function captureAll(reading: Reading): CapturedEvent[] {
  const events: CapturedEvent[] = [];
  for (const event of reading.events) {
    const captured = capture(event, reading);
    if (captured === undefined) continue;
    events.push(captured);
    reading.isPlaced = true;
  }
  return events;
}

function capture(event: AgentEvent, { file, context, isPlaced }: Reading): CapturedEvent | undefined {
  if (event.at <= 0 || event.cwd === "" || isTwice(event, file)) return undefined;
  const promptId = "promptId" in event.activity ? event.activity.promptId : undefined;
  // A session's own reader knows where in a turn it became private; a subagent's knows only whose turn it is.
  if (file.isSubagent && promptId !== undefined && context.privateIds.has(promptId)) return undefined;
  const surroundings = lookUp(event.cwd, context);
  if (surroundings.isExcluded || isOtherProject(surroundings, context)) {
    // A session belongs to where it began: one that began outside is not read, one that only looks in there goes on.
    if (!isPlaced || surroundings.isBlocked) throw new Excluded();
    if (surroundings.isExcluded) return undefined;
  }
  return redactEvent(event, surroundings);
}

/** What a fork has copied is read where it happened, as long as that is there to be read. */
function isTwice({ copiedFrom, sessionId }: AgentEvent, file: TranscriptFile): boolean {
  if (copiedFrom === undefined || copiedFrom === sessionId || !/^[\w-]+$/.test(copiedFrom)) return false;
  return existsSync(join(dirname(file.path), `${copiedFrom}.jsonl`));
}

/** Whether the events say where they happened; throws where that is not to be read. */
function checkPlace({ events, context }: Reading): boolean {
  const first = events.find(({ at, cwd }) => at > 0 && cwd !== "");
  if (first === undefined) return false;
  const surroundings = lookUp(first.cwd, context);
  if (surroundings.isExcluded || isOtherProject(surroundings, context)) throw new Excluded();
  return true;
}

export function isOtherProject({ project }: CaptureContext, context: ReadContext): boolean {
  return context.project !== undefined && context.project !== project.name && context.project !== project.key;
}

export function lookUp(cwd: string, context: ReadContext): CaptureContext {
  const known = context.places.get(cwd);
  if (known !== undefined) return known;
  const found = findCaptureContext(cwd, context.settings, context.env);
  context.places.set(cwd, found);
  return found;
}
