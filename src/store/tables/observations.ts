// observations: things worth knowing, each with its evidence and producer. Every write updates the full-text index.
import { sha256 } from "../../platform/crypto.ts";
import type { Concept, Observation, ObservationType, Origin, Producer } from "../../core/memory.ts";
import { indexable } from "../../core/index-text.ts";
import { scopeWord } from "../../core/words.ts";
import type { Db } from "../db/driver.ts";
import { nextId } from "../db/item-ids.ts";
import { and, raw, sql } from "../db/sql.ts";
import type { TurnKey } from "./prompts.ts";
import { isNotWrong } from "./wrong-items.ts";

export interface ObservationRow {
  id: number;
  project_id: number | null;
  session_db_id: number | null;
  prompt_number: number | null;
  type: ObservationType;
  title: string;
  subtitle: string | null;
  narrative: string;
  /** JSON array, like the next five. */
  facts: string;
  concepts: string;
  files: string;
  /** Files that its turn only read. Includes files that the text names but `files` does not list. */
  files_read: string;
  /** Files that its turn changed, listed or named like files_read. */
  files_modified: string;
  evidence: string;
  origin: Origin;
  subject: string | null;
  producer: string;
  prompt_hash: string | null;
  content_hash: string;
  is_current: number;
  pinned: number;
  edited_at: number | null;
  superseded_by: number | null;
  /** When a user superseded it. Null if the successor was derived. */
  superseded_at: number | null;
  /** The model that superseded it. Null: a user did, or a newer observation with the same subject. */
  superseded_producer: string | null;
  valid_from: number;
  valid_to: number | null;
  /** When a model last found it confirmed by later evidence. */
  confirmed_at: number | null;
  created_at: number;
}

export interface NewObservation {
  /** Undefined if it is for all projects. */
  projectId?: number | undefined;
  /** Undefined for an observation that belongs to no session, such as one that a user wrote. */
  turn?: TurnKey | undefined;
  observation: Observation;
  producer: Producer;
  validFrom: number;
}

/** Evidence and concepts are not part of the hash: deriving an observation again may change them. */
export function contentHash(observation: Observation): string {
  const { type, title, subtitle = null, narrative, facts, files, subject = null } = observation;
  return sha256(JSON.stringify([type, title, subtitle, narrative, facts, files, subject]));
}

export function insertObservation(
  db: Db,
  { projectId, turn, observation, producer, validFrom }: NewObservation,
  at: number,
): number {
  const { type, title, subtitle, narrative, facts, concepts, files, evidence, origin, subject } = observation;
  const { lastId } = db.run(sql`INSERT INTO observations
      (id, project_id, session_db_id, prompt_number, type, title, subtitle, narrative, facts, concepts, files, evidence,
       origin, subject, producer, prompt_hash, content_hash, valid_from, created_at)
    VALUES (${nextId("observations")}, ${projectId}, ${turn?.sessionDbId}, ${turn?.promptNumber},
      ${type}, ${title}, ${subtitle}, ${narrative}, ${facts}, ${concepts}, ${files}, ${evidence},
      ${origin}, ${subject}, ${producer.name}, ${producer.promptHash}, ${contentHash(observation)}, ${validFrom}, ${at})`);
  indexObservation(db, lastId);
  return lastId;
}

/** Writes the row's text and keys to the indexes. Must be called after every change to the row's text or files. */
export function indexObservation(db: Db, id: number): void {
  const row = getObservation(db, id);
  if (row === undefined) return;
  const observation = observationOf(row);
  const { title, subtitle = "", narrative, facts, files } = observation;
  writeKeys(db, id, observation);
  db.run(sql`DELETE FROM observations_fts WHERE rowid = ${id}`);
  db.run(sql`INSERT INTO observations_fts (rowid, scope, title, body, files)
    VALUES (${id}, ${scopeWord(row.project_id ?? 0)}, ${indexable(`${title}\n${subtitle}`)},
      ${indexable([narrative, ...facts].join("\n"))}, ${indexable(files.join("\n"))})`);
}

/** Writes the keys of all observations again, because rows of older versions lack some keys. */
export function renewKeys(db: Db, projectId: number | undefined): void {
  const rows = db.all<ObservationRow>(
    sql`SELECT * FROM observations WHERE ${projectId} IS NULL OR project_id = ${projectId}`,
  );
  for (const row of rows) writeKeys(db, row.id, observationOf(row));
}

