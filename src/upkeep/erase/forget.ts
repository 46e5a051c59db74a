// Forgets: takes rows and all that was made of them out of the store, leaves tombstones so that nothing brings them back,
// and has what is left derived anew.
import type { Db } from "../../store/db/driver.ts";
import { expandDeletion, type DeletionSet, type DeletionRow, readDeletionRows } from "./deletion-set.ts";
import { eraseRows, repairSession } from "./erase-rows.ts";
import { type Asides, findRowsContaining } from "./rows-containing.ts";
import { getObservation } from "../../store/tables/observations.ts";
import { clearNames, clearResponses, endedWith, namesOf, responsesOf } from "./derived-text.ts";
import { insertTombstone, momentOf, type Tombstone, tombstoneOf } from "../../store/tables/tombstones.ts";
import { transaction } from "../../store/db/transaction.ts";
import { scrubVectors } from "../../store/vectors/vectors.ts";
import { deriveSession } from "../../memory/derive.ts";
import { settleSubjects } from "../../memory/supersede.ts";

export interface Forgotten {
  /** Rows that went, by kind. */
  removed: Record<string, number>;
  tombstones: Tombstone[];
  /** All that the rows said: to look for what is left of it. */
  texts: string[];
  /** Sessions that went wholly, and conversations that go on without a part. */
  sessions: string[];
  touched: string[];
}

/** A text that must not stay anywhere: also not in what a turn ended with or a session is called. */
export interface Words {
  text: string;
  projectId: number | undefined;
}

/** What stands beside items and goes without them: row ids of prompts for their last words, sessions for their names. */
export type Beside = Pick<Asides, "responses" | "sessions">;

export interface AlsoGone {
  words?: Words | undefined;
  told?: Beside;
}

export function forget(db: Db, chosen: DeletionSet, now: number, also: AlsoGone = {}): Forgotten {
  const { mended, subjects, ...forgotten } = transaction(db, () => erase(db, chosen, now, also));
  for (const id of mended) deriveSession(db, id, now);
  transaction(db, () => {
    for (const [projectId, names] of subjects) settleSubjects(db, projectId ?? undefined, names, now);
  });
  return forgotten;
}

type Erased = Forgotten & { mended: number[]; subjects: Map<number | null, Set<string>> };

function erase(db: Db, doomed: DeletionSet, now: number, { words, told: also = NO_ASIDES }: AlsoGone): Erased {
  const meant = expandDeletion(db, doomed);
  const rows = readDeletionRows(db, doomed);
  const subjects = subjectsOf(db, doomed);
  const gone = new Set(rows.sessions.map((row) => row.item));
  const isLeft = (row: { session_id: string | null }): boolean => row.session_id !== null && !gone.has(row.session_id);
  const evidence = [...rows.prompts, ...rows.messages, ...rows.toolUses].filter(isLeft);
  const asides = words === undefined ? NO_ASIDES : findRowsContaining(db, words.text, words.projectId);
  const endings = [...asides.responses, ...also.responses, ...endedWith(db, [...doomed.messages])];
  const responses = responsesOf(db, endings).filter(isLeft);
  // What an agent calls a session it makes of the prompts.
  const named = [
    ...new Set([...rows.prompts.map((row) => row.session_id ?? ""), ...asides.sessions, ...also.sessions]),
  ];
  const names = namesOf(db, named).filter(isLeft);
  const told = [...responses, ...names];
  const touched = [...new Set([...evidence, ...told].map((row) => row.session_id ?? ""))];
  const tombstones = [
    ...[...gone].map((id) => tombstoneOf("session", id)),
    ...touched.map((id) => tombstoneOf("part", id)),
    ...evidence.flatMap(tombstonesOf),
    ...told.map((one) => tombstoneOf("text", one.session_id, one.text)),
    ...rows.observations
      .filter((row) => meant.has(row.id))
      .map((row): Tombstone => ({ kind: "observation", hash: row.key ?? "" })),
  ];
  for (const tombstone of tombstones) insertTombstone(db, tombstone, now);
  clearResponses(db, endings);
  clearNames(db, named);
  const removed = eraseRows(db, doomed, rows);
  const summaries = asides.summaries.filter(isLeft);
  const left = Map.groupBy([...evidence, ...responses, ...names, ...summaries], (row) => row.session_db_id ?? 0);
  for (const [id, items] of left)
    repairSession(db, id, new Set(items.flatMap((one) => ("prompt_number" in one ? [one.prompt_number] : []))));
  // A vector tells much of the text it was made of.
  scrubVectors(db);
  return {
    removed,
    tombstones: [...new Map(tombstones.map((one) => [`${one.kind} ${one.hash}`, one])).values()],
    texts: [...Object.values(rows).flat().flatMap(textsOf), ...told.map((one) => one.text)],
    sessions: [...gone],
    touched,
    mended: [...left.keys()],
    subjects,
  };
}

const NO_ASIDES: Asides = { responses: [], sessions: [], summaries: [] };

function textsOf({ texts }: DeletionRow): string[] {
  return (JSON.parse(texts) as (string | null)[]).filter((text) => text !== null && text.trim() !== "") as string[];
}

export function tombstonesOf(row: DeletionRow): Tombstone[] {
  const { item, session_id: session, key, at } = row;
  if (session === null) return [];
  const own = (kind: "prompt" | "message" | "tool-use"): Tombstone[] =>
    key === null ? [] : [tombstoneOf(kind, session, key)];
  if (item.startsWith("t")) return own("tool-use");
  const said = textsOf(row).map((text) => tombstoneOf("text", session, text));
  if (item.startsWith("m")) return [...own("message"), ...said];
  const text = (JSON.parse(row.texts) as string[])[0] ?? "";
  return [...own("prompt"), ...said, ...[-1, 0, 1].map((shift) => momentOf(session, text, at, shift))];
}

function subjectsOf(db: Db, doomed: DeletionSet): Map<number | null, Set<string>> {
  const subjects = new Map<number | null, Set<string>>();
  for (const id of doomed.observations) {
    const row = getObservation(db, id);
    if (row?.subject) subjects.set(row.project_id, (subjects.get(row.project_id) ?? new Set()).add(row.subject));
  }
  return subjects;
}
