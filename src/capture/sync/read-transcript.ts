// Reads the new part of a transcript, piece by piece, into events that are ready for the store. Does not use the
// database, so that it can run in a thread.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TranscriptSource } from "../../agents/spec.ts";
import type { LineReader, ReadNotes, TranscriptFile } from "../../agents/transcript.ts";
import { turnOf } from "../../agents/turn.ts";
import type { Env } from "../../config/paths.ts";
import { cached } from "../../core/cached.ts";
import type { AgentEvent, CapturedEvent } from "../../core/event.ts";
import { parseJson } from "../../core/json.ts";
import type { SyncState } from "../../store/tables/sync-state.ts";
import { type CaptureContext, findCaptureContext } from "../capture-context.ts";
import { covers } from "../covers.ts";
import { redactEvent } from "../live/admit-event.ts";
import { checkpointOf, findStart, type Position, privateIdsOf } from "./checkpoint.ts";
import { readLines } from "./lines.ts";

/** A longer line is skipped and counted: no prompt or answer is that long. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;
/** A piece ends at the first line that ends after this many bytes. */
const PIECE_BYTES = 2 * 1024 * 1024;

export interface Transcript {
  file: TranscriptFile;
  reader: TranscriptSource["reader"];
}

export interface ReadContext {
  env: Env;
  /** Path of the user's settings file. */
  settings: string;
  /** Read every file from its beginning. */
  force: boolean;
  /** Read only sessions of this project, named by its name or key. */
  project: string | undefined;
  /** Patterns of transcripts that are not read: "**\/subagents/**". */
  excludePaths: readonly string[];
  /** Ids of wholly private prompts and of threads they started: their subagents' events are left out, too. */
  privateIds: Set<string>;
  /** Folder -> its context. */
  places: Map<string, CaptureContext>;
}

export interface ReadRequest {
  transcript: Transcript;
  /** Where the last run stopped reading the file. */
  known: SyncState | undefined;
  /** True if the session is stored in another project than `context.project`: the file is skipped. */
  isOtherProject: boolean;
  /** True if a part of the session was forgotten: the reader's state may contain that part, so it is not stored. */
  isForgotten: boolean;
}

/** A piece of a file, or an error, which is the file's last step. */
export type ReadStep =
  | { file: TranscriptFile; piece: Piece }
  | { file: TranscriptFile; error: string; isGone?: boolean };

export type FileState = "new" | "grown" | "rewritten" | "excluded";

/** A part of a file; stored in one transaction. */
export interface Piece {
  state: FileState;
  isLast: boolean;
  bytes: number;
  events: CapturedEvent[];
  /** Numbers of lines that are not JSON. */
  malformed: number[];
  /** Numbers of lines over the limit. */
  tooLong: number[];
  unknown: Record<string, number>;
  /** All private ids found in the file so far. */
  privateIds: string[];
  /** Where the next run continues; undefined for an excluded file. */
  checkpoint: SyncState | undefined;
}

/** Always ends with a last piece, even if nothing is new, or with an error. Never throws for a broken file. */
export function* readTranscript(request: ReadRequest, context: ReadContext): Generator<ReadStep, void> {
  const { file } = request.transcript;
  try {
    for (const piece of readPieces(request, context)) yield { file, piece };
  } catch (error) {
    if (error instanceof Excluded) {
      const piece = { bytes: 0, isLast: true, privateIds: [], checkpoint: undefined, ...nothingRead() };
      yield { file, piece: { ...piece, state: "excluded" } };
      return;
    }
    // The agent may have deleted the file after it was found.
    const isGone = (error as NodeJS.ErrnoException).code === "ENOENT" && !existsSync(file.path);
    yield { file, error: (error as Error).message, isGone };
  }
}

/** Thrown when a file turns out to be excluded. */
class Excluded extends Error {}

function* readPieces(
  { transcript, known, isOtherProject, isForgotten }: ReadRequest,
  context: ReadContext,
): Generator<Piece, void> {
  const { file, reader } = transcript;
  if (isOtherProject || isExcludedFile(file, context)) throw new Excluded();
  const state = known === undefined ? "new" : "rewritten";
  const reading: Reading = { file, context, state, isForgotten, isAllowed: false, ...nothingRead() };
  if (reader.kind === "lines") yield* readNewLines(reader, known, reading);
  else {
    // A document is always read from its beginning.
    const start = { offset: 0, line: 0 };
    reading.events = reader.read(file, reading);
    const position: Position = { kind: "new", ...start, state: null, stored: { ...start, state: "null" } };
    yield finish(reading, position, { bytes: file.bytes, isLast: true });
  }
}

export function isExcludedFile({ path }: TranscriptFile, { excludePaths }: Pick<ReadContext, "excludePaths">): boolean {
  return excludePaths.some((pattern) => covers(pattern, path));
}

/** The file being read, with the events and bad lines since the last piece. */
interface Reading extends ReadNotes {
  file: TranscriptFile;
  context: ReadContext;
  state: FileState;
  isForgotten: boolean;
  /** True once the folder in which the session began is known and not excluded. */
  isAllowed: boolean;
  events: AgentEvent[];
  malformed: number[];
  tooLong: number[];
}

function nothingRead() {
  return { events: [], malformed: [], tooLong: [], unknown: {} };
}

