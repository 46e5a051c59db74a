// Users' changes to observations: add, pin, edit, supersede. All of them survive a rebuild.
import { AppError } from "../core/error.ts";
import { filterText } from "../core/privacy/filter.ts";
import type { Observation, Producer } from "../core/memory.ts";
import type { Db } from "../store/db/driver.ts";
import { insertLink } from "../store/tables/links.ts";
import {
  rewriteObservation,
  setPinned,
  currentTexts,
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
import { wordOverlap } from "../core/similarity.ts";
import { deleteSuccessorLink, updateSuccessors, supersedesLink } from "./supersede.ts";

export const USER: Producer = { name: "user" };

/** Two observations are similar if they share 80% of the shorter one's words. */
const NEARLY_SAME = 0.8;
const MAX_ALIKE = 3;

/** Saves an observation unless it exists already. Returns similar ones as `alike`. */
export function remember(db: Db, projectId: number | undefined, given: Observation, now: number) {
  const observation = filtered(given);
  if (observation.narrative.trim() === "" || observation.title.trim() === "") {
    throw new AppError("usage", "Nothing was saved: the text is all private.");
  }
  return transaction(db, () => {
    const hash = contentHash(observation);
    const current = currentTexts(db, projectId);
    const same = current.find((row) => row.content_hash === hash);
    if (same !== undefined) return { id: same.id, isNew: false, alike: [] };
    // Adding a forgotten observation again restores it.
    deleteTombstone(db, "observation", hash);
    const words = `${observation.title}\n${observation.narrative}`;
    const alike = current
      .filter((row) => wordOverlap(words, `${row.title}\n${row.narrative}`) >= NEARLY_SAME)
      .slice(0, MAX_ALIKE)
      .map(({ id, title }) => ({ id, title }));
    const id = insertObservation(db, { projectId, observation, producer: USER, validFrom: now }, now);
    return { id, isNew: true, alike };
  });
}

function filtered(observation: Observation): Observation {
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

/** Unpinning marks the turn as stale: the pin may have kept an observation that the evidence no longer gives. */
export function pin(db: Db, id: number, isPinned: boolean): ObservationRow {
  return transaction(db, () => {
    const row = requireObservation(db, id);
    setPinned(db, id, isPinned);
    if (!isPinned && row.session_db_id !== null) markTurnStale(db, row.session_db_id, row.prompt_number ?? 0);
    return requireObservation(db, id);
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
    requireObservation(db, id);
    rewriteObservation(db, id, clean, now);
    return requireObservation(db, id);
  });
}

export function supersede(db: Db, olderId: number, newerId: number, now: number): ObservationRow {
  return transaction(db, () => {
    const older = requireObservation(db, olderId);
    const newer = requireObservation(db, newerId);
    if (olderId === newerId) throw new AppError("usage", "An observation cannot supersede itself.");
    deleteSuccessorLink(db, older);
    supersedeByHand(db, olderId, newerId, now);
    insertLink(db, supersedesLink(newerId, olderId), now);
    updateSuccessorsOf(db, older, now);
    updateSuccessorsOf(db, newer, now);
    // Reject a cycle: o2 supersedes o1 and o1 supersedes o2.
    if (successorsOf(db, olderId).includes(olderId)) {
      throw new AppError("usage", `o${newerId} was itself superseded by o${olderId}, directly or through others.`, {
        hint: `c-mem supersede o${newerId} --undo, then try again.`,
      });
    }
    return requireObservation(db, olderId);
  });
}

/** Makes the observation valid again, unless a newer one has the same subject. */
export function undoSupersede(db: Db, id: number, now: number): ObservationRow {
  return transaction(db, () => {
    const row = requireObservation(db, id);
    if (row.superseded_at === null) {
      const why = row.superseded_by === null ? "was not superseded" : "was not superseded by a user";
      throw new AppError("nothing_found", `o${id} ${why}.`);
    }
    deleteSuccessorLink(db, row);
    setSuccessor(db, id, undefined);
    updateSuccessorsOf(db, row, now);
    return requireObservation(db, id);
  });
}

function updateSuccessorsOf(db: Db, row: ObservationRow, now: number): void {
  if (row.subject !== null) updateSuccessors(db, row.project_id ?? undefined, new Set([row.subject]), now);
}

function requireObservation(db: Db, id: number): ObservationRow {
  const row = getObservation(db, id);
  if (row !== undefined) return row;
  throw new AppError("nothing_found", `There is no observation o${id}.`, {
    hint: "List them with `c-mem observations`, or `c-mem observations --all` for every project.",
  });
}
