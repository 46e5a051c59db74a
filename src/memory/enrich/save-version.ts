// A model's version of a turn becomes the one that stands, if the turn is still the one it was shown.
import { EXTRACTOR, type Observation, type Producer, type TurnMemory } from "../../core/memory.ts";
import type { Db } from "../../store/db/driver.ts";
import { observationsOfTurn } from "../../store/tables/observations.ts";
import { findPromptPlace } from "../../store/tables/prompts.ts";
import { transaction } from "../../store/db/transaction.ts";
import { loadTurnEvidence, type TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { saveTurnMemory, type TurnPlace } from "../save.ts";
import type { Dropped } from "./check-reply.ts";
import { type Enriched, kept } from "./outcome.ts";

interface Version {
  promptDbId: number;
  producer: Producer;
  /** What the model was shown, and of which turn. */
  ids: ReadonlySet<string>;
  shown: TurnEvidence;
  memory: TurnMemory;
  dropped: Dropped;
}

/** The turn may have moved, or lost some of its evidence, while the model was thinking. */
export function saveVersion(
  db: Db,
  { promptDbId, producer, ids, shown, memory, dropped }: Version,
  now: number,
): Enriched {
  return transaction(db, () => {
    const place = findPromptPlace(db, promptDbId);
    const evidence = place && loadTurnEvidence(db, place.sessionDbId, place.promptNumber);
    if (place === undefined || evidence === undefined) return kept("gone", "the turn is not there any more");
    const present = momentsOf(evidence);
    const then = momentsOf(shown);
    if (![...ids].every((id) => present.get(id) === then.get(id))) {
      return kept("changed-meanwhile", "the turn changed while the model was thinking");
    }
    const observations = withSubjects(db, place, memory.observations);
    saveTurnMemory(db, place, { ...memory, observations }, producer, now);
    return { kind: "saved", observations: observations.length, dropped };
  });
}

/** With its time: what is forgotten meanwhile leaves its id to what comes next. */
function momentsOf({ prompt, messages, toolUses }: TurnEvidence): Map<string, number> {
  return new Map([prompt, ...messages, ...toolUses].map(({ id, at }) => [id, at]));
}

/**
 * What an observation replaces goes by its subject, and that only the extractor knows: each of its subjects goes to the
 * observation of the same type that shares most of its evidence.
 */
function withSubjects(db: Db, place: TurnPlace, observations: readonly Observation[]): Observation[] {
  const subjects = new Map<Observation, string>();
  for (const row of observationsOfTurn(db, place.sessionDbId, place.promptNumber)) {
    if (row.producer !== EXTRACTOR.name || row.subject === null) continue;
    const cited = new Set(JSON.parse(row.evidence) as string[]);
    const shared = (one: Observation): number => one.evidence.filter((id) => cited.has(id)).length;
    const [best] = observations
      .filter((one) => one.type === row.type && shared(one) > 0 && !subjects.has(one))
      .toSorted((a, b) => shared(b) - shared(a));
    if (best !== undefined) subjects.set(best, row.subject);
  }
  return observations.map((one) => {
    const subject = subjects.get(one);
    return subject === undefined ? one : { ...one, subject };
  });
}
