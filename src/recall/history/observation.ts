// Reads an observation with its evidence (prompts, messages, tool uses), successor and predecessors.
import type { Db } from "../../store/db/driver.ts";
import { findItem, parseObservationId } from "../../store/reads/items.ts";
import { findObservation, otherVersions, predecessorsOf } from "../../store/reads/observation-list.ts";
import { sessionsByIds } from "../../store/reads/session-list.ts";
import { type MessageItem, readItemsById, type SessionItem, type ToolItem } from "./session-items.ts";

export type Evidence =
  | Extract<SessionItem, { kind: "prompt" }>
  | (MessageItem & { id: string })
  | ToolItem
  /** The item is no longer stored. */
  | { kind: "gone"; id: string };

export type ObservationStory = NonNullable<ReturnType<typeof readObservation>>;

export function readObservation(db: Db, id: number) {
  const observation = findObservation(db, id);
  if (observation === undefined) return undefined;
  const { session_db_id: sessionDbId, superseded_by: successorId } = observation;
  return {
    observation,
    session: sessionDbId === null ? undefined : sessionsByIds(db, [sessionDbId])[0],
    successor: successorId === null ? undefined : findObservation(db, successorId),
    predecessors: predecessorsOf(db, id),
    versions: otherVersions(db, observation),
    // A note that another observation no longer holds cites that one, which is listed as its predecessor.
    evidence: (JSON.parse(observation.evidence) as string[])
      .filter((item) => parseObservationId(item) === undefined)
      .map((item) => readEvidence(db, item)),
  };
}

function readEvidence(db: Db, id: string): Evidence {
  const found = findItem(db, id);
  const [session] = found === undefined ? [] : sessionsByIds(db, [found.session_db_id]);
  const item = session && readItemsById(db, session, [id]).get(id);
  return item === undefined ? { kind: "gone", id } : (item as Evidence);
}