/** Writes the files that an observation is about to observation_keys, to find it without a search. */
function writeKeys(db: Db, id: number, observation: Observation): void {
  db.run(sql`DELETE FROM observation_keys WHERE observation_id = ${id}`);
  for (const { kind, key } of keysOf(observation))
    db.run(sql`INSERT OR IGNORE INTO observation_keys (kind, key, observation_id) VALUES (${kind}, ${key}, ${id})`);
}

interface ObservationKey {
  kind: "file";
  key: string;
}

/** An observation about more files than this says little about each of them. */
const MAX_FILES = 20;
function keysOf({ files }: Observation): ObservationKey[] {
  return files.slice(0, MAX_FILES).map((key) => ({ kind: "file", key }));
}

/**
 * Current observations about a file, of this project or for all projects, newest first. Leaves out those
 * that were marked as wrong.
 */
export function observationsAbout(
  db: Db,
  { kind, key }: ObservationKey,
  projectId: number,
  limit: number,
): ObservationRow[] {
  return db.all(sql`SELECT o.* FROM (SELECT observation_id FROM observation_keys
        WHERE kind = ${kind} AND key = ${key} ORDER BY observation_id DESC LIMIT ${limit}) k
      CROSS JOIN observations o ON o.id = k.observation_id
    WHERE ${isNotWrong("o")} AND o.is_current = 1 AND o.superseded_by IS NULL AND (o.project_id = ${projectId} OR o.project_id IS NULL)
    ORDER BY o.valid_from DESC, o.id DESC`);
}

export function getObservation(db: Db, id: number): ObservationRow | undefined {
  return db.get(sql`SELECT * FROM observations WHERE id = ${id}`);
}

/** Triggers delete the observation's links and index entry. */
export function deleteObservation(db: Db, id: number): void {
  restoreReplaced(db, id);
  db.run(sql`DELETE FROM observations WHERE id = ${id}`);
}

export function observationOf(row: ObservationRow): Observation {
  return {
    type: row.type,
    title: row.title,
    ...(row.subtitle !== null && { subtitle: row.subtitle }),
    narrative: row.narrative,
    facts: JSON.parse(row.facts) as string[],
    concepts: JSON.parse(row.concepts) as Concept[],
    files: JSON.parse(row.files) as string[],
    evidence: JSON.parse(row.evidence) as string[],
    origin: row.origin,
    ...(row.subject !== null && { subject: row.subject }),
  };
}

/** The observations of one turn, by all producers. */
export function observationsOfTurn(db: Db, sessionDbId: number, promptNumber: number): ObservationRow[] {
  return db.all(sql`SELECT * FROM observations
    WHERE session_db_id = ${sessionDbId} AND prompt_number = ${promptNumber} ORDER BY id`);
}

/** The latest ids, oldest first. */
export function latestIdsOfSession(db: Db, sessionDbId: number, limit: number): number[] {
  const rows = db.all<{ id: number }>(sql`SELECT id FROM observations
    WHERE session_db_id = ${sessionDbId} AND is_current = 1 ORDER BY prompt_number DESC, id DESC LIMIT ${limit}`);
  return rows.map(({ id }) => id).toReversed();
}

/** The current observations of a session, in the order of its turns. */
export function observationsOfSession(db: Db, sessionDbId: number): ObservationRow[] {
  return db.all(sql`SELECT * FROM observations WHERE session_db_id = ${sessionDbId} AND is_current = 1
    ORDER BY prompt_number, subject IS NOT NULL, valid_from, content_hash`);
}

export function hasObservations(db: Db, sessionDbId: number): boolean {
  return db.has(sql`SELECT 1 FROM observations WHERE session_db_id = ${sessionDbId} AND is_current = 1`);
}

/** Replaces the evidence of an observation that was derived again with the same text. */
export function replaceEvidence(
  db: Db,
  id: number,
  { evidence, promptHash, validFrom }: { evidence: string[]; promptHash: string | undefined; validFrom: number },
): void {
  db.run(sql`UPDATE observations SET evidence = ${evidence}, prompt_hash = ${promptHash}, valid_from = ${validFrom}
    WHERE id = ${id}`);
}

/** Also removes `superseded_by` and links to it: a version that is not current neither supersedes nor is superseded. */
export function setCurrent(db: Db, id: number, isCurrent: boolean): void {
  if (!isCurrent) restoreReplaced(db, id);
  db.run(sql`UPDATE observations
    SET is_current = ${isCurrent}, superseded_by = NULL, superseded_at = NULL, superseded_producer = NULL, valid_to = NULL
    WHERE id = ${id}`);
  db.run(sql`DELETE FROM links
    WHERE relationship = 'supersedes' AND target_type = 'observation' AND target_id = ${`o${id}`}`);
}

