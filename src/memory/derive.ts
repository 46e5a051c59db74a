// Derives memory from evidence, one transaction per turn: after a kill, each turn is either derived or still stale.
import { EXTRACTOR, type Summary } from "../core/memory.ts";
import type { Db } from "../store/db/driver.ts";
import { transaction } from "../store/db/transaction.ts";
import { copiedTurns, isCopiedTurn } from "../store/reads/copied-turns.ts";
import { loadTurnEvidence } from "../store/reads/turn-evidence.ts";
import { enqueueTurn } from "../store/tables/model-turns.ts";
import { deleteOrphans, renewKeys } from "../store/tables/observations.ts";
import { currentPromptNumber } from "../store/tables/prompts.ts";
import { markAllLinksStale } from "../store/tables/stale-links.ts";
import {
  clearStaleMemory,
  markMemoryStale,
  markTurnMemoryStale,
  nextStaleTurn,
  staleSessions,
} from "../store/tables/stale-turns.ts";
import { currentSummary } from "../store/tables/summaries.ts";
import { extractTurn } from "./extract/extract-turn.ts";
import { countUsedItems } from "./injection-usage.ts";
import { updateLinks } from "./relate/update-links.ts";
import { saveSession } from "./save-session.ts";
import { deleteTurnMemory, saveTurnMemory } from "./save-turn.ts";
import { readRepositoryState, repositoryOpenEnds } from "./session/open-ends.ts";

export interface Derived {
  turns: number;
  /** Database ids of the prompts whose turns got different memory. */
  changed: number[];
}

/** Derives all stale turns of a session, then its summary and title. */
export function deriveSession(db: Db, sessionDbId: number, now: number): Derived {
  const derived: Derived = { turns: 0, changed: [] };
  for (;;) {
    const turn = transaction(db, () => deriveNextTurn(db, sessionDbId, now));
    if (turn === undefined) return derived;
    derived.turns += 1;
    if (turn.isChanged) derived.changed.push(turn.id);
  }
}

/** Derives stale sessions, newest first, until the time is up. Returns how many are still stale. */
export function deriveNewest(db: Db, projectId: number | undefined, maxMs: number): number {
  const deadline = Date.now() + maxMs;
  const stale = staleSessions(db, projectId);
  for (const [index, { id }] of stale.entries()) {
    if (Date.now() >= deadline) return stale.length - index;
    deriveSession(db, id, Date.now());
  }
  return 0;
}

function deriveNextTurn(db: Db, sessionDbId: number, now: number) {
  const turn = nextStaleTurn(db, sessionDbId);
  if (turn === undefined) return undefined;
  const key = { sessionDbId, promptNumber: turn.prompt_number };
  const isCopy = isCopiedTurn(db, turn.id);
  const evidence = isCopy ? undefined : loadTurnEvidence(db, sessionDbId, turn.prompt_number);
  let isChanged = isCopy && deleteTurnMemory(db, key, EXTRACTOR, now);
  if (evidence !== undefined) {
    const { observations, summary: ownSummary } = extractTurn(evidence);
    const summary = withRepository(db, sessionDbId, turn.prompt_number, ownSummary);
    const { state, hasCheckpoint } = evidence.prompt;
    // A running turn has no summary yet, unless the agent compacted its context.
    const memory = state === "running" && !hasCheckpoint ? { observations } : { observations, summary };
    isChanged = saveTurnMemory(db, key, memory, EXTRACTOR, now);
    markCopiesStale(db, turn.id);
  }
  clearStaleMemory(db, turn.id);
  // Here, because any process may derive a turn before the worker does, e.g. the page.
  if (!isCopy) enqueueTurn(db, turn.id, now);
  if (nextStaleTurn(db, sessionDbId) === undefined) {
    saveSession(db, sessionDbId, now);
    countUsedItems(db, sessionDbId);
  }
  return { id: turn.id, isChanged };
}

/** Memory is derived from this turn, so not from its copies any more: another of them may have been the best before. */
function markCopiesStale(db: Db, promptDbId: number): void {
  for (const { session_db_id: sessionDbId, prompt_number: number } of copiedTurns(db, promptDbId))
    if (currentSummary(db, sessionDbId, number) !== undefined) markTurnMemoryStale(db, sessionDbId, number);
}

/** After the last turn, its pull requests and branches are open, too. `saveSession` removes them from earlier turns. */
function withRepository(db: Db, sessionDbId: number, promptNumber: number, summary: Summary): Summary {
  if (promptNumber !== currentPromptNumber(db, sessionDbId)) return summary;
  const { published } = repositoryOpenEnds(db, sessionDbId, readRepositoryState(db, sessionDbId, promptNumber));
  return { ...summary, nextSteps: [summary.nextSteps, ...published].filter(Boolean).join("\n") };
}

/** Time spent on links between two yields. */
const LINKS_MS = 200;

export interface Rebuilt {
  sessions: number;
  turns: number;
  changed: number;
}

/** Derives all memory of a project, or of all, again. Unchanged rows keep their ids; rows of users and models stay. */
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
