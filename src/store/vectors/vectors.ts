// vectors: the embeddings of turns and observations, by model. The worker creates them in the background, newest first.
import { observationPieces, turnPieces } from "../../core/embed-text.ts";
import { recordBytes } from "../../core/vector-record.ts";
import type { Db } from "../db/driver.ts";
import { raw, sql, type Sql } from "../db/sql.ts";
import { getObservation } from "../tables/observations.ts";
import { isRunning } from "../tables/session-status.ts";
import { type VectorWrite, writeRecords } from "./vector-chunks.ts";

export type EmbeddedKind = "turn" | "observation";

export interface EmbeddingModel {
  id: number;
  /** The embedder's id. */
  name: string;
  dimensions: number;
  /** 1 if new vectors are made with this model. */
  is_wanted: number;
}

export function embeddingModels(db: Db): EmbeddingModel[] {
  return db.all(sql`SELECT id, name, dimensions, is_wanted FROM embedding_models ORDER BY is_wanted DESC, id DESC`);
}

/** Uses this model for new vectors. If another model was used before, marks everything to be embedded again. */
export function setWantedModel(db: Db, name: string, dimensions: number, now: number): EmbeddingModel {
  const wanted = embeddingModels(db).find((model) => model.is_wanted === 1);
  if (wanted?.name === name && wanted.dimensions === dimensions) return wanted;
  // Vectors from an earlier use of this model are outdated.
  db.run(sql`DELETE FROM embedding_models WHERE name = ${name}`);
  db.run(sql`UPDATE embedding_models SET is_wanted = 0`);
  db.run(sql`INSERT INTO embedding_models (name, dimensions, is_wanted, created_at)
    VALUES (${name}, ${dimensions}, 1, ${now})`);
  db.run(sql`INSERT OR IGNORE INTO stale_vectors (kind, item_id, at) SELECT 'turn', id, created_at FROM prompts`);
  db.run(sql`INSERT OR IGNORE INTO stale_vectors (kind, item_id, at)
    SELECT 'observation', id, valid_from FROM observations WHERE is_current = 1`);
  return setWantedModel(db, name, dimensions, now);
}

/** Must be called only when all vectors of this model exist: until then, searches use the other models. */
export function dropOtherModels(db: Db, model: EmbeddingModel): number {
  return db.run(sql`DELETE FROM embedding_models WHERE id <> ${model.id}`).changes;
}

export function markTurnToEmbed(db: Db, promptDbId: number, at: number): void {
  db.run(sql`INSERT OR REPLACE INTO stale_vectors (kind, item_id, at) VALUES ('turn', ${promptDbId}, ${at})`);
}

export interface StaleItem {
  /** The id of the row in stale_vectors. An item that changes again gets a new one. */
  mark: number;
  kind: EmbeddedKind;
  itemId: number;
}

/** SQL: FROM clause for stale items to embed. Turns that are running are not embedded yet. */
const WAITING = sql`FROM stale_vectors d LEFT JOIN prompts p ON d.kind = 'turn' AND p.id = d.item_id
  LEFT JOIN sessions s ON s.id = p.session_db_id WHERE (d.kind = 'observation' OR NOT ${isRunning()})`;

export function nextToEmbed(db: Db, limit: number): StaleItem[] {
  return db.all(
    sql`SELECT d.id AS mark, d.kind, d.item_id AS itemId ${WAITING} ORDER BY d.at DESC, d.id DESC LIMIT ${limit}`,
  );
}

export interface EmbedText {
  /** 0 if the item has no session. */
  sessionDbId: number;
  /** Empty if there is nothing to embed. */
  pieces: string[];
}

const NO_TEXT: EmbedText = { sessionDbId: 0, pieces: [] };

export function textToEmbed(db: Db, { kind, itemId }: StaleItem): EmbedText {
  return kind === "turn" ? turnText(db, itemId) : observationText(db, itemId);
}

function turnText(db: Db, promptDbId: number): EmbedText {
  const prompt = db.get<{ session: number; number: number; text: string; response: string }>(
    sql`SELECT session_db_id AS session, prompt_number AS number, text, coalesce(response, '') AS response
      FROM prompts WHERE id = ${promptDbId}`,
  );
  if (prompt === undefined) return NO_TEXT;
  const messages = db.column<string>(sql`SELECT text FROM messages
    WHERE session_db_id = ${prompt.session} AND prompt_number = ${prompt.number} AND role = 'assistant' ORDER BY created_at, id`);
  // Sessions recorded only by hooks have no messages, only the response of each turn.
  const answers = messages.length > 0 ? messages : [prompt.response];
  return { sessionDbId: prompt.session, pieces: turnPieces(prompt.text, answers) };
}

function observationText(db: Db, id: number): EmbedText {
  const row = getObservation(db, id);
  // Only the current version of an observation is embedded.
  if (row === undefined || row.is_current === 0) return NO_TEXT;
  const { title, narrative } = row;
  const pieces = observationPieces({ title, narrative, facts: JSON.parse(row.facts) as string[] });
  return { sessionDbId: row.session_db_id ?? 0, pieces };
}

