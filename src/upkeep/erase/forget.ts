// Forgets rows: deletes them with everything derived from them, adds tombstones so that they do not come back, and
// derives the memory of sessions that lost a part again.
import { deriveSession } from "../../memory/derive.ts";
import { updateSuccessors } from "../../memory/supersede.ts";
import type { Db } from "../../store/db/driver.ts";
import { transaction } from "../../store/db/transaction.ts";
import { getObservation } from "../../store/tables/observations.ts";
import { commitSubjects, deleteCommits } from "../../store/tables/commits.ts";
import {
  commitTombstones,
  copyTombstone,
  insertTombstone,
  momentTombstone,
  type Tombstone,
  tombstoneOf,
} from "../../store/tables/tombstones.ts";
import { scrubVectors } from "../../store/vectors/vectors.ts";
import {
  type DeletionRow,
  type DeletionRows,
  type DeletionSet,
  expandDeletion,
  readDeletionRows,
} from "./deletion-set.ts";
import {
  clearTitles,
  clearResponses,
  type DerivedText,
  titlesOf,
  responsesOf,
  turnsEndingWith,
} from "./derived-text.ts";
import { eraseRows, repairSession } from "./erase-rows.ts";
import { type DerivedRows, findDerivedRowsContaining } from "./rows-containing.ts";

export interface Forgotten {
  /** Deleted rows, by kind. */
  removed: Record<string, number>;
  tombstones: Tombstone[];
  /** All texts of the deleted rows, to search files for. */
  texts: string[];
  /** Ids of deleted sessions. */
  sessions: string[];
  /** Ids of sessions that lost a part. */
  touched: string[];
}

/** A text to delete everywhere, including responses and titles. */
export interface TextToForget {
  text: string;
  projectId: number | undefined;
}

interface AlsoForget {
  words?: TextToForget | undefined;
  /** Responses and titles to clear, and commits to delete, while their items stay. */
  derived?: Pick<DerivedRows, "responses" | "sessions" | "commits">;
}

export function forget(db: Db, selected: DeletionSet, now: number, also: AlsoForget = {}): Forgotten {
  const { changed, subjects, ...forgotten } = transaction(db, () => erase(db, selected, now, also));
  for (const id of changed) deriveSession(db, id, now);
  transaction(db, () => {
    for (const [projectId, names] of subjects) updateSuccessors(db, projectId ?? undefined, names, now);
  });
  return forgotten;
}

type Erased = Forgotten & { changed: number[]; subjects: Map<number | null, Set<string>> };

function erase(db: Db, deletion: DeletionSet, now: number, { words, derived }: AlsoForget): Erased {
  const selected = expandDeletion(db, deletion);
  const rows = readDeletionRows(db, deletion);
  const subjects = subjectsOf(db, deletion);
  const sessions = new Set(rows.sessions.map((row) => row.item));
  const remains = (row: { session_id: string | null }): boolean =>
    row.session_id !== null && !sessions.has(row.session_id);
  const evidence = [...rows.prompts, ...rows.messages, ...rows.tool_uses].filter(remains);
  const matches = words && findDerivedRowsContaining(db, words.text, words.projectId);
  const endings = [
    ...(matches?.responses ?? []),
    ...(derived?.responses ?? []),
    ...turnsEndingWith(db, deletion.messages),
  ];
  // Agents title a session after its prompts.
  const prompted = rows.prompts.map((row) => row.session_id ?? "");
  const titled = [...new Set([...prompted, ...(matches?.sessions ?? []), ...(derived?.sessions ?? [])])];
  const responses = responsesOf(db, endings).filter(remains);
  const titles = titlesOf(db, titled).filter(remains);
  const texts = [...responses, ...titles];
  const commits = commitSubjects(db, [...(matches?.commits ?? []), ...(derived?.commits ?? [])]);
  const kept = commits.filter(remains);
  const touched = [...new Set([...evidence, ...texts, ...kept].map((row) => row.session_id ?? ""))];
  const observations = rows.observations.filter((row) => selected.has(row.id));
  const tombstones = [
    ...[...sessions].map((id) => tombstoneOf("session", id)),
    ...touched.map((id) => tombstoneOf("part", id)),
    ...tombstonesOf(evidence, texts, observations),
    ...kept.flatMap(commitTombstones),
    ...copyTombstones({ ...rows, messages: rows.messages.filter(remains), tool_uses: rows.tool_uses.filter(remains) }),
  ];
  for (const tombstone of tombstones) insertTombstone(db, tombstone, now);
  clearResponses(db, endings);
  clearTitles(db, titled);
  deleteCommits(db, commits);
  const removed = eraseRows(db, deletion, rows);
  const summaries = matches?.summaries.filter(remains) ?? [];
  const changed = Map.groupBy([...evidence, ...texts, ...summaries], (row) => row.session_db_id ?? 0);
  for (const [id, items] of changed)
    repairSession(db, id, new Set(items.flatMap((one) => ("prompt_number" in one ? [one.prompt_number] : []))));
  // A vector reveals much of the text it was computed from.
  scrubVectors(db);
  return {
    removed,
    tombstones: [...new Map(tombstones.map((one) => [`${one.kind} ${one.hash}`, one])).values()],
    texts: [
      ...Object.values(rows).flat().flatMap(textsOf),
      ...texts.map((one) => one.text),
      ...commits.map((one) => one.subject),
    ],
    sessions: [...sessions],
    touched,
    changed: [...changed.keys()],
    subjects,
  };
}

