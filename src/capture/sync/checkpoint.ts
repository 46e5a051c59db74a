// Where reading a transcript stopped, and how it goes on from there. What is kept of a reader's state is written to disk,
// so it must pass the same filter as everything else: a state with something private in it is not kept.
import type { LineReader, TranscriptFile } from "../../agents/transcript.ts";
import { turnOf } from "../../agents/turn.ts";
import { filterValue } from "../../core/privacy/filter.ts";
import type { Db } from "../../store/db/driver.ts";
import { privateStates, type SyncState } from "../../store/tables/sync-state.ts";
import { fingerprint } from "./fingerprint.ts";

/** Raised when a reader's state changes its shape: files are then read from the beginning, which changes nothing else. */
export const STATE_VERSION = 3;

export interface Position {
  kind: "new" | "grown" | "rewritten";
  offset: number;
  line: number;
  state: unknown;
  /** The last place whose state may be kept, as JSON. Reading goes on from there: what comes twice is one row. */
  kept: { offset: number; line: number; state: string };
}

/** Where reading begins: after what was read last, if the file has only grown since. */
export function findStart(
  known: SyncState | undefined,
  reader: LineReader<unknown>,
  file: TranscriptFile,
  options: { force: boolean; privateIds: ReadonlySet<string> },
): Position {
  const stored = known === undefined || options.force ? undefined : readState(known);
  const isGrown =
    known !== undefined &&
    stored !== undefined &&
    file.bytes >= known.byte_offset &&
    fingerprintAt(file, known.byte_offset) === known.fingerprint;
  const offset = isGrown ? known.byte_offset : 0;
  const line = isGrown ? known.line : 0;
  const state = isGrown ? stored : reader.start(file);
  addPrivateIds(state, options.privateIds);
  const kind = known === undefined ? "new" : isGrown ? "grown" : "rewritten";
  return { kind, offset, line, state, kept: { offset, line, state: JSON.stringify(state) } };
}

/** The size of a file that has not been read to its end. */
export const UNFINISHED = -1;

/** Nothing read says nothing: and a document may be a row of a database, not a file of its own. */
function fingerprintAt(file: TranscriptFile, offset: number): string {
  return offset === 0 ? "" : fingerprint(file.path, offset);
}

function readState({ state: text }: SyncState): unknown {
  const { version, state } = JSON.parse(text) as { version: number; state: unknown };
  return version === STATE_VERSION ? state : undefined;
}

/** To be stored in the transaction that stores what was read up to here. */
export function checkpointOf(
  file: TranscriptFile,
  position: Position,
  { isLast, isSecret }: { isLast: boolean; isSecret: boolean },
): SyncState {
  const state = JSON.stringify(position.state);
  const isKept = !isSecret && isStorable(position.state, state);
  if (isKept) position.kept = { offset: position.offset, line: position.line, state };
  const { kept } = position;
  return {
    path: file.path,
    agent: file.agent,
    session_id: file.sessionId,
    byte_offset: kept.offset,
    line: kept.line,
    // Until the last piece is in, the file counts as changed: an interrupted run is taken up again.
    size: isLast ? file.bytes : UNFINISHED,
    mtime: Math.floor(file.modifiedAt),
    fingerprint: fingerprintAt(file, kept.offset),
    state: JSON.stringify({ version: STATE_VERSION, state: withPrivateIds(kept.state, position.state) }),
  };
}

/** Not within a private turn, and nothing in it that the filter would change. */
export function isStorable(state: unknown, text: string): boolean {
  if (turnOf(state)?.isPrivate === true) return false;
  return JSON.stringify(filterValue(state)) === text;
}

/** Where readers keep the ids of private prompts and of the threads those started: subagents' files need them. */
const ID_LISTS = ["privatePromptIds", "privateThreadIds"];

/** Ids say nothing of what was private, and must not be forgotten: those known now go with the older state. */
function withPrivateIds(kept: string, current: unknown): unknown {
  const state = JSON.parse(kept) as unknown;
  addPrivateIds(state, new Set(privateIdsOf(current)));
  return state;
}

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

/** The private ids that earlier runs have met. */
export function knownPrivateIds(db: Db, sessionId?: string): Set<string> {
  return new Set(
    privateStates(db, sessionId).flatMap((text) => privateIdsOf((JSON.parse(text) as { state: unknown }).state)),
  );
}
