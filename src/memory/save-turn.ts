// Saves one producer's memory of a turn: unchanged rows keep their ids, rows that a user edited stay, rows that a
// session used are no longer current, the producer's other rows are deleted.
import { EXTRACTOR, type Observation, type Producer, type TurnMemory } from "../core/memory.ts";
import type { Db } from "../store/db/driver.ts";
import { findItem } from "../store/reads/items.ts";
import { wasUsed } from "../store/tables/injections.ts";
import { deleteLinksFrom, insertLink } from "../store/tables/links.ts";
import { renewFilesOfTurn } from "../store/tables/observation-files.ts";
import {
  contentHash,
  deleteObservation,
  insertObservation,
  isEditedByUser,
  replaceEvidence,
  observationOf,
  type ObservationRow,
  observationsOfTurn,
  setCurrent,
} from "../store/tables/observations.ts";
import { projectIdOfSession } from "../store/tables/projects.ts";
import type { TurnKey } from "../store/tables/prompts.ts";
import { sessionIdOf } from "../store/tables/sessions.ts";
import { insertWrongItem, isWrongObservation } from "../store/tables/wrong-items.ts";
import {
  deleteSummary,
  setCurrentSummary,
  summariesOfTurn,
  upsertSummary,
  WHOLE_SESSION,
} from "../store/tables/summaries.ts";
import { hasForgottenParts, hasTombstone } from "../store/tables/tombstones.ts";
import { isFailedUse } from "../store/tables/tool-uses.ts";
import { updateSuccessors } from "./supersede.ts";

/** If the summary is missing, the stored one stays. */
type SavedMemory = Pick<TurnMemory, "observations"> & Partial<Pick<TurnMemory, "summary">>;

/** Call inside a transaction, and `saveSession` after the last turn. Returns whether the turn's memory changed. */
export function saveTurnMemory(db: Db, turn: TurnKey, memory: SavedMemory, producer: Producer, now: number): boolean {
  const projectId = projectIdOfSession(db, turn.sessionDbId);
  const before = observationsOfTurn(db, turn.sessionDbId, turn.promptNumber);
  // A model's summary of the session may have added decisions to the turn. They are not part of its version of the turn.
  const ofSession = new Set(
    summariesOfTurn(db, turn.sessionDbId, WHOLE_SESSION)
      .filter((row) => row.producer === producer.name)
      .map((row) => row.prompt_hash),
  );
  const old = before.filter(
    (row) => row.producer === producer.name && (row.prompt_hash === null || !ofSession.has(row.prompt_hash)),
  );
  const hashes = new Set(memory.observations.map(contentHash));
  const gone = old.filter((row) => !hashes.has(row.content_hash));
  const unchanged = new Set<number>();
  const seen = new Set<string>();
  let isChanged = false;
  for (const observation of memory.observations) {
    const hash = contentHash(observation);
    if (seen.has(hash) || hasTombstone(db, { kind: "observation", hash })) continue;
    seen.add(hash);
    // valid_from is the time of the latest evidence.
    const validFrom = Math.max(0, ...observation.evidence.map((id) => findItem(db, id)?.created_at ?? 0));
    let id = old.find((row) => row.content_hash === hash && isIntact(row) && !unchanged.has(row.id))?.id;
    if (id === undefined) {
      id = insertObservation(db, { projectId, turn, observation, producer, validFrom }, now);
      isChanged = true;
      if (gone.some((row) => isRewordingOf(row, observation) && isWrongObservation(db, row.id)))
        insertWrongItem(db, { item: `o${id}`, projectId, contentHash: hash }, now);
    } else {
      unchanged.add(id);
      replaceEvidence(db, id, { evidence: observation.evidence, promptHash: producer.promptHash, validFrom });
    }
    if (observation.type === "bugfix") linkFixedFailures(db, `o${id}`, observation, now);
  }
  // Sessions name ids that they used, so `c-mem show o12` must go on working; not with text that was forgotten.
  const keepsUsed = !hasForgottenParts(db, sessionIdOf(db, turn.sessionDbId) ?? "");
  const retired = new Set<number>();
  for (const row of old) {
    if (unchanged.has(row.id) || isEditedByUser(db, row.id)) continue;
    if (keepsUsed && wasUsed(db, row.id)) {
      retired.add(row.id);
      isChanged ||= row.is_current === 1;
      continue;
    }
    deleteObservation(db, row.id);
    isChanged = true;
  }
  renewFilesOfTurn(db, turn);
  if (memory.summary !== undefined) isChanged = upsertSummary(db, turn, memory.summary, producer, now) || isChanged;
  const after = setCurrentVersion(db, turn, producer, retired);
  const subjects = [...before, ...after].map((row) => row.subject).filter((subject) => subject !== null);
  updateSuccessors(db, projectId, new Set(subjects), now);
  return isChanged;
}

/** Deletes one producer's memory of a turn, except what a user edited. Call inside a transaction. */
export function deleteTurnMemory(db: Db, turn: TurnKey, producer: Producer, now: number): boolean {
  const isChanged = deleteSummary(db, turn, producer);
  return saveTurnMemory(db, turn, { observations: [] }, producer, now) || isChanged;
}

/** Of a turn, two observations of one type are most likely the same in other words: a mark as wrong holds for both. */
function isRewordingOf({ title, type }: ObservationRow, observation: Observation): boolean {
  return title === observation.title || (type === observation.type && type !== "decision");
}

/** True if the row still has its derived text, or if a user edited it. */
function isIntact(row: ObservationRow): boolean {
  return row.edited_at !== null || contentHash(observationOf(row)) === row.content_hash;
}

/** Links a bugfix to the failed tool uses that it cites. */
function linkFixedFailures(db: Db, id: string, { evidence }: Observation, now: number): void {
  deleteLinksFrom(db, { type: "observation", id }, "fixes");
  for (const use of evidence.filter((item) => isFailedUse(db, item))) {
    const [source, target] = [{ type: "observation", id } as const, { type: "tool-use", id: use } as const];
    insertLink(db, { source, target, relationship: "fixes" }, now);
  }
}

/** Prefers a model's version to the extractor's, and the newest model version to older ones. */
function setCurrentVersion(db: Db, turn: TurnKey, producer: Producer, retired: ReadonlySet<number>): ObservationRow[] {
  const { sessionDbId, promptNumber } = turn;
  const model = summariesOfTurn(db, sessionDbId, promptNumber).find(
    (row) => row.is_current === 1 && row.producer !== EXTRACTOR.name && row.producer !== producer.name,
  );
  const current = producer.name === EXTRACTOR.name && model !== undefined ? model.producer : producer.name;
  setCurrentSummary(db, turn, current);
  const rows = observationsOfTurn(db, sessionDbId, promptNumber);
  const versions = new Set(summariesOfTurn(db, sessionDbId, promptNumber).map((row) => row.producer));
  for (const row of rows) {
    // A model's rows that are not saved now stay as they are: some may be retired.
    const isValid = row.producer === producer.name ? !retired.has(row.id) : row.is_current === 1;
    // A decision from a model's summary of the session is beside the turn's version, not part of one.
    const isBeside = row.producer !== EXTRACTOR.name && !versions.has(row.producer);
    const isCurrent = ((row.producer === current || isBeside) && isValid) || isEditedByUser(db, row.id);
    if (isCurrent !== (row.is_current === 1)) setCurrent(db, row.id, isCurrent);
  }
  return rows;
}
