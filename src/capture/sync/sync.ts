// Reads the new part of each transcript into the store, in pieces. Each piece is stored completely or not at all.
import { ownValue } from "../../agents/fields.ts";
import type { TranscriptFile } from "../../agents/transcript.ts";
import { userSettings } from "../../config/load.ts";
import type { Env, Paths } from "../../config/paths.ts";
import type { CapturedEvent } from "../../core/event.ts";
import { type Db, isStorageError } from "../../store/db/driver.ts";
import { startGroup } from "../../store/db/transaction.ts";
import { indexNewToolUses, indexTurnsOf } from "../../store/fts/search-index.ts";
import { enqueueSession } from "../../store/tables/jobs.ts";
import { projectOfSession } from "../../store/tables/projects.ts";
import { readSyncState, saveSyncState, type SyncMark, syncMarks } from "../../store/tables/sync-state.ts";
import { hasForgottenHistory } from "../../store/tables/tombstones.ts";
import { applyInBatch } from "../live/apply.ts";
import { type Batch, endBatch, startBatch } from "../live/batch.ts";
import { knownPrivateIds } from "./checkpoint.ts";
import {
  type Piece,
  type ReadContext,
  type ReadRequest,
  type ReadStep,
  readTranscript,
  type Transcript,
} from "./read-transcript.ts";

/** Bytes of transcript per transaction: bounds how long the write lock is held. Small files share a transaction. */
const TRANSACTION_BYTES = 8 * 1024 * 1024;

/** Shared by all transcripts of one run. */
export interface SyncContext extends ReadContext {
  /** Whether to queue jobs that derive memory from the new events. */
  enqueue: boolean;
  /** The folder of compressed copies. */
  archive: string;
  /** Path -> size and time of the file when it was last read. */
  marks: Map<string, SyncMark>;
}

export interface FileOutcome extends Pick<Piece, "state" | "bytes" | "malformed" | "tooLong" | "unknown"> {
  file: TranscriptFile;
  events: number;
}

export interface SyncStep {
  /** Bytes read since the last step. */
  bytes: number;
  /** Set when a file was read to its end. */
  outcome?: FileOutcome;
  /** Set when a file could not be read or stored. */
  failed?: { path: string; message: string };
  /** Set when a file was deleted after it was found. */
  isGone?: true;
}

/** With a `sessionId`, loads only the marks of that session: loading all takes longer than reading one session. */
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
    excludePaths: userSettings(paths, env).excludePaths,
    privateIds: knownPrivateIds(db, options.sessionId),
    places: new Map(),
  };
}

export function isUnchanged(file: TranscriptFile, { marks, force }: SyncContext): boolean {
  const known = marks.get(file.path);
  return !force && known?.size === file.bytes && known.mtime === Math.floor(file.modifiedAt);
}

/** The caller may stop after any step; stored pieces stay. No transaction is open between two steps. */
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

/** Like `syncTranscripts`, but reads in a thread: faster for many or large transcripts. */
export async function* syncInParallel(
  db: Db,
  transcripts: readonly Transcript[],
  context: SyncContext,
  thread: URL,
): AsyncGenerator<SyncStep, void> {
  const writer = startWriter(db, context, transcripts);
  try {
    // Imported here, because most runs have little to read and use no thread.
    const { readInThread } = await import("./reader-thread.ts");
    const requests = readRequests(db, transcripts, context);
    // Commit before waiting, so that other processes can write.
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

/** If `indexed` names the run's transcripts, their rows are indexed, too: a turn after all files of its session. */
function startWriter(db: Db, context: SyncContext, indexed?: readonly Transcript[]): Writer {
  const unread = new Map<string, number>();
  for (const { file } of indexed ?? []) unread.set(file.sessionId, (unread.get(file.sessionId) ?? 0) + 1);
  let finished: string[] = [];
  const group = startGroup(db, TRANSACTION_BYTES, {
    start: startBatch,
    end(batch) {
      endBatch(db, batch);
      if (indexed === undefined) return;
      indexNewToolUses(db, batch.toolUses);
      indexTurnsOf(db, finished);
      finished = [];
    },
  });
  let outcome: FileOutcome | undefined;
  let isBroken = false;
  /** Returns the error message of a piece that cannot be stored. Throws if the store itself fails. */
  const storePiece = (piece: Piece, into: FileOutcome): string | undefined => {
    const skippedBefore = into.malformed.length + into.tooLong.length;
    const hasEvents = into.events + piece.events.length > 0;
    try {
      group.add(piece.bytes, (batch) => {
        const { checkpoint, malformed, tooLong } = piece;
        const skipped = skippedBefore + malformed.length + tooLong.length;
        applyAll(db, batch, piece.events);
        if (checkpoint !== undefined) saveSyncState(db, checkpoint, skipped, Date.now());
        if (piece.isLast && context.enqueue && hasEvents) enqueueSession(db, into.file.sessionId, Date.now());
      });
    } catch (error) {
      if (isStorageError(error)) throw error;
      return (error as Error).message;
    }
    addPiece(into, piece);
    if (piece.checkpoint !== undefined) context.marks.set(into.file.path, piece.checkpoint);
    return undefined;
  };
  return {
    store(step) {
      const { file } = step;
      if (outcome?.file.path !== file.path) {
        outcome = { file, state: "new", bytes: 0, events: 0, malformed: [], tooLong: [], unknown: {} };
        isBroken = false;
      }
      const piece = "piece" in step ? step.piece : undefined;
      const bytes = piece?.bytes ?? 0;
      if (piece === undefined || piece.isLast) {
        const left = (unread.get(file.sessionId) ?? 0) - 1;
        unread.set(file.sessionId, left);
        if (left === 0) finished.push(file.sessionId);
      }
      // If one piece was not stored, the file's later ones are not either: the next run continues before the gap.
      if (isBroken) return { bytes };
      const message = "error" in step ? step.error : storePiece(step.piece, outcome);
      isBroken = message !== undefined;
      if ("error" in step && step.isGone === true) return { bytes, isGone: true };
      if (message !== undefined) return { bytes, failed: { path: file.path, message } };
      return piece?.isLast ? { bytes, outcome } : { bytes };
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
      isOtherProject: known !== undefined && isOtherProject(db, known.session_id, context),
      isForgotten: hasForgottenHistory(db, transcript.file.sessionId),
    };
  }
}

/** A stored session stays in its project, even if its transcript now names another. */
function isOtherProject(db: Db, sessionId: string, { project }: SyncContext): boolean {
  const own = project === undefined ? undefined : projectOfSession(db, sessionId);
  return own !== undefined && own.name !== project && own.key !== project;
}

function addPiece(outcome: FileOutcome, { state, bytes, events, malformed, tooLong, unknown }: Piece): void {
  outcome.state = state;
  outcome.bytes += bytes;
  outcome.events += events.length;
  outcome.malformed.push(...malformed);
  outcome.tooLong.push(...tooLong);
  for (const [type, times] of Object.entries(unknown)) {
    outcome.unknown[type] = (ownValue(outcome.unknown, type) ?? 0) + times;
  }
}

function applyAll(db: Db, batch: Batch, events: readonly CapturedEvent[]): void {
  for (const event of events) applyInBatch(db, batch, event, `${event.sessionId}:${event.at}`);
}

/** Stores events that come from the archive or an import instead of a transcript. */
export function storeEvents(db: Db, events: readonly CapturedEvent[]): void {
  const batch = startBatch();
  applyAll(db, batch, events);
  endBatch(db, batch);
}
