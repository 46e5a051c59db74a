// What the events of one transaction have in common. Most say again where they happened and in which turn: that is
// asked and written once, not once per event. Good for one transaction only; another process may write after it.
import type { CapturedEvent } from "../../core/event.ts";
import type { Db } from "../../store/db/driver.ts";
import { projectRoot, upsertProject } from "../../store/tables/projects.ts";
import {
  currentPromptNumber,
  endPrompt,
  findPromptNumber,
  indexLetters,
  type NewPrompt,
  reopenTurn,
  type TurnEnd,
} from "../../store/tables/prompts.ts";
import type { ToolUseText } from "../../store/fts/search-index.ts";
import { updateStatus } from "../../store/tables/session-status.ts";
import { type SessionSeed, setModel, upsertSession, widenSession } from "../../store/tables/sessions.ts";
import { markTurnStale } from "../../store/tables/stale-turns.ts";

interface SeenSession {
  id: number;
  projectId: number;
  /** All that was said of the session when it was written last. */
  said: SessionSeed;
  firstAt: number;
  lastAt: number;
  /** The newest that was known when this was said. Where that was newer, it is to be said again by what is newer still. */
  newestAt: number;
  isWritten: boolean;
  purgedAt: number | null;
}

export interface Batch {
  projects: Map<string, number>;
  /** By the project's id. */
  roots: Map<number, string>;
  sessions: Map<string, SeenSession>;
  turns: Map<string, number>;
  stale: Set<string>;
  /** Turns that are known to be open: work in them reopens nothing. */
  open: Set<string>;
  models: Map<number, string>;
  /** New ones, whose letters are indexed at the end: FTS5 would write out what it holds before many a statement. */
  prompts: NewPrompt[];
  /** New ones, for who wants to index them at once. */
  toolUses: ToolUseText[];
  /** Something was forgotten once, and must not come back; asked for when the first event comes. */
  hasTombstones?: boolean;
}

export function startBatch(): Batch {
  return {
    projects: new Map(),
    roots: new Map(),
    sessions: new Map(),
    turns: new Map(),
    stale: new Set(),
    open: new Set(),
    models: new Map(),
    prompts: [],
    toolUses: [],
  };
}

/** Writes what was held back. */
export function endBatch(db: Db, batch: Batch): void {
  for (const session of batch.sessions.values()) writeTimes(db, session);
  for (const prompt of batch.prompts) indexLetters(db, prompt);
  updateStatus(
    db,
    Array.from(batch.sessions.values(), ({ id }) => id),
  );
}

function writeTimes(db: Db, session: SeenSession): void {
  if (!session.isWritten) widenSession(db, session.id, session.firstAt, session.lastAt);
  session.isWritten = true;
}

export function projectId(db: Db, batch: Batch, { project, at }: CapturedEvent): number {
  const known = batch.projects.get(project.key);
  if (known !== undefined) return known;
  const id = upsertProject(db, project, at);
  batch.projects.set(project.key, id);
  return id;
}

/** Of a project that is in the store. */
export function rootOf(db: Db, batch: Batch, id: number): string {
  const known = batch.roots.get(id);
  if (known !== undefined) return known;
  const root = projectRoot(db, id);
  batch.roots.set(id, root);
  return root;
}

export function sessionOf(db: Db, batch: Batch, seed: SessionSeed): Pick<SeenSession, "id" | "projectId" | "purgedAt"> {
  const { at, sessionId } = seed;
  const seen = batch.sessions.get(sessionId);
  const isOvertaken = seen !== undefined && seen.lastAt < seen.newestAt && at >= seen.newestAt;
  if (seen !== undefined && !isOvertaken && saysTheSame(seen.said, seed)) {
    if (at < seen.firstAt || at > seen.lastAt) seen.isWritten = false;
    seen.firstAt = Math.min(seen.firstAt, at);
    seen.lastAt = Math.max(seen.lastAt, at);
    return seen;
  }
  if (seen !== undefined) writeTimes(db, seen);
  const row = upsertSession(db, seed);
  batch.sessions.set(sessionId, { ...row, newestAt: row.lastAt, said: seed, firstAt: at, lastAt: at, isWritten: true });
  return row;
}

/** But for the time. */
function saysTheSame(a: SessionSeed, b: SessionSeed): boolean {
  return (
    a.projectId === b.projectId &&
    a.cwd === b.cwd &&
    a.branch === b.branch &&
    a.version === b.version &&
    a.transcriptPath === b.transcriptPath &&
    a.agent === b.agent &&
    a.parentId === b.parentId &&
    a.subtitle === b.subtitle
  );
}

/** For what goes by the session's times: they are in the database from here on. */
export function settleTimes(db: Db, batch: Batch, sessionDbId: number): void {
  for (const session of batch.sessions.values()) if (session.id === sessionDbId) writeTimes(db, session);
}

/** The turn of this prompt id; an unknown id (a machine prompt's, or one still to come) belongs to the current turn. */
export function turnOf(db: Db, batch: Batch, sessionDbId: number, promptId?: string): number {
  const key = `${sessionDbId} ${promptId ?? ""}`;
  const seen = batch.turns.get(key);
  if (seen !== undefined) return seen;
  const known = promptId === undefined ? undefined : findPromptNumber(db, sessionDbId, promptId);
  const number = known ?? currentPromptNumber(db, sessionDbId);
  batch.turns.set(key, number);
  return number;
}

/** A new prompt moves the numbers: nothing known of turns holds any more. */
export function forgetTurns(batch: Batch): void {
  batch.turns.clear();
  batch.stale.clear();
  batch.open.clear();
}

export function endTurn(db: Db, batch: Batch, end: TurnEnd): void {
  endPrompt(db, end);
  batch.open.delete(`${end.sessionDbId} ${end.number}`);
}

/** Something happened in the turn: if it had ended before that, it goes on. */
export function goOn(db: Db, batch: Batch, sessionDbId: number, promptNumber: number, at: number): void {
  const key = `${sessionDbId} ${promptNumber}`;
  if (batch.open.has(key)) return;
  if (reopenTurn(db, sessionDbId, promptNumber, at)) batch.open.add(key);
}

export function markStale(db: Db, batch: Batch, sessionDbId: number, promptNumber: number): void {
  const key = `${sessionDbId} ${promptNumber}`;
  if (batch.stale.has(key)) return;
  markTurnStale(db, sessionDbId, promptNumber);
  batch.stale.add(key);
}

export function noteModel(db: Db, batch: Batch, sessionDbId: number, model: string): void {
  if (batch.models.get(sessionDbId) === model) return;
  setModel(db, sessionDbId, model);
  batch.models.set(sessionDbId, model);
}
