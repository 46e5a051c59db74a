// One observation down to what it rests on: the prompt, the messages, the tool uses; what replaced it and what it replaced.
import type { Db } from "../../store/db/driver.ts";
import { touchesOf } from "../../store/tables/file-touches.ts";
import { findItem } from "../../store/reads/items.ts";
import {
  findObservation,
  type ObservationEntry,
  otherVersions,
  predecessorsOf,
} from "../../store/reads/observation-list.ts";
import { type SessionEntry, sessionsByIds } from "../../store/reads/session-list.ts";
import { itemRow } from "../../store/reads/turns.ts";
import { toolLine } from "./tool-line.ts";

export type Evidence =
  | { kind: "prompt" | "message"; id: string; text: string; at: number }
  | {
      kind: "tool";
      id: string;
      name: string;
      subject: string;
      outcome: string;
      isError: boolean;
      output: string;
      at: number;
    }
  /** It was forgotten, or came from a session that was. */
  | { kind: "gone"; id: string };

export interface ObservationStory {
  observation: ObservationEntry;
  session: SessionEntry | undefined;
  successor: ObservationEntry | undefined;
  predecessors: ObservationEntry[];
  versions: ObservationEntry[];
  evidence: Evidence[];
}

export function readObservation(db: Db, id: number): ObservationStory | undefined {
  const observation = findObservation(db, id);
  if (observation === undefined) return undefined;
  const { session_db_id: sessionDbId, superseded_by: successorId } = observation;
  return {
    observation,
    session: sessionDbId === null ? undefined : sessionsByIds(db, [sessionDbId])[0],
    successor: successorId === null ? undefined : findObservation(db, successorId),
    predecessors: predecessorsOf(db, id),
    versions: otherVersions(db, observation),
    evidence: (JSON.parse(observation.evidence) as string[]).map((item) => resolve(db, item)),
  };
}

function resolve(db: Db, id: string): Evidence {
  const place = findItem(db, id);
  const row = place === undefined ? undefined : itemRow(db, id);
  if (place === undefined || row === undefined) return { kind: "gone", id };
  if (row.kind !== "tool") return { ...row, id };
  const { use } = row;
  const touches = touchesOf(db, place.session_db_id).filter((touch) => touch.tool_use_db_id === use.id);
  const cwd = sessionsByIds(db, [place.session_db_id])[0]?.cwd ?? "";
  return {
    kind: "tool",
    id,
    name: use.name,
    ...toolLine(use, touches, cwd),
    isError: use.is_error === 1,
    output: use.output ?? "",
    at: use.created_at,
  };
}