/** What a model superseded by this observation holds again. */
function restoreReplaced(db: Db, id: number): void {
  const replaced = sql`superseded_by = ${id} AND superseded_producer IS NOT NULL`;
  db.run(sql`DELETE FROM links WHERE relationship = 'supersedes' AND source_type = 'observation'
    AND source_id = ${`o${id}`} AND target_id IN (SELECT 'o' || id FROM observations WHERE ${replaced})`);
  db.run(sql`UPDATE observations SET superseded_by = NULL, superseded_producer = NULL, valid_to = NULL
    WHERE ${replaced}`);
}

/** Counts current observations and current summaries of turns. */
export function memoryCounts(db: Db, projectId: number | undefined): { observations: number; summaries: number } {
  const isCounted = sql`is_current = 1 AND (${projectId} IS NULL OR project_id = ${projectId})`;
  const observations = db.value<number>(sql`SELECT count(*) FROM observations WHERE ${isCounted}`) ?? 0;
  const summaries = db.value<number>(sql`SELECT count(*) FROM summaries u JOIN sessions s ON s.id = u.session_db_id
    WHERE ${isCounted} AND u.prompt_number > 0`);
  return { observations, summaries: summaries ?? 0 };
}

/** SQL: whether a user pinned, edited, imported, wrote or superseded the observation, or superseded another with it. */
export const EDITED_BY_USER = sql`(pinned = 1 OR edited_at IS NOT NULL OR superseded_at IS NOT NULL OR producer IN ('user', 'import')
  OR EXISTS (SELECT 1 FROM observations older WHERE older.superseded_by = observations.id AND older.superseded_at IS NOT NULL))`;

export function isEditedByUser(db: Db, id: number): boolean {
  return db.has(sql`SELECT 1 FROM observations WHERE id = ${id} AND ${EDITED_BY_USER}`);
}

/** Deletes observations and summaries that the extractor derived from turns that no longer exist. */
export function deleteOrphans(db: Db, projectId: number | undefined): void {
  for (const name of ["observations", "summaries"]) {
    const table = raw(name);
    db.run(sql`DELETE FROM ${table} WHERE producer = 'extractor' AND prompt_number > 0
      AND session_db_id IN (SELECT id FROM sessions WHERE ${projectId} IS NULL OR project_id = ${projectId})
      AND NOT EXISTS (SELECT 1 FROM prompts p
        WHERE p.session_db_id = ${table}.session_db_id AND p.prompt_number = ${table}.prompt_number)
      AND ${and(name === "observations" && sql`NOT ${EDITED_BY_USER}`)}`);
  }
}

export type ChainRow = Pick<ObservationRow, "id" | "valid_from" | "superseded_by" | "valid_to">;

/** Current observations with this subject, oldest first. Leaves out those that a user or a model superseded. */
export function subjectChain(db: Db, projectId: number | null, subject: string): ChainRow[] {
  return db.all(sql`SELECT id, valid_from, superseded_by, valid_to FROM observations
    WHERE project_id IS ${projectId} AND subject = ${subject} AND is_current = 1
      AND (superseded_by IS NULL OR (superseded_at IS NULL AND superseded_producer IS NULL))
    ORDER BY valid_from, content_hash, id`);
}

export function setSuccessor(db: Db, id: number, next: { id: number; at: number } | undefined): void {
  db.run(sql`UPDATE observations
    SET superseded_by = ${next?.id}, valid_to = ${next?.at}, superseded_at = NULL, superseded_producer = NULL
    WHERE id = ${id}`);
}

/** `by`: the observation that a model wrote instead, and the model. */
export function supersedeByModel(db: Db, id: number, by: { id: number; at: number; producer: string }): void {
  db.run(sql`UPDATE observations
    SET superseded_by = ${by.id}, valid_to = ${by.at}, superseded_at = NULL, superseded_producer = ${by.producer}
    WHERE id = ${id}`);
}

/** Records that evidence of this time confirms the observation. */
export function confirmObservation(db: Db, id: number, at: number): void {
  db.run(sql`UPDATE observations SET confirmed_at = max(coalesce(confirmed_at, 0), ${at}) WHERE id = ${id}`);
}
