// Brings transcripts into the store: only what is new of each file, in pieces that are there as a whole or not at all.
import type { TranscriptFile } from "../../agents/transcript.ts";
import { loadSettings } from "../../config/load.ts";
import type { Env, Paths } from "../../config/paths.ts";
import type { CapturedEvent } from "../../core/event.ts";
import { type Db, isStoreTrouble } from "../../store/db/driver.ts";
import { enqueueSession } from "../../store/tables/jobs.ts";
import { projectOfSession } from "../../store/tables/projects.ts";
import { indexNewToolUses, indexTurnsOf } from "../../store/fts/search-index.ts";
import { readSyncState, saveSyncState, type SyncMark, syncMarks } from "../../store/tables/sync-state.ts";
import { startGroup, type TransactionGroup } from "../../store/db/transaction.ts";
import { applyInBatch } from "../live/apply.ts";
import { type Batch, endBatch, startBatch } from "../live/batch.ts";
import { knownPrivateIds } from "./checkpoint.ts";
import { namesForgotten } from "../../store/tables/tombstones.ts";
import {
  type FileState,
  type Piece,
  type ReadContext,
  type ReadRequest,
  type ReadStep,
  readTranscript,
  type Transcript,
} from "./read-transcript.ts";

/** Bytes of transcript per transaction: small files share one. Bounds how long the write lock is held. */
const TRANSACTION_BYTES = 8 * 1024 * 1024;

/** What one run knows. */
export interface SyncContext extends ReadContext {
  /** Ask for memory to be derived from what is new. */
  enqueue: boolean;
  /** Where compressed copies are. */
  archive: string;
  /** What each file was like when it was read last. */
  marks: Map<string, SyncMark>;
}

export interface FileOutcome {
  file: TranscriptFile;
  state: FileState;
  bytes: number;
  events: number;
  /** Lines that are not JSON, by number. */
  malformed: number[];
  /** Lines longer than memory is given for, by number. */
  tooLong: number[];
  unknown: Record<string, number>;
}

/** What happened since the last step: bytes that were stored, and how a file ended once it has. */
export interface SyncStep {
  bytes: number;
  outcome?: FileOutcome;
  failed?: { path: string; message: string };
  /** A file was deleted since it was found. */
  isGone?: true;
}

/** With a session's id only its files can be read: where there are thousands, looking at all takes longer than the reading. */
export function startSync(
  db: Db,
  paths: Paths,
  env: Env,
  options: { force?: boolean; enqueue?: boolean; project?: string | undefined; sessionId?: string } = {},
): SyncContext {
  return {
    env,
    settings: paths.config,
    archive: paths.archive,
    marks: syncMarks(db, options.sessionId),
    force: options.force ?? false,
    enqueue: options.enqueue ?? true,
    project: options.project,
    excludePaths: loadSettings({ user: paths.config }, env).values.excludePaths,
    privateIds: knownPrivateIds(db, options.sessionId),
    places: new Map(),
  };
}

export function isUnchanged(file: TranscriptFile, context: SyncContext): boolean {
  const known = context.marks.get(file.path);
  return (
    !context.force && known !== undefined && known.size === file.bytes && known.mtime === Math.floor(file.modifiedAt)
  );
}

/**
 * May be left after any step: what was stored stays, and the next run goes on from there. Between two steps no
 * transaction is open.
 */
export function* syncTranscripts(
  db: Db,
  transcripts: readonly Transcript[],
  context: SyncContext,
): Generator<SyncStep, void> {
  const writer = startWriter(db, context);
  try {
    for (const request of readRequests(db, transcripts, context)) {
      for (const step of readTranscript(request, context)) {
        const result = writer.store(step);
        writer.end();
        yield result;
      }
    }
  } finally {
    writer.end();
  }
}

/** The same for much work: reading goes on in another thread meanwhile. */
export async function* syncInParallel(
  db: Db,
  transcripts: readonly Transcript[],
  context: SyncContext,
  thread: URL,
): AsyncGenerator<SyncStep, void> {
  const writer = startWriter(db, context, { indexed: transcripts });
  try {
    // Loaded here: most runs have little to do and need no thread.
    const { readInThread } = await import("./reader-thread.ts");
    const requests = readRequests(db, transcripts, context);
    // Nobody is kept from writing while this waits.
    const onWait = () => writer.end();
    for await (const step of readInThread(requests, context, { thread, onWait })) yield writer.store(step);
  } finally {
    writer.end();
  }
}

interface Writer {
  store(step: ReadStep): SyncStep;
  end(): void;
}

/**
 * Takes the steps of reading in their order, whoever reads. Where much is written, it is indexed while reading goes on:
 * tool uses at once, turns when all transcripts of their session have been read.
 */
