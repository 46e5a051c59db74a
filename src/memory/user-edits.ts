// Changes to observations by users, and by agents for them: add, pin, edit, supersede. All of them survive a rebuild.
import { AppError } from "../core/error.ts";
import { filterText } from "../core/privacy/filter.ts";
import { AGENT, type Observation, type Producer } from "../core/memory.ts";
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
  deleteObservation,
  getObservation,
  insertObservation,
  type ObservationRow,
  setSuccessor,
} from "../store/tables/observations.ts";
import type { TurnKey } from "../store/tables/prompts.ts";
import { markTurnStale } from "../store/tables/stale-turns.ts";
import { deleteTombstone } from "../store/tables/tombstones.ts";
import { transaction } from "../store/db/transaction.ts";
import { type Alike, findAlike, findSameText } from "./known-texts.ts";
import { deleteSuccessorLink, updateSuccessors, supersedesLink } from "./supersede.ts";

export const USER: Producer = { name: "user" };

interface RememberOptions {
  /** The turn in which an agent wrote it. */
  turn?: TurnKey | undefined;
  /** Observations that it supersedes. */
  replaces?: readonly number[];
}

interface Remembered {
  id: number;
  /** False if it was known. */
  isNew: boolean;
  alike: Alike[];
}

/** Saves an observation unless it is known already. */
export function remember(
  db: Db,
  projectId: number | undefined,
  given: Observation,
  now: number,
  options: RememberOptions = {},
): Remembered {
  return transaction(db, () => rememberWithin(db, projectId, given, now, options));
}

/** Call inside a transaction. */
export function rememberWithin(
  db: Db,
  projectId: number | undefined,
  given: Observation,
  now: number,
  { turn, replaces = [] }: RememberOptions = {},
): Remembered {
  const observation = filtered(given);
  if (observation.narrative.trim() === "" || observation.title.trim() === "") {
    throw new AppError("usage", "Nothing was saved: the text is all private.");
  }
  for (const id of replaces) requireReplaceable(db, id, projectId);
  const current = currentTexts(db, projectId);
  const same = findSameText(current, observation);
  // Adding a forgotten observation again restores it.
  if (same === undefined) deleteTombstone(db, "observation", contentHash(observation));
  const id = same?.id ?? insertObservation(db, { projectId, turn, observation, producer: USER, validFrom: now }, now);
  const replaced = replaces.filter((older) => older !== id);
  for (const older of replaced) supersedeWithin(db, older, id, now);
  const others = current.filter((row) => !replaced.includes(row.id));
  return { id, isNew: same === undefined, alike: same === undefined ? findAlike(others, observation) : [] };
}

/** Throws unless an observation of this project (undefined: of all projects) may supersede this one. */
export function requireReplaceable(db: Db, id: number, projectId: number | undefined): ObservationRow {
  const row = requireObservation(db, id);
  if (row.superseded_by !== null) {
    throw new AppError("usage", `o${id} was already replaced by o${row.superseded_by}.`, {
      hint: `Replace o${row.superseded_by} instead, if it is outdated, too.`,
    });
  }
  if (row.project_id === (projectId ?? null)) return row;
  throw row.project_id === null
    ? new AppError("usage", `o${id} is for every project.`, { hint: "Its replacement must be for every project, too." })
    : new AppError("usage", `o${id} belongs to another project.`, { hint: "Name that project." });
}

/** True if a user wrote, reworded or pinned it: no agent may replace it without asking. */
export function isUsersOwn({ producer, origin, edited_at: editedAt, pinned }: ObservationRow): boolean {
  return pinned === 1 || editedAt !== null || (producer === USER.name && origin === "user");
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
  return transaction(db, () => supersedeWithin(db, olderId, newerId, now));
}

/** Call inside a transaction. */
export function supersedeWithin(db: Db, olderId: number, newerId: number, now: number): ObservationRow {
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
}

/** Makes an observation that a user or a model superseded valid again, unless a newer one has the same subject. */
export function undoSupersede(db: Db, id: number, now: number): ObservationRow {
  return transaction(db, () => {
    const row = requireObservation(db, id);
    if (row.superseded_at === null && row.superseded_producer === null) {
      const why = row.superseded_by === null ? "was not superseded" : "was superseded by a newer one with its subject";
      throw new AppError("nothing_found", `o${id} ${why}.`);
    }
    const successor = row.superseded_by === null ? undefined : getObservation(db, row.superseded_by);
    deleteSuccessorLink(db, row);
    setSuccessor(db, id, undefined);
    if (successor !== undefined && isWithdrawalOf(successor, id)) deleteObservation(db, successor.id);
    updateSuccessorsOf(db, row, now);
    return requireObservation(db, id);
  });
}

/** Supersedes an observation that no longer holds by a note that says so. Nothing is deleted. */
export function withdraw(db: Db, id: number, reason: string, now: number, turn?: TurnKey & { evidence: string[] }) {
  return transaction(db, () => {
    const row = requireReplaceable(db, id, getObservation(db, id)?.project_id ?? undefined);
    const observation = filtered({
      type: "change",
      title: `No longer holds: ${row.title}`,
      narrative: reason,
      facts: [],
      concepts: ["what-changed"],
      files: JSON.parse(row.files) as string[],
      // Forgetting the observation forgets this note, which repeats its title.
      evidence: [`o${id}`, ...(turn?.evidence ?? [])],
      origin: row.origin === "tool" ? "tool" : "assistant",
    });
    if (observation.narrative === "") throw new AppError("usage", "Nothing was changed: the reason is all private.");
    const projectId = row.project_id ?? undefined;
    const note = insertObservation(db, { projectId, turn, observation, producer: AGENT, validFrom: now }, now);
    supersedeWithin(db, id, note, now);
    return { id, title: row.title, note };
  });
}

/** True for the note of `withdraw`. */
function isWithdrawalOf({ producer, evidence }: ObservationRow, id: number): boolean {
  return producer === AGENT.name && (JSON.parse(evidence) as string[]).includes(`o${id}`);
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
