// What a person does with memory by hand: write something down, pin, reword, say what replaces what. All of it outlives
// a rebuild.
import { AppError } from "../core/error.ts";
import { filterText } from "../core/privacy/filter.ts";
import type { Observation, Producer } from "../core/memory.ts";
import type { Db } from "../store/db/driver.ts";
import { insertLink } from "../store/tables/links.ts";
import {
  rewriteObservation,
  setPinned,
  standingTexts,
  successorsOf,
  supersedeByHand,
} from "../store/tables/observation-edits.ts";
import {
  contentHash,
  getObservation,
  insertObservation,
  type ObservationRow,
  setSuccessor,
} from "../store/tables/observations.ts";
import { markTurnStale } from "../store/tables/stale-turns.ts";
import { deleteTombstone } from "../store/tables/tombstones.ts";
import { transaction } from "../store/db/transaction.ts";
import { likeness } from "../core/similarity.ts";
import { dropSuccessor, settleSubjects, supersedes } from "./supersede.ts";

export const BY_HAND: Producer = { name: "user" };

/** Of the words of the shorter text, the share that makes two observations nearly the same. */
const NEARLY_SAME = 0.8;
const MAX_ALIKE = 3;

export interface Remembered {
  id: number;
  /** False: the very same is there already. */
  isNew: boolean;
  /** What says nearly the same. */
  alike: { id: number; title: string }[];
}

export function remember(db: Db, projectId: number | undefined, given: Observation, now: number): Remembered {
  const observation = filtered(given);
  if (observation.narrative.trim() === "" || observation.title.trim() === "") {
    throw new AppError("usage", "There is nothing left to remember once what is private is taken out.");
  }
  return transaction(db, () => {
    const hash = contentHash(observation);
    const standing = standingTexts(db, projectId);
    const same = standing.find((row) => row.content_hash === hash);
    if (same !== undefined) return { id: same.id, isNew: false, alike: [] };
    // Who writes down again what was forgotten wants it back.
    deleteTombstone(db, "observation", hash);
    const words = `${observation.title}\n${observation.narrative}`;
    const alike = standing
      .filter((row) => likeness(words, `${row.title}\n${row.narrative}`) >= NEARLY_SAME)
      .slice(0, MAX_ALIKE)
      .map(({ id, title }) => ({ id, title }));
    const id = insertObservation(db, { projectId, observation, producer: BY_HAND, validFrom: now }, now);
    return { id, isNew: true, alike };
  });
}

/** What a person types passes the same filter as everything else. */
export function filtered(observation: Observation): Observation {
  const { subtitle, ...rest } = observation;
  const shorter = subtitle === undefined ? "" : filterText(subtitle).trim();
  return {
    ...rest,
    title: filterText(rest.title).trim(),
    ...(shorter !== "" && { subtitle: shorter }),
    narrative: filterText(rest.narrative).trim(),
    facts: rest.facts.map((fact) => filterText(fact).trim()).filter((fact) => fact !== ""),
    files: rest.files.map((file) => filterText(file)),
  };
}

/** What is no longer pinned is again what its evidence says: its turn is derived anew. */
export function pin(db: Db, id: number, isPinned: boolean): ObservationRow {
  return transaction(db, () => {
    const row = existing(db, id);
    setPinned(db, id, isPinned);
    if (!isPinned && row.session_db_id !== null) markTurnStale(db, row.session_db_id, row.prompt_number ?? 0);
    return existing(db, id);
  });
}

export function edit(db: Db, id: number, observation: Observation, now: number): ObservationRow {
  const clean = filtered(observation);
  if (clean.title === "" || clean.narrative === "") {
    throw new AppError("usage", "An observation needs a title and a text.", {
      hint: `c-mem forget o${id} removes it.`,
    });
  }
  return transaction(db, () => {
    existing(db, id);
    rewriteObservation(db, id, clean, now);
    return existing(db, id);
  });
}

export function supersede(db: Db, olderId: number, newerId: number, now: number): ObservationRow {
  return transaction(db, () => {
    const older = existing(db, olderId);
    const newer = existing(db, newerId);
    if (olderId === newerId) throw new AppError("usage", "An observation cannot replace itself.");
    dropSuccessor(db, older);
    supersedeByHand(db, olderId, newerId, now);
    insertLink(db, supersedes(newerId, olderId), now);
    settleSubjectOf(db, older, now);
    settleSubjectOf(db, newer, now);
    // By subject the newer one may have been replaced by the older: that is settled now. By hand it is not.
    if (successorsOf(db, olderId).includes(olderId)) {
      throw new AppError("usage", `o${newerId} was itself replaced by o${olderId}, or by what o${olderId} replaced.`, {
        hint: `c-mem supersede o${newerId} --undo, then try again.`,
      });
    }
    return existing(db, olderId);
  });
}

/** It holds again, unless its subject says otherwise. */
export function undoSupersede(db: Db, id: number, now: number): ObservationRow {
  return transaction(db, () => {
    const row = existing(db, id);
    if (row.superseded_at === null) {
      const why = row.superseded_by === null ? "was not replaced" : "was not replaced by hand";
      throw new AppError("nothing_found", `o${id} ${why}.`);
    }
    dropSuccessor(db, row);
    setSuccessor(db, id, undefined);
    settleSubjectOf(db, row, now);
    return existing(db, id);
  });
}

function settleSubjectOf(db: Db, row: ObservationRow, now: number): void {
  if (row.subject !== null) settleSubjects(db, row.project_id ?? undefined, new Set([row.subject]), now);
}

function existing(db: Db, id: number): ObservationRow {
  const row = getObservation(db, id);
  if (row !== undefined) return row;
  throw new AppError("nothing_found", `There is no observation o${id}.`, {
    hint: "`c-mem observations` lists them, `c-mem observations --all` those of every project.",
  });
}