function textsOf({ texts }: DeletionRow): string[] {
  return (JSON.parse(texts) as (string | null)[]).filter((text) => text !== null && text.trim() !== "") as string[];
}

/** Hashes that identify these rows and texts if they come back. */
export function tombstonesOf(
  evidence: readonly DeletionRow[],
  texts: readonly DerivedText[],
  observations: readonly DeletionRow[],
): Tombstone[] {
  return [
    ...evidence.flatMap(evidenceTombstones),
    ...texts.map((one) => tombstoneOf("text", one.session_id, one.text)),
    ...observations.map(({ key }): Tombstone => ({ kind: "observation", hash: key ?? "" })),
  ];
}

/** For copies of the rows that are read later. Of a forgotten turn or session, the prompts are enough. */
function copyTombstones({ prompts, messages, tool_uses: uses }: DeletionRows): Tombstone[] {
  const of = (kind: "prompt" | "message" | "tool-use", rows: readonly DeletionRow[]): Tombstone[] =>
    rows.flatMap(({ key }) => copyTombstone(kind, key ?? "") ?? []);
  const texts = prompts
    .filter(({ key }) => key !== null && copyTombstone("prompt", key) !== undefined)
    .map((row) => tombstoneOf("text", row.key ?? "", textsOf(row)[0]));
  return [...of("prompt", prompts), ...texts, ...of("message", messages), ...of("tool-use", uses)];
}

function evidenceTombstones(row: DeletionRow): Tombstone[] {
  const { item, session_id: session, key, at } = row;
  if (session === null) return [];
  const byKey = (kind: "prompt" | "message" | "tool-use"): Tombstone[] =>
    key === null ? [] : [tombstoneOf(kind, session, key)];
  if (item.startsWith("t")) return byKey("tool-use");
  const byText = textsOf(row).map((text) => tombstoneOf("text", session, text));
  if (item.startsWith("m")) return [...byKey("message"), ...byText];
  const text = (JSON.parse(row.texts) as string[])[0] ?? "";
  return [...byKey("prompt"), ...byText, ...[-1, 0, 1].map((shift) => momentTombstone(session, text, at, shift))];
}

/** The subjects of the observations, by project. */
function subjectsOf(db: Db, { observations }: DeletionSet): Map<number | null, Set<string>> {
  const subjects = new Map<number | null, Set<string>>();
  for (const id of observations) {
    const row = getObservation(db, id);
    if (row?.subject) subjects.set(row.project_id, (subjects.get(row.project_id) ?? new Set()).add(row.subject));
  }
  return subjects;
}