/** Counts the vectors of the wanted model, and the turns and observations that are waiting to be embedded. */
export function embedProgress(db: Db) {
  const model = embeddingModels(db).find(({ is_wanted: isWanted }) => isWanted === 1);
  // Two counts, because observations can be counted without looking up each item.
  const waiting = db.value<number>(sql`SELECT (SELECT count(*) FROM stale_vectors WHERE kind = 'observation')
    + (SELECT count(*) ${WAITING} AND d.kind = 'turn')`);
  return { vectors: model === undefined ? 0 : countVectors(db, model.id), waiting: waiting ?? 0 };
}

const freePlaces = (modelId: number): Sql =>
  sql`FROM vectors INDEXED BY vectors_free WHERE model_id = ${modelId} AND item_id IS NULL`;

/** Subtracts the free places from the highest place, because counting a million rows is slow. */
export function countVectors(db: Db, modelId: number): number {
  return nextPlace(db, modelId) - (db.value<number>(sql`SELECT count(*) ${freePlaces(modelId)}`) ?? 0);
}

function nextPlace(db: Db, modelId: number): number {
  return (db.value<number>(sql`SELECT max(place) FROM vectors WHERE model_id = ${modelId}`) ?? -1) + 1;
}

export interface EmbeddedItem extends StaleItem {
  /** 0 if the item has no session. */
  sessionDbId: number;
  /** Empty if there was nothing to embed. */
  records: readonly Uint8Array[];
}

/** Must run in a transaction. Ignores items that were deleted meanwhile. */
export function saveVectors(db: Db, model: EmbeddingModel, items: readonly EmbeddedItem[]): void {
  const writes: VectorWrite[] = [];
  let end = nextPlace(db, model.id);
  const needed = items.reduce((sum, { records }) => sum + records.length, 0);
  const free = db.column<number>(sql`SELECT place ${freePlaces(model.id)} LIMIT ${needed}`);
  for (const { kind, itemId, mark, sessionDbId, records } of items) {
    const old = db.column<number>(sql`SELECT place FROM vectors
      WHERE kind = ${kind} AND item_id = ${itemId} AND model_id = ${model.id} ORDER BY place`);
    const table = raw(kind === "turn" ? "prompts" : "observations");
    const exists = db.has(sql`SELECT 1 FROM ${table} WHERE id = ${itemId}`);
    for (const record of exists ? records : []) {
      const place = old.shift() ?? free.shift() ?? end++;
      writes.push({ place, record, sessionDbId });
      db.run(sql`INSERT INTO vectors (model_id, place, kind, item_id) VALUES (${model.id}, ${place}, ${kind}, ${itemId})
        ON CONFLICT (model_id, place) DO UPDATE SET kind = excluded.kind, item_id = excluded.item_id`);
    }
    for (const place of old)
      db.run(sql`UPDATE vectors SET kind = NULL, item_id = NULL WHERE model_id = ${model.id} AND place = ${place}`);
    db.run(sql`DELETE FROM stale_vectors WHERE id = ${mark}`);
  }
  writeRecords(db, model, writes);
}

export interface VectorItem {
  place: number;
  kind: EmbeddedKind;
  itemId: number;
  /** Null for an observation written by hand. */
  session: number | null;
  promptNumber: number;
  isSuperseded: number;
}

/** The items at these places. Skips free places. */
export function itemsAt(db: Db, modelId: number, places: readonly number[]): VectorItem[] {
  return db.all(sql`SELECT v.place, v.kind, v.item_id AS itemId, coalesce(p.session_db_id, o.session_db_id) AS session,
      coalesce(p.prompt_number, o.prompt_number, 0) AS promptNumber, o.superseded_by IS NOT NULL AS isSuperseded
    FROM json_each(${places}) j CROSS JOIN vectors v ON v.model_id = ${modelId} AND v.place = j.value
      LEFT JOIN prompts p ON v.kind = 'turn' AND p.id = v.item_id
      LEFT JOIN observations o ON v.kind = 'observation' AND o.id = v.item_id
    WHERE p.id IS NOT NULL OR o.is_current = 1`);
}

/** Frees the places of all vectors of a session's turns. */
export function freeVectorsOf(db: Db, sessionDbId: number): void {
  db.run(sql`UPDATE vectors SET kind = NULL, item_id = NULL
    WHERE kind = 'turn' AND item_id IN (SELECT id FROM prompts WHERE session_db_id = ${sessionDbId})`);
}

/** Overwrites the records at free places, so that no deleted data remains. */
export function scrubVectors(db: Db): void {
  for (const model of embeddingModels(db)) {
    const record = new Uint8Array(recordBytes(model.dimensions));
    const free = db.column<number>(sql`SELECT place ${freePlaces(model.id)}`);
    const writes = free.map((place) => ({ place, record, sessionDbId: 0 }));
    writeRecords(db, model, writes);
  }
}
