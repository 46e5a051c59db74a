// Where reading a transcript stopped, and how it continues. The reader's state is written to disk, so it must pass the
// same filter as all other text: a state that contains something private is not stored.
import { closeSync, openSync, readSync } from "node:fs";
import type { LineReader, TranscriptFile } from "../../agents/transcript.ts";
import { turnOf } from "../../agents/turn.ts";
import { filterValue } from "../../core/privacy/filter.ts";
import type { Db } from "../../store/db/driver.ts";
import { privateStates, type SyncState } from "../../store/tables/sync-state.ts";

/** Raised when a reader's state changes its shape: every file is then read again from its beginning. */
export const STATE_VERSION = 3;
/** The stored size of a file that has not been read to its end. */
export const UNFINISHED = -1;

export interface Position {
  kind: "new" | "grown" | "rewritten";
  offset: number;
  line: number;
  state: unknown;
  /** The last place whose state may be stored, as JSON. The next run continues there; rows read twice are stored once. */
  stored: { offset: number; line: number; state: string };
}

/** Continues after what was read last if the file has only grown since, else starts at its beginning. */
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

/** Must be stored in the transaction that stores the events up to here. */
export function checkpointOf(
  file: TranscriptFile,
  position: Position,
  { isLast, isSecret }: { isLast: boolean; isSecret: boolean },
): SyncState {
  const state = JSON.stringify(position.state);
  if (!isSecret && isStorable(position.state, state))
    position.stored = { offset: position.offset, line: position.line, state };
  const { stored } = position;
  // Private ids reveal nothing, and an older state must not lose the newer ones.
  const withIds = JSON.parse(stored.state) as unknown;
  addPrivateIds(withIds, new Set(privateIdsOf(position.state)));
  return {
    path: file.path,
    agent: file.agent,
    session_id: file.sessionId,
    byte_offset: stored.offset,
    line: stored.line,
    // Until the last piece is stored the file counts as changed, so that an interrupted run continues.
    size: isLast ? file.bytes : UNFINISHED,
    mtime: Math.floor(file.modifiedAt),
    fingerprint: fingerprint(file.path, stored.offset),
    state: JSON.stringify({ version: STATE_VERSION, state: withIds }),
  };
}

/** True outside private turns, if the filter would change nothing in the state. */
export function isStorable(state: unknown, text: string): boolean {
  return turnOf(state)?.isPrivate !== true && JSON.stringify(filterValue(state)) === text;
}

/** Where readers collect the ids of private prompts and of the threads those started: subagents' files need them. */
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

/** The private ids that earlier runs found. */
export function knownPrivateIds(db: Db, sessionId?: string): Set<string> {
  const states = privateStates(db, sessionId).map((text) => (JSON.parse(text) as { state: unknown }).state);
  return new Set(states.flatMap(privateIdsOf));
}

const HEAD_BYTES = 1024;
const TAIL_BYTES = 512;

/** Of the file's first bytes and the last before `offset`: tells a file that has grown from one that was rewritten. */
export function fingerprint(path: string, offset: number): string {
  // A document may be a row of a database, with no file of its own.
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

/** 64 bits, FNV-1a twice: no one gains from a collision, and loading node:crypto takes longer than all the rest. */
function hashOf(bytes: Buffer): string {
  let [low, high] = [0x811c9dc5, 0x9747b28c];
  // By index: in a process that has just started, an iterator takes a millisecond longer.
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0;
    low = Math.imul(low ^ byte, 0x01000193);
    high = Math.imul(high ^ byte, 0x85ebca6b) ^ (low >>> 15);
  }
  return [low, high].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}
