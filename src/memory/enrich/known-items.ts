// What is known before a turn: notes of its session, decisions in force and open ends that concern its work. A model
// confirms, replaces or closes them by id.
import { filterText } from "../../core/privacy/filter.ts";
import { oneLine } from "../../core/text.ts";
import { contentWords } from "../../core/words.ts";
import type { Db } from "../../store/db/driver.ts";
import { decisionsInForce, openSteps } from "../../store/reads/known-items.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { USER } from "../user-edits.ts";
import { type ObservationRow, observationsOfSession } from "../../store/tables/observations.ts";
import { isWrongObservation } from "../../store/tables/wrong-items.ts";

export interface OpenEnd {
  sessionDbId: number;
  step: string;
}

export interface Known {
  /** One line each, with its id. "" if nothing is known. */
  text: string;
  notes: ReadonlyMap<string, ObservationRow>;
  openEnds: ReadonlyMap<string, OpenEnd>;
}

const MAX_NOTES = 24;
const MAX_DECISIONS = 12;
const MAX_OPEN_ENDS = 8;
const LINE_CHARS = 180;
/**
 * A decision or open end concerns a turn that touches one of its files, or uses this many of its words. Half of them are
 * enough: "Use pnpm for packages" shares one of the two words of "Use npm for packages".
 */
const MIN_SHARED_WORDS = 2;

/**
 * `before`: the first turn that is sent. Notes that were derived from it or a later turn are not shown: a model that
 * confirms one instead of writing it would lose it, because its version replaces the extractor's.
 */
export function knownItems(db: Db, sessionDbId: number, turns: readonly TurnEvidence[], before: number): Known {
  const [first] = turns;
  if (first === undefined) return { text: "", notes: new Map(), openEnds: new Map() };
  const work = workOf(turns);
  const ownNotes = observationsOfSession(db, sessionDbId)
    .filter((row) => (row.prompt_number ?? 0) < before && row.superseded_by === null && !isWrongObservation(db, row.id))
    .slice(-MAX_NOTES);
  const own = new Set(ownNotes.map(({ id }) => id));
  const isLater = (row: ObservationRow): boolean =>
    row.session_db_id === sessionDbId && (row.prompt_number ?? 0) >= before && row.producer !== USER.name;
  const decisions = decisionsInForce(db, first.projectId)
    .filter((row) => !own.has(row.id) && !isLater(row) && concerns(work, row.title, JSON.parse(row.files) as string[]))
    .slice(0, MAX_DECISIONS);
  const steps = openSteps(db, first.projectId, { sessionDbId, before, at: endOf(turns) })
    .filter(({ sessionDbId: owner, step }) => owner === sessionDbId || concerns(work, step, []))
    .slice(0, MAX_OPEN_ENDS);
  const notes = new Map([...decisions, ...ownNotes].map((row) => [`o${row.id}`, row]));
  const openEnds = new Map(steps.map((step, index) => [`n${index + 1}`, step]));
  const shown = [
    ...Array.from(notes, ([id, row]) => `${id} ${row.type}${row.origin === "user" ? " (the user)" : ""}: ${row.title}`),
    ...Array.from(openEnds, ([id, { step }]) => `${id} open: ${step}`),
  ];
  return { text: shown.map((one) => oneLine(filterText(one), LINE_CHARS)).join("\n"), notes, openEnds };
}

/** When the last of the turns ended. */
export function endOf(turns: readonly TurnEvidence[]): number {
  const times = turns.flatMap(({ prompt, messages, toolUses }) => [
    prompt.endedAt ?? prompt.at,
    ...[...messages, ...toolUses].map(({ at }) => at),
  ]);
  return Math.max(...times);
}

interface Work {
  files: ReadonlySet<string>;
  words: ReadonlySet<string>;
}

function workOf(turns: readonly TurnEvidence[]): Work {
  const files = turns.flatMap(({ toolUses }) => toolUses.flatMap((use) => use.files.map(({ path }) => path)));
  const said = turns.flatMap(({ prompt, messages }) => [
    prompt.text,
    prompt.response,
    ...messages.map(({ text }) => text),
  ]);
  return { files: new Set(files), words: contentWords([...said, ...files].join("\n")) };
}

function concerns({ files, words }: Work, text: string, own: readonly string[]): boolean {
  if (own.some((path) => files.has(path))) return true;
  const mine = [...contentWords(text)];
  const shared = mine.filter((word) => words.has(word)).length;
  return shared > 0 && shared >= Math.min(MIN_SHARED_WORDS, mine.length / 2);
}
