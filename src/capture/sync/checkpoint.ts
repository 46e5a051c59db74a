// Stores where reading a transcript stopped, so that the next run continues there. The reader's state is written to
// disk, so a state with secrets or private text is not stored: the next run then continues at an earlier position.
import { closeSync, openSync, readSync } from "node:fs";
import type { LineReader, TranscriptFile } from "../../agents/transcript.ts";
import { turnOf } from "../../agents/turn.ts";
import { filterValue } from "../../core/privacy/filter.ts";
import type { Db } from "../../store/db/driver.ts";
import { statesWithPrivatePrompts, type SyncState } from "../../store/tables/sync-state.ts";

/** To be incremented when a reader's state changes its shape: each file is then read again from its beginning. */
export const STATE_VERSION = 3;
/** The stored size of a file that has not been read to its end. */
export const UNFINISHED = -1;

export interface Position {
  kind: "new" | "grown" | "rewritten";
  offset: number;
  line: number;
  state: unknown;
  /** The last position whose state may be stored. The next run continues there; events read twice are stored once. */
  stored: { offset: number; line: number; state: string };
}

/** Starts at the stored position if the file has only grown since, else at its beginning. */
export function findStart(
  known: SyncState | undefined,
  reader: LineReader<unknown>,
  file: TranscriptFile,
  { force, privateIds }: { force: boolean; privateIds: ReadonlySet<string> },
): Position {
  const stored = known === undefined || force ? undefined : readState(known);
  const isGrown =
    known !== undefined &&
    stored !== undefined &&
    file.bytes >= known.byte_offset &&
    fingerprint(file.path, known.byte_offset) === known.fingerprint;
  const [offset, line, state] = isGrown ? [known.byte_offset, known.line, stored] : [0, 0, reader.start(file)];
  addPrivateIds(state, privateIds);
  const kind = known === undefined ? "new" : isGrown ? "grown" : "rewritten";
  return { kind, offset, line, state, stored: { offset, line, state: JSON.stringify(state) } };
}

function readState({ state: text }: SyncState): unknown {
  const { version, state } = JSON.parse(text) as { version: number; state: unknown };
  return version === STATE_VERSION ? state : undefined;
}

/** The caller stores the result in the same transaction as the events before this position. */
export function checkpointOf(
  file: TranscriptFile,
  position: Position,
  { isLast, isSecret }: { isLast: boolean; isSecret: boolean },
): SyncState {
  const state = JSON.stringify(position.state);
  if (!isSecret && isStorable(position.state, state))
    position.stored = { offset: position.offset, line: position.line, state };
  const { stored } = position;
  // If an older state is stored, newer private ids are added to it. Ids reveal nothing.
  const withIds = JSON.parse(stored.state) as unknown;
  addPrivateIds(withIds, new Set(privateIdsOf(position.state)));
  return {
    path: file.path,
    agent: file.agent,
    session_id: file.sessionId,
    byte_offset: stored.offset,
    line: stored.line,
    // Until the last piece is stored, the file counts as changed, so that the next run continues an interrupted one.
    size: isLast ? file.bytes : UNFINISHED,
    mtime: Math.floor(file.modifiedAt),
    fingerprint: fingerprint(file.path, stored.offset),
    state: JSON.stringify({ version: STATE_VERSION, state: withIds }),
  };
}

/** True if the current turn is not private and the filter would change nothing in the state. */
export function isStorable(state: unknown, text: string): boolean {
  return turnOf(state)?.isPrivate !== true && JSON.stringify(filterValue(state)) === text;
}

/** Fields of a state with the ids of private prompts and of threads they started, whose subagents are skipped. */
const ID_LISTS = ["privatePromptIds", "privateThreadIds"];

export function addPrivateIds(state: unknown, ids: ReadonlySet<string>): void {
  const lists = (state ?? {}) as Record<string, unknown>;
  for (const name of ID_LISTS) {
    const list = lists[name];
    if (Array.isArray(list)) lists[name] = [...new Set([...(list as string[]), ...ids])];
  }
}

export function privateIdsOf(state: unknown): string[] {
  const lists = (state ?? {}) as Record<string, unknown>;
  return ID_LISTS.flatMap((name) => (Array.isArray(lists[name]) ? (lists[name] as string[]) : []));
}

/** The private ids found by earlier runs, in all stored states or those of one session. */
export function knownPrivateIds(db: Db, sessionId?: string): Set<string> {
  const states = statesWithPrivatePrompts(db, sessionId).map((text) => (JSON.parse(text) as { state: unknown }).state);
  return new Set(states.flatMap(privateIdsOf));
}

const HEAD_BYTES = 1024;
const TAIL_BYTES = 512;

/** Hash of the file's first 1024 bytes and the 512 before `offset`. Stays the same while the file only grows. */
export function fingerprint(path: string, offset: number): string {
  // No byte was read, or the transcript is a document, which may be a row of a database instead of a file.
  if (offset === 0) return "";
  const fd = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(Math.min(HEAD_BYTES, offset) + Math.min(TAIL_BYTES, offset));
    const head = readSync(fd, bytes, 0, Math.min(HEAD_BYTES, offset), 0);
    const tail = readSync(fd, bytes, head, Math.min(TAIL_BYTES, offset), Math.max(0, offset - TAIL_BYTES));
    return hashOf(bytes.subarray(0, head + tail));
  } finally {
    closeSync(fd);
  }
}

/** Two 32-bit hashes like FNV-1a. It need not be secure, and loading node:crypto takes longer than the hashing. */
function hashOf(bytes: Buffer): string {
  let [low, high] = [0x811c9dc5, 0x9747b28c];
  // A loop by index: in a process that has just started, an iterator takes 1 ms longer.
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0;
    low = Math.imul(low ^ byte, 0x01000193);
    high = Math.imul(high ^ byte, 0x85ebca6b) ^ (low >>> 15);
  }
  return [low, high].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}