function startWriter(db: Db, context: SyncContext, { indexed }: { indexed?: readonly Transcript[] } = {}): Writer {
  const unread = new Map<string, number>();
  for (const { file } of indexed ?? []) unread.set(file.sessionId, (unread.get(file.sessionId) ?? 0) + 1);
  let read: string[] = [];
  const noteEnd = ({ sessionId }: TranscriptFile): void => {
    const left = (unread.get(sessionId) ?? 0) - 1;
    unread.set(sessionId, left);
    if (left === 0) read.push(sessionId);
  };
  const group = startGroup(db, TRANSACTION_BYTES, {
    start: startBatch,
    end(batch) {
      endBatch(db, batch);
      if (indexed === undefined) return;
      indexNewToolUses(db, batch.toolUses);
      indexTurnsOf(db, read);
      read = [];
    },
  });
  let outcome: FileOutcome | undefined;
  let isBroken = false;
  return {
    store(step) {
      const { file } = step;
      if (outcome?.file.path !== file.path) {
        outcome = { file, state: "new", bytes: 0, events: 0, malformed: [], tooLong: [], unknown: {} };
        isBroken = false;
      }
      const bytes = "error" in step ? 0 : step.piece.bytes;
      if ("error" in step || step.piece.isLast) noteEnd(file);
      // After a piece that could not be stored the rest would leave a hole: the next run reads on from before it.
      if (isBroken) return { bytes };
      const message = "error" in step ? step.error : storePiece(db, group, step.piece, outcome, context);
      isBroken = message !== undefined;
      if ("error" in step && step.isGone === true) return { bytes, isGone: true };
      if (message !== undefined) return { bytes, failed: { path: file.path, message } };
      return "piece" in step && step.piece.isLast ? { bytes, outcome } : { bytes };
    },
    end: () => group.end(),
  };
}

function* readRequests(db: Db, transcripts: readonly Transcript[], context: SyncContext): Generator<ReadRequest> {
  for (const transcript of transcripts) {
    const known = readSyncState(db, transcript.file.path);
    yield {
      transcript,
      known,
      isElsewhere: known !== undefined && isElsewhere(db, known.session_id, context),
      isForgotten: namesForgotten(db, transcript.file.sessionId),
    };
  }
}

/** A session that is there already belongs to the project it was filed under. */
function isElsewhere(db: Db, sessionId: string, { project }: SyncContext): boolean {
  const own = project === undefined ? undefined : projectOfSession(db, sessionId);
  return own !== undefined && own.name !== project && own.key !== project;
}

/** Says what went wrong with this piece, if it was the piece; trouble of the store itself ends the run. */
function storePiece(
  db: Db,
  group: TransactionGroup<Batch>,
  piece: Piece,
  outcome: FileOutcome,
  context: SyncContext,
): string | undefined {
  const skippedBefore = outcome.malformed.length + outcome.tooLong.length;
  const hasNews = outcome.events + piece.events.length > 0;
  try {
    group.add(piece.bytes, (batch) => {
      writePiece(db, batch, piece, skippedBefore);
      if (piece.isLast && context.enqueue && hasNews) enqueueSession(db, outcome.file.sessionId, Date.now());
    });
  } catch (error) {
    if (isStoreTrouble(error)) throw error;
    return (error as Error).message;
  }
  outcome.state = piece.state;
  outcome.bytes += piece.bytes;
  outcome.events += piece.events.length;
  outcome.malformed.push(...piece.malformed);
  outcome.tooLong.push(...piece.tooLong);
  for (const [type, times] of Object.entries(piece.unknown)) {
    const before = Object.hasOwn(outcome.unknown, type) ? (outcome.unknown[type] ?? 0) : 0;
    outcome.unknown[type] = before + times;
  }
  if (piece.checkpoint !== undefined) context.marks.set(outcome.file.path, piece.checkpoint);
  return undefined;
}

/** What is no piece of a file: from a copy. */
export function storeEvents(db: Db, events: readonly CapturedEvent[]): void {
  const batch = startBatch();
  applyAll(db, batch, events);
  endBatch(db, batch);
}

function applyAll(db: Db, batch: Batch, events: readonly CapturedEvent[]): void {
  for (const event of events) applyInBatch(db, batch, event, `${event.sessionId}:${event.at}`);
}

function writePiece(db: Db, batch: Batch, piece: Piece, skippedBefore: number): void {
  applyAll(db, batch, piece.events);
  if (piece.checkpoint === undefined) return;
  saveSyncState(db, piece.checkpoint, skippedBefore + piece.malformed.length + piece.tooLong.length, Date.now());
}
