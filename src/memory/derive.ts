// Brings memory up to its evidence, turn by turn: each is there as a whole or still marked as out of date.
import { EXTRACTOR, type TurnMemory } from "../core/memory.ts";
import type { Db } from "../store/db/driver.ts";
import { deleteOrphans, renewKeys } from "../store/tables/observations.ts";
import { markAllLinksStale } from "../store/tables/stale-links.ts";
import { clearStaleTurn, markMemoryStale, nextStaleTurn, staleSessions } from "../store/tables/stale-turns.ts";
import { transaction } from "../store/db/transaction.ts";
import { loadTurnEvidence, type TurnEvidence } from "../store/reads/turn-evidence.ts";
import { extractTurn } from "./extract/extract-turn.ts";
import { updateLinks } from "./relate/update-links.ts";
import { saveTurnMemory } from "./save.ts";
import { saveSession } from "./session.ts";
import { countUse } from "./injection-usage.ts";

export interface Derived {
  turns: number;
  /** Of the prompts whose memory is another one now, their ids in the database. */
  changed: number[];
}

/**
 * Every turn of the session that is out of date; with the last of them the session's own summary and titles. What follows
 * from a turn (`onTurn`) is written in the turn's own transaction: a kill leaves both or neither.
 */
export function deriveSession(
  db: Db,
  sessionDbId: number,
  now: number,
  onTurn: (turn: { id: number; isChanged: boolean }) => void = () => {},
): Derived {
  const derived: Derived = { turns: 0, changed: [] };
  for (;;) {
    const turn = transaction(db, () => {
      const next = deriveNext(db, sessionDbId, now);
      if (next !== undefined) onTurn(next);
      return next;
    });
    if (turn === undefined) return derived;
    derived.turns += 1;
    if (turn.isChanged) derived.changed.push(turn.id);
  }
}

/** The newest sessions first, for so long. Returns how many are left for later. */
export function deriveNewest(db: Db, projectId: number | undefined, maxMs: number): number {
  const deadline = Date.now() + maxMs;
  const waiting = staleSessions(db, projectId);
  for (const [index, { id }] of waiting.entries()) {
    if (Date.now() >= deadline) return waiting.length - index;
    deriveSession(db, id, Date.now());
  }
  return 0;
}

function deriveNext(db: Db, sessionDbId: number, now: number): { id: number; isChanged: boolean } | undefined {
  const turn = nextStaleTurn(db, sessionDbId);
  if (turn === undefined) return undefined;
  const evidence = loadTurnEvidence(db, sessionDbId, turn.prompt_number);
  const place = { sessionDbId, promptNumber: turn.prompt_number };
  const isChanged = evidence !== undefined && saveTurnMemory(db, place, memoryOf(evidence), EXTRACTOR, now);
  clearStaleTurn(db, turn.id);
  // In the same transaction: a process that dies now leaves nothing half done.
  if (nextStaleTurn(db, sessionDbId) === undefined) {
    saveSession(db, sessionDbId, now);
    countUse(db, sessionDbId);
  }
  return { id: turn.id, isChanged };
}

/** A turn gets its summary when it ends, and a first one before the agent compacts its context. */
function memoryOf(evidence: TurnEvidence): Pick<TurnMemory, "observations"> & Partial<TurnMemory> {
  const memory = extractTurn(evidence);
  const { state, hasCheckpoint } = evidence.prompt;
  return state === "running" && !hasCheckpoint ? { observations: memory.observations } : memory;
}

/** How long links are made before somebody may interrupt. */
const LINKS_MS = 200;

export interface Rebuilt {
  sessions: number;
  turns: number;
  changed: number;
}

/**
 * Derives all memory again, of one project or of all: what comes out the same keeps its id, what a person made stays, and
 * so does what a model made. Yields after every session how far it has come.
 */
export function* rebuildMemory(
  db: Db,
  { projectId, now }: { projectId?: number | undefined; now: number },
): Generator<{ soFar: Rebuilt; total: number }, Rebuilt> {
  transaction(db, () => {
    deleteOrphans(db, projectId);
    renewKeys(db, projectId);
    markMemoryStale(db, projectId);
    markAllLinksStale(db, projectId);
  });
  const sessions = staleSessions(db, projectId);
  const total = sessions.reduce((sum, { turns }) => sum + turns, 0);
  const rebuilt: Rebuilt = { sessions: 0, turns: 0, changed: 0 };
  for (const { id } of sessions) {
    const { turns, changed } = deriveSession(db, id, now);
    rebuilt.sessions += 1;
    rebuilt.turns += turns;
    rebuilt.changed += changed.length;
    yield { soFar: { ...rebuilt }, total };
  }
  while (updateLinks(db, { maxMs: LINKS_MS }) > 0) yield { soFar: { ...rebuilt }, total };
  return rebuilt;
}
