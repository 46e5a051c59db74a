// Writes one producer's memory of one turn: what is the same stays with its id, what is gone goes, what a person made stays.
import { EXTRACTOR, type Observation, type Producer, type TurnMemory } from "../core/memory.ts";
import type { Db } from "../store/db/driver.ts";
import { findItem } from "../store/reads/items.ts";
import { deleteFixes, insertLink } from "../store/tables/links.ts";
import { renewFilesOfTurn } from "../store/tables/observation-files.ts";
import {
  contentHash,
  deleteObservation,
  insertObservation,
  isOwned,
  moveEvidence,
  observationOf,
  type ObservationRow,
  observationsOfTurn,
  setCurrent,
} from "../store/tables/observations.ts";
import { hasTombstone } from "../store/tables/tombstones.ts";
import { projectIdOfSession } from "../store/tables/projects.ts";
import { setCurrentSummary, summariesOfTurn, upsertSummary } from "../store/tables/summaries.ts";
import { isFailedUse } from "../store/tables/tool-uses.ts";
import { saveSession } from "./session.ts";
import { settleSubjects } from "./supersede.ts";

export interface TurnPlace {
  sessionDbId: number;
  promptNumber: number;
}

/** Without a summary the one that is stored stays. */
type SavedMemory = Pick<TurnMemory, "observations"> & Partial<Pick<TurnMemory, "summary">>;

/** To be called inside a transaction. Returns whether the memory of the turn is another one now. */
export function saveTurnMemory(
  db: Db,
  place: TurnPlace,
  memory: SavedMemory,
  producer: Producer,
  now: number,
): boolean {
  const projectId = projectIdOfSession(db, place.sessionDbId);
  const before = observationsOfTurn(db, place.sessionDbId, place.promptNumber);
  const old = before.filter((row) => row.producer === producer.name);
  const kept = new Set<number>();
  const seen = new Set<string>();
  let isChanged = false;
  for (const observation of memory.observations) {
    const hash = contentHash(observation);
    if (seen.has(hash) || hasTombstone(db, { kind: "observation", hash })) continue;
    seen.add(hash);
    const validFrom = timeOf(db, observation);
    const same = old.find((row) => row.content_hash === hash && isIntact(row) && !kept.has(row.id));
    if (same === undefined) {
      const id = insertObservation(db, { projectId, turn: place, observation, producer, validFrom }, now);
      linkFailures(db, id, observation, now);
      isChanged = true;
    } else {
      kept.add(same.id);
      moveEvidence(db, same.id, { evidence: observation.evidence, promptHash: producer.promptHash, validFrom });
      linkFailures(db, same.id, observation, now);
    }
  }
  for (const row of old) {
    if (kept.has(row.id) || isOwned(db, row.id)) continue;
    deleteObservation(db, row.id);
    isChanged = true;
  }
  renewFilesOfTurn(db, place);
  if (memory.summary !== undefined) isChanged = upsertSummary(db, place, memory.summary, producer, now) || isChanged;
  const after = chooseVersion(db, place, producer);
  const subjects = [...before, ...after].map((row) => row.subject).filter((subject) => subject !== null);
  settleSubjects(db, projectId, new Set(subjects), now);
  // The extractor goes over a session turn by turn, and sums it up at the end.
  if (producer.name !== EXTRACTOR.name) saveSession(db, place.sessionDbId, now);
  return isChanged;
}

/** Still says what was derived; what a person reworded may say anything. */
function isIntact(row: ObservationRow): boolean {
  return row.edited_at !== null || contentHash(observationOf(row)) === row.content_hash;
}

/** It is known from when the last of its evidence was there. */
function timeOf(db: Db, observation: Observation): number {
  const times = observation.evidence.map((id) => findItem(db, id)?.created_at ?? 0);
  return Math.max(0, ...times);
}

/** A fix that cites what failed says what it mended. */
function linkFailures(db: Db, id: number, observation: Observation, now: number): void {
  if (observation.type !== "bugfix") return;
  deleteFixes(db, `o${id}`);
  for (const item of observation.evidence.filter((one) => isFailedUse(db, one))) {
    insertLink(
      db,
      { source: { type: "observation", id: `o${id}` }, target: { type: "tool-use", id: item }, relationship: "fixes" },
      now,
    );
  }
}

/** A model's version stands before the extractor's, the newest accepted one before older ones. */
function chooseVersion(db: Db, place: TurnPlace, producer: Producer): ObservationRow[] {
  const { sessionDbId, promptNumber } = place;
  const model = summariesOfTurn(db, sessionDbId, promptNumber).find(
    (row) => row.is_current === 1 && row.producer !== EXTRACTOR.name && row.producer !== producer.name,
  );
  const standing = producer.name === EXTRACTOR.name && model !== undefined ? model.producer : producer.name;
  setCurrentSummary(db, place, standing);
  const rows = observationsOfTurn(db, sessionDbId, promptNumber);
  for (const row of rows) {
    const isCurrent = row.producer === standing || isOwned(db, row.id);
    if (isCurrent !== (row.is_current === 1)) setCurrent(db, row.id, isCurrent);
  }
  return rows;
}
