// observations: what was worth knowing, each with its evidence and its producer. The index follows every write.
import { sha256 } from "../../platform/crypto.ts";
import type { Concept, Observation, ObservationType, Origin, Producer } from "../../core/memory.ts";
import { indexable } from "../../core/index-text.ts";
import { scopeWord } from "../../core/words.ts";
import type { Db } from "../db/driver.ts";
import { nextId } from "../db/next-id.ts";
import { keysOf } from "./observation-keys.ts";

export interface ObservationRow {
  id: number;
  project_id: number | null;
  session_db_id: number | null;
  prompt_number: number | null;
  type: ObservationType;
  title: string;
  subtitle: string | null;
  narrative: string;
  /** JSON, as the next three. */
  facts: string;
  concepts: string;
  files: string;
  /** JSON arrays: those of its files, and of those its words name, that its turn only read, and those it changed. */
  files_read: string;
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
  /** When a person said so. */
  superseded_at: number | null;
  valid_from: number;
  valid_to: number | null;
  created_at: number;
}

export interface ObservationSeed {
  /** Left out: it holds for every project. */
  projectId?: number | undefined;
  /** Left out: it was remembered by hand. */
  turn?: { sessionDbId: number; promptNumber: number } | undefined;
  observation: Observation;
  producer: Producer;
  validFrom: number;
}

/** What tells one observation from another; the same words with other evidence are the same observation. */
export function contentHash(observation: Observation): string {
  const { type, title, subtitle = null, narrative, facts, files, subject = null } = observation;
  return sha256(JSON.stringify([type, title, subtitle, narrative, facts, files, subject]));
}

