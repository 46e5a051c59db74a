// A cache for the events of one transaction: project, session and turn are not looked up and written for every event.
// Other processes may write between two transactions, so each transaction needs a new batch.
import { cached } from "../../core/cached.ts";
import type { CapturedEvent } from "../../core/event.ts";
import type { Db } from "../../store/db/driver.ts";
import type { ToolUseText } from "../../store/fts/search-index.ts";
import { projectRoot, upsertProject } from "../../store/tables/projects.ts";
import {
  currentPromptNumber,
  endPrompt,
  findPromptNumber,
  indexTrigrams,
  reopenTurn,
  type TurnEnd,
} from "../../store/tables/prompts.ts";
import { updateStatus } from "../../store/tables/session-status.ts";
import { type NewSession, updateSession, upsertSession, extendTimeSpan } from "../../store/tables/sessions.ts";
import { markTurnStale } from "../../store/tables/stale-turns.ts";

interface SeenSession {
  id: number;
  projectId: number;
  /** The values last written. */
  written: NewSession;
  firstAt: number;
  lastAt: number;
  /** Time of the session's newest event in the store; an event after it writes the session row again. */
  storedLastAt: number;
  areTimesWritten: boolean;
  purgedAt: number | null;
}

export function startBatch() {
  return {
    /** Project key -> project id. */
    projects: new Map<string, number>(),
    /** Project id -> root folder. */
    roots: new Map<number, string>(),
    sessions: new Map<string, SeenSession>(),
    turns: new Map<string, number>(),
    stale: new Set<string>(),
    /** Turns known to be open, which need not be reopened. */
    open: new Set<string>(),
    models: new Map<number, string>(),
    /** New prompts, indexed at the end: FTS5 writes its buffer to disk before many other statements. */
    prompts: [] as { id: number; text: string }[],
    /** New tool uses, for a caller that indexes them right away. */
    toolUses: [] as ToolUseText[],
    /** True if the store has tombstones: events must be checked against them. Undefined before the first event. */
    hasTombstones: undefined as boolean | undefined,
  };
}

export type Batch = ReturnType<typeof startBatch>;

export function endBatch(db: Db, batch: Batch): void {
  for (const session of batch.sessions.values()) writeTimes(db, session);
  for (const prompt of batch.prompts) indexTrigrams(db, prompt);
  updateStatus(db, batch.sessions.keys());
}

function writeTimes(db: Db, session: SeenSession): void {
  if (!session.areTimesWritten) extendTimeSpan(db, session.id, session.firstAt, session.lastAt);
  session.areTimesWritten = true;
}

export function projectId(db: Db, batch: Batch, { project, at }: CapturedEvent): number {
  return cached(batch.projects, project.key, () => upsertProject(db, project, at));
}

export function rootOf(db: Db, batch: Batch, id: number): string {
  return cached(batch.roots, id, () => projectRoot(db, id));
}

export function sessionOf(
  db: Db,
  batch: Batch,
  session: NewSession,
): Pick<SeenSession, "id" | "projectId" | "purgedAt"> {
  const { at, sessionId } = session;
  const seen = batch.sessions.get(sessionId);
  const isNewest = seen !== undefined && seen.lastAt < seen.storedLastAt && at >= seen.storedLastAt;
  if (seen !== undefined && !isNewest && WRITTEN_KEYS.every((key) => seen.written[key] === session[key])) {
    if (at < seen.firstAt || at > seen.lastAt) seen.areTimesWritten = false;
    seen.firstAt = Math.min(seen.firstAt, at);
    seen.lastAt = Math.max(seen.lastAt, at);
    return seen;
  }
  if (seen !== undefined) writeTimes(db, seen);
  const { lastAt: storedLastAt, ...row } = upsertSession(db, session);
  batch.sessions.set(sessionId, {
    ...row,
    storedLastAt,
    written: session,
    firstAt: at,
    lastAt: at,
    areTimesWritten: true,
  });
  return row;
}

/** If one of these changes, the session row is written again. */
const WRITTEN_KEYS = [
  "projectId",
  "cwd",
  "branch",
  "version",
  "transcriptPath",
  "agent",
  "parentId",
  "subtitle",
] as const;

/** Call before a statement that reads the session's times. */
export function writeTimesNow(db: Db, batch: Batch, sessionDbId: number): void {
  for (const session of batch.sessions.values()) if (session.id === sessionDbId) writeTimes(db, session);
}

/** The turn with this prompt id; for an unknown id (machine prompt, prompt not stored yet) the current turn. */
export function turnOf(db: Db, batch: Batch, sessionDbId: number, promptId?: string): number {
  return cached(batch.turns, `${sessionDbId} ${promptId ?? ""}`, () => {
    const known = promptId === undefined ? undefined : findPromptNumber(db, sessionDbId, promptId);
    return known ?? currentPromptNumber(db, sessionDbId);
  });
}

/** Call after inserting a prompt, which may change the numbers of turns. */
export function clearTurns(batch: Batch): void {
  batch.turns.clear();
  batch.stale.clear();
  batch.open.clear();
}

export function endTurn(db: Db, batch: Batch, end: TurnEnd): void {
  endPrompt(db, end);
  batch.open.delete(`${end.sessionDbId} ${end.number}`);
}

/** Reopens the turn if an event is later than its end. */
export function continueTurn(db: Db, batch: Batch, sessionDbId: number, promptNumber: number, at: number): void {
  const key = `${sessionDbId} ${promptNumber}`;
  if (!batch.open.has(key) && reopenTurn(db, sessionDbId, promptNumber, at)) batch.open.add(key);
}

export function markStale(db: Db, batch: Batch, sessionDbId: number, promptNumber: number): void {
  const key = `${sessionDbId} ${promptNumber}`;
  if (batch.stale.has(key)) return;
  markTurnStale(db, sessionDbId, promptNumber);
  batch.stale.add(key);
}

export function noteModel(db: Db, batch: Batch, sessionDbId: number, model: string): void {
  if (batch.models.get(sessionDbId) === model) return;
  updateSession(db, sessionDbId, { model });
  batch.models.set(sessionDbId, model);
}