function* readNewLines(
  reader: LineReader<unknown>,
  known: SyncState | undefined,
  reading: Reading,
): Generator<Piece, void> {
  const position = findStart(known, reader, reading.file, reading.context);
  reading.state = position.kind;
  reading.isAllowed = position.offset > 0;
  let pieceStart = position.offset;
  let tail: Buffer | undefined;
  for (const line of readLines(reading.file.path, { from: position.offset, maxLineBytes: MAX_LINE_BYTES })) {
    if (!line.isWhole) {
      tail = line.bytes;
      break;
    }
    position.line += 1;
    readLine(reader, position, line.bytes, reading);
    // Checked as early as possible: of an excluded file nothing is stored, not even its path.
    reading.isAllowed ||= checkFolder(reading);
    position.offset = line.end;
    if (position.offset - pieceStart < PIECE_BYTES) continue;
    yield finish(reading, position, { bytes: position.offset - pieceStart, isLast: false });
    pieceStart = position.offset;
  }
  // The last line may be incomplete, and the last turn may continue. So a copy of the state is used for both, and the
  // next run reads both again.
  const state = structuredClone(position.state);
  const value = tail === undefined ? undefined : parseJson(tail.toString());
  if (value !== undefined) reading.events.push(...reader.read(state, value, reading));
  reading.events.push(...reader.flush(state));
  yield finish(reading, position, { bytes: position.offset - pieceStart, isLast: true });
}

function readLine(
  reader: LineReader<unknown>,
  { state, line }: Position,
  bytes: Buffer | undefined,
  reading: Reading,
): void {
  if (bytes === undefined) return void reading.tooLong.push(line);
  if (bytes.length === 0 || isSkipped(reader, bytes)) return;
  const value = parseJson((reader.cut?.(bytes) ?? bytes).toString());
  if (value === undefined) reading.malformed.push(line);
  else reading.events.push(...reader.read(state, value, reading));
}

/** A line names its type near its start; the rest may be megabytes. */
const TYPE_WINDOW_BYTES = 400;

export function isSkipped({ skipped }: LineReader<unknown>, bytes: Buffer): boolean {
  return skipped !== undefined && skipped.test(bytes.toString("latin1", 0, Math.min(TYPE_WINDOW_BYTES, bytes.length)));
}

function finish(reading: Reading, position: Position, piece: { bytes: number; isLast: boolean }): Piece {
  const { file, context, malformed, tooLong, unknown } = reading;
  const privateIds = privateIdsOf(position.state);
  for (const id of privateIds) context.privateIds.add(id);
  const events = redactAll(reading);
  const isSecret = reading.isForgotten || isInCopiedPart(position.state) || isFolderRefused(position.state, context);
  const checkpoint = checkpointOf(file, position, { ...piece, isSecret });
  Object.assign(reading, nothingRead());
  return { ...piece, state: reading.state, events, malformed, tooLong, unknown, privateIds, checkpoint };
}

/** True while reading the copied part of a fork, when the state contains another session's text. */
export function isInCopiedPart(state: unknown): boolean {
  return turnOf(state)?.header.copiedFrom !== undefined;
}

/** True in a folder that is excluded or not known yet: the state must not be stored. */
export function isFolderRefused(state: unknown, context: ReadContext): boolean {
  const cwd = turnOf(state)?.header.cwd;
  return cwd !== undefined && (cwd === "" || contextOf(cwd, context).isExcluded);
}

/** Redacts events that were read from the archive. Empty if the session began in an excluded folder. */
export function redactEvents(events: AgentEvent[], file: TranscriptFile, context: ReadContext): CapturedEvent[] {
  try {
    return redactAll({
      ...nothingRead(),
      file,
      context,
      state: "new",
      isForgotten: false,
      isAllowed: false,
      events,
    });
  } catch (error) {
    if (error instanceof Excluded) return [];
    throw error;
  }
}

function redactAll(reading: Reading): CapturedEvent[] {
  const events: CapturedEvent[] = [];
  for (const event of reading.events) {
    const redacted = redact(event, reading);
    if (redacted === undefined) continue;
    events.push(redacted);
    reading.isAllowed = true;
  }
  return events;
}

function redact(event: AgentEvent, reading: Reading): CapturedEvent | undefined {
  const { file, context } = reading;
  if (event.at <= 0 || event.cwd === "" || isInOriginal(event, file)) return undefined;
  const promptId = "promptId" in event.activity ? event.activity.promptId : undefined;
  // A subagent's reader does not know that its turn is private, so the turn's prompt id is checked here.
  if (file.isSubagent && promptId !== undefined && context.privateIds.has(promptId)) return undefined;
  const place = contextOf(event.cwd, context);
  // If the session began in an excluded folder, or a settings file is broken, the whole file is left out. If the
  // session only visits an excluded folder, that part is.
  if ((!reading.isAllowed || place.isBlocked) && isLeftOut(place, context)) throw new Excluded();
  return place.isExcluded ? undefined : redactEvent(event, place);
}

/** True for an event that a fork copied from a transcript that still exists: the event is read from there. */
function isInOriginal({ copiedFrom, sessionId }: AgentEvent, file: TranscriptFile): boolean {
  if (copiedFrom === undefined || copiedFrom === sessionId || !/^[\w-]+$/.test(copiedFrom)) return false;
  return existsSync(join(dirname(file.path), `${copiedFrom}.jsonl`));
}

/** False until an event names a folder. Throws if that folder is excluded. */
function checkFolder({ events, context }: Reading): boolean {
  const first = events.find(({ at, cwd }) => at > 0 && cwd !== "");
  if (first === undefined) return false;
  if (isLeftOut(contextOf(first.cwd, context), context)) throw new Excluded();
  return true;
}

/** True for an excluded folder, or one of another project than the one to read. */
export function isLeftOut({ isExcluded, project }: CaptureContext, { project: wanted }: ReadContext): boolean {
  return isExcluded || (wanted !== undefined && wanted !== project.name && wanted !== project.key);
}

export function contextOf(cwd: string, { places, settings, env }: ReadContext): CaptureContext {
  return cached(places, cwd, () => findCaptureContext(cwd, settings, env));
}