export function insertObservation(db: Db, seed: ObservationSeed, at: number): number {
  const { observation, turn, producer } = seed;
  const { lastId } = db.run(
    `INSERT INTO observations
       (id, project_id, session_db_id, prompt_number, type, title, subtitle, narrative, facts, concepts, files, evidence,
        origin, subject, producer, prompt_hash, content_hash, valid_from, created_at)
     VALUES (${nextId("observations")}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    seed.projectId ?? null,
    turn?.sessionDbId ?? null,
    turn?.promptNumber ?? null,
    observation.type,
    observation.title,
    observation.subtitle ?? null,
    observation.narrative,
    JSON.stringify(observation.facts),
    JSON.stringify(observation.concepts),
    JSON.stringify(observation.files),
    JSON.stringify(observation.evidence),
    observation.origin,
    observation.subject ?? null,
    producer.name,
    producer.promptHash ?? null,
    contentHash(observation),
    seed.validFrom,
    at,
  );
  indexObservation(db, lastId);
  return lastId;
}

/** Writes the row's words into the index anew: after every change of them. */
export function indexObservation(db: Db, id: number): void {
  const row = getObservation(db, id);
  if (row === undefined) return;
  const observation = observationOf(row);
  const { facts, files } = observation;
  writeKeys(db, id, observation);
  db.run("DELETE FROM observations_fts WHERE rowid = ?", id);
  db.run(
    "INSERT INTO observations_fts (rowid, scope, title, body, files) VALUES (?, ?, ?, ?, ?)",
    id,
    scopeWord(row.project_id ?? 0),
    indexable([row.title, row.subtitle ?? ""].join("\n")),
    indexable([row.narrative, ...facts].join("\n")),
    indexable(files.join("\n")),
  );
}

/** For rows from before there were keys of every kind, whoever made them. */
export function renewKeys(db: Db, projectId: number | undefined): void {
  const rows = db.all<ObservationRow>(
    "SELECT * FROM observations WHERE ?1 IS NULL OR project_id = ?1",
    projectId ?? null,
  );
  for (const row of rows) writeKeys(db, row.id, observationOf(row));
}

function writeKeys(db: Db, id: number, observation: Observation): void {
  db.run("DELETE FROM observation_keys WHERE observation_id = ?", id);
  for (const { kind, key } of keysOf(observation))
    db.run("INSERT OR IGNORE INTO observation_keys (kind, key, observation_id) VALUES (?, ?, ?)", kind, key, id);
}

export function getObservation(db: Db, id: number): ObservationRow | undefined {
  return db.get("SELECT * FROM observations WHERE id = ?", id);
}

/** Its links and index entry go with it. */
export function deleteObservation(db: Db, id: number): void {
  db.run("DELETE FROM observations WHERE id = ?", id);
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

/** Of one turn, by all producers. */
export function observationsOfTurn(db: Db, sessionDbId: number, promptNumber: number): ObservationRow[] {
  return db.all(
    "SELECT * FROM observations WHERE session_db_id = ? AND prompt_number = ? ORDER BY id",
    sessionDbId,
    promptNumber,
  );
}

/** Of a whole session, the version that stands, in the order things happened. */
export function observationsOfSession(db: Db, sessionDbId: number): ObservationRow[] {
  return db.all(
    `SELECT * FROM observations WHERE session_db_id = ? AND is_current = 1
     ORDER BY prompt_number, subject IS NOT NULL, valid_from, content_hash`,
    sessionDbId,
  );
}

/** Where the same words rest on other evidence than before. */
export function moveEvidence(
  db: Db,
  id: number,
  { evidence, promptHash, validFrom }: { evidence: string[]; promptHash: string | undefined; validFrom: number },
): void {
  db.run(
    "UPDATE observations SET evidence = ?, prompt_hash = ?, valid_from = ? WHERE id = ?",
    JSON.stringify(evidence),
    promptHash ?? null,
    validFrom,
    id,
  );
}

/** A version that no longer stands replaces nothing, and nothing replaces it. */
export function setCurrent(db: Db, id: number, isCurrent: boolean): void {
  db.run(
    "UPDATE observations SET is_current = ?1, superseded_by = NULL, superseded_at = NULL, valid_to = NULL WHERE id = ?2",
    Number(isCurrent),
    id,
  );
  db.run(
    `DELETE FROM links WHERE relationship = 'supersedes' AND target_type = 'observation' AND target_id = 'o' || ?`,
    id,
  );
}

export function isForgotten(db: Db, hash: string): boolean {
  return db.get("SELECT 1 FROM tombstones WHERE kind = 'observation' AND hash = ?", hash) !== undefined;
}

/** What there is of memory: the versions that stand. */
export function memoryCounts(db: Db, projectId: number | undefined): { observations: number; summaries: number } {
  return db.get(
    `SELECT (SELECT count(*) FROM observations WHERE is_current = 1 AND (?1 IS NULL OR project_id = ?1)) AS observations,
       (SELECT count(*) FROM summaries u JOIN sessions s ON s.id = u.session_db_id
        WHERE u.is_current = 1 AND u.prompt_number > 0 AND (?1 IS NULL OR s.project_id = ?1)) AS summaries`,
    projectId ?? null,
  ) as { observations: number; summaries: number };
}

/** What a person has pinned, reworded, put in the place of something else or brought from elsewhere is theirs. */
export const OWNED = `(pinned = 1 OR edited_at IS NOT NULL OR superseded_at IS NOT NULL OR producer IN ('user', 'import')
  OR EXISTS (SELECT 1 FROM observations older WHERE older.superseded_by = observations.id AND older.superseded_at IS NOT NULL))`;

export function isOwned(db: Db, id: number): boolean {
  return db.get(`SELECT 1 FROM observations WHERE id = ? AND ${OWNED}`, id) !== undefined;
}

/** What the extractor made of turns that are no longer there. */
export function deleteOrphans(db: Db, projectId: number | undefined): void {
  for (const table of ["observations", "summaries"]) {
    db.run(
      `DELETE FROM ${table} WHERE producer = 'extractor' AND prompt_number > 0
         AND session_db_id IN (SELECT id FROM sessions WHERE ?1 IS NULL OR project_id = ?1)
         AND NOT EXISTS (SELECT 1 FROM prompts p WHERE p.session_db_id = ${table}.session_db_id AND p.prompt_number = ${table}.prompt_number)
         ${table === "observations" ? `AND NOT ${OWNED}` : ""}`,
      projectId ?? null,
    );
  }
}

export interface ChainRow {
  id: number;
  valid_from: number;
  superseded_by: number | null;
  valid_to: number | null;
}

/** What stands on one subject, oldest first; what a person said is replaced is left out of it. */
export function subjectChain(db: Db, projectId: number | null, subject: string): ChainRow[] {
  return db.all(
    `SELECT id, valid_from, superseded_by, valid_to FROM observations
     WHERE project_id IS ?1 AND subject = ?2 AND is_current = 1 AND (superseded_at IS NULL OR superseded_by IS NULL)
     ORDER BY valid_from, content_hash, id`,
    projectId,
    subject,
  );
}

export function setSuccessor(db: Db, id: number, next: { id: number; at: number } | undefined): void {
  db.run(
    "UPDATE observations SET superseded_by = ?, valid_to = ?, superseded_at = NULL WHERE id = ?",
    next?.id ?? null,
    next?.at ?? null,
    id,
  );
}
