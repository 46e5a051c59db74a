// What a reply says about known items: notes that it confirms or replaces, and open ends that the turns did.
import { asArray, asObjects, asString } from "../../core/json.ts";
import type { Observation } from "../../core/memory.ts";
import { contentWords, plainWords } from "../../core/words.ts";
import type { ObservationRow } from "../../store/tables/observations.ts";
import { isUsersOwn } from "../user-edits.ts";
import { citedIds, type ShownTurn } from "./cited.ts";
import type { Tally } from "./grounding.ts";
import { endOf, type Known, type OpenEnd } from "./known-items.ts";

export interface ClosedEnd extends OpenEnd {
  /** When the turn that did it ended. */
  doneAt: number;
}

/** Only ids that the model was shown count. */
export function shownNotes(raw: unknown, known: Known, tally: Tally): ObservationRow[] {
  return asArray(raw).flatMap((id) => {
    const row = typeof id === "string" ? known.notes.get(id) : undefined;
    if (row === undefined) tally.dropped++;
    else tally.kept++;
    return row ?? [];
  });
}

/** A replaced note must be about the same thing: a common file, or this many words. */
const MIN_SHARED_WORDS = 2;

/**
 * What a user pinned stays, and what holds for every project. A decision is replaced only by a decision, a user's note
 * only by the user's words.
 */
export function mayReplace(
  newer: Pick<ObservationRow, "type" | "origin" | "project_id">,
  older: ObservationRow,
): boolean {
  return (
    older.pinned === 0 &&
    older.project_id === newer.project_id &&
    (older.type !== "decision" || newer.type === "decision") &&
    (newer.origin === "user" || !(older.origin === "user" || isUsersOwn(older)))
  );
}

interface Replacing {
  observation: Observation;
  projectId: number;
}

export function replacedBy(
  { observation, projectId }: Replacing,
  raw: unknown,
  known: Known,
  tally: Tally,
): ObservationRow[] {
  const words = new Set(plainWords(`${observation.title} ${observation.narrative}`).split(" "));
  return shownNotes(raw, known, tally).filter((row) => {
    const files = JSON.parse(row.files) as string[];
    const shared = plainWords(row.title)
      .split(" ")
      .filter((word) => word.length > MIN_SHARED_WORDS && words.has(word));
    const isSameTopic = shared.length >= MIN_SHARED_WORDS || files.some((path) => observation.files.includes(path));
    const { type, origin } = observation;
    if (isSameTopic && mayReplace({ type, origin, project_id: projectId }, row)) return true;
    tally.kept--;
    tally.dropped++;
    return false;
  });
}

/** At least this share of a step's words must be in what was said or done. */
const CLOSED_SHARE = 0.3;
const STEM_CHARS = 4;

/** "Push the branch" shares "push" with `git push`, "Run the tests" "test" with `npm test`. */
function isAbout(step: string, done: string): boolean {
  const stems = (text: string): string[] => [...contentWords(text)].map((word) => word.slice(0, STEM_CHARS));
  const [of, known] = [stems(step), new Set(stems(done))];
  return of.filter((stem) => known.has(stem)).length >= Math.max(1, of.length * CLOSED_SHARE);
}

/** Open ends are closed by what the agent did or the user said, not by what a file or a page says. */
export function closedEnds(
  raw: unknown,
  turns: ReadonlyMap<number, ShownTurn>,
  known: Known,
  tally: Tally,
): ClosedEnd[] {
  return asObjects(raw).flatMap((one) => {
    const end = known.openEnds.get(asString(one["id"]) ?? "");
    // A later turn of the same request may open it again.
    const doer = [...turns.values()].find(({ ids, pieces }) =>
      citedIds(one["evidence"], ids).some((id) => isAbout(end?.step ?? "", pieces.get(id)?.done ?? "")),
    );
    if (end === undefined || doer === undefined) {
      tally.dropped++;
      return [];
    }
    tally.kept++;
    return [{ ...end, doneAt: endOf([doer.evidence]) }];
  });
}
