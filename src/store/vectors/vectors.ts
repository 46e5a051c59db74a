// vectors: what turns and observations mean, as numbers, in chunks by model. Made in the background, newest first.
import { recordBytes } from "../../core/vector-record.ts";
import type { Db } from "../db/driver.ts";
import { isRunning } from "../tables/session-status.ts";
import { type Write, writeRecords } from "./vector-chunks.ts";

export type EmbeddedKind = "turn" | "observation";

export interface EmbeddingModel {
  id: number;
  /** The embedder's id. */
  name: string;
  dimensions: number;
  /** The one that new vectors are made with. */
  is_wanted: number;
}

export function embeddingModels(db: Db): EmbeddingModel[] {
  return db.all("SELECT id, name, dimensions, is_wanted FROM embedding_models ORDER BY is_wanted DESC, id DESC");
}

/** The model that vectors are made with from now on. Where it is another than before, everything is to be embedded anew. */
export function wantModel(db: Db, name: string, dimensions: number, now: number): EmbeddingModel {
  const wanted = embeddingModels(db).find((model) => model.is_wanted === 1);
  if (wanted?.name === name && wanted.dimensions === dimensions) return wanted;
  // It may have served before: what has changed since then nobody knows.
  db.run("DELETE FROM embedding_models WHERE name = ?", name);
  db.run("UPDATE embedding_models SET is_wanted = 0");
  db.run(
    "INSERT INTO embedding_models (name, dimensions, is_wanted, created_at) VALUES (?, ?, 1, ?)",
    name,
    dimensions,
    now,
  );
  markAllStale(db);
  return wantModel(db, name, dimensions, now);
}

function markAllStale(db: Db): void {
  db.run("INSERT OR IGNORE INTO stale_vectors (kind, item_id, at) SELECT 'turn', id, created_at FROM prompts");
  db.run(
    `INSERT OR IGNORE INTO stale_vectors (kind, item_id, at)
     SELECT 'observation', id, valid_from FROM observations WHERE is_current = 1`,
  );
}

/** The others have served for as long as this one was not ready. */
export function dropOtherModels(db: Db, model: EmbeddingModel): number {
  return db.run("DELETE FROM embedding_models WHERE id <> ?", model.id).changes;
}

export function markTurnToEmbed(db: Db, promptDbId: number, at: number): void {
  db.run("INSERT OR REPLACE INTO stale_vectors (kind, item_id, at) VALUES ('turn', ?, ?)", promptDbId, at);
}

export interface StaleItem {
  /** Of the mark: an item that changes once more gets another. */
  mark: number;
  kind: EmbeddedKind;
  itemId: number;
}

/** A turn that goes on is not worth it yet. */
const IS_READY = `d.kind = 'observation' OR NOT ${isRunning()}`;
const WAITING = `FROM stale_vectors d LEFT JOIN prompts p ON d.kind = 'turn' AND p.id = d.item_id
  LEFT JOIN sessions s ON s.id = p.session_db_id WHERE (${IS_READY})`;

export function nextToEmbed(db: Db, limit: number): StaleItem[] {
  return db.all(
    `SELECT d.id AS mark, d.kind, d.item_id AS itemId ${WAITING} ORDER BY d.at DESC, d.id DESC LIMIT ?`,
    limit,
  );
}

export interface EmbedProgress {
  /** Vectors of the wanted model. */
  vectors: number;
  /** Turns and observations that have none yet. */
  waiting: number;
}

export function embedProgress(db: Db): EmbedProgress {
  const model = embeddingModels(db).find(({ is_wanted: isWanted }) => isWanted === 1);
  return {
    vectors: model === undefined ? 0 : countVectors(db, model.id),
    // Apart: observations are counted in an index, and only turns have to be looked up.
    waiting:
      db.get<{ n: number }>(
        `SELECT (SELECT count(*) FROM stale_vectors WHERE kind = 'observation')
           + (SELECT count(*) ${WAITING} AND d.kind = 'turn') AS n`,
      )?.n ?? 0,
  };
}

/** Not by counting all: there may be a million. */
export function countVectors(db: Db, modelId: number): number {
  const { n } = db.get<{ n: number }>(
    "SELECT count(*) AS n FROM vectors INDEXED BY vectors_free WHERE model_id = ? AND item_id IS NULL",
    modelId,
  ) as { n: number };
  return endOf(db, modelId) - n;
}

function endOf(db: Db, modelId: number): number {
  return (
    (db.get<{ last: number | null }>("SELECT max(place) AS last FROM vectors WHERE model_id = ?", modelId)?.last ??
      -1) + 1
  );
}

export interface EmbeddedItem extends StaleItem {
  /** 0: none. */
  sessionDbId: number;
  /** None where there was nothing to embed. */
  records: readonly Uint8Array[];
}

/** To be called inside a transaction. An item that is gone meanwhile is left out. */
export function saveVectors(db: Db, model: EmbeddingModel, items: readonly EmbeddedItem[]): void {
  const writes: Write[] = [];
  let end = endOf(db, model.id);
  const free = db
    .all<{ place: number }>(
      "SELECT place FROM vectors INDEXED BY vectors_free WHERE model_id = ? AND item_id IS NULL LIMIT ?",
      model.id,
      items.reduce((sum, { records }) => sum + records.length, 0),
    )
    .map(({ place }) => place);
  for (const { kind, itemId, mark, sessionDbId, records } of items) {
    const old = placesOf(db, model.id, kind, itemId);
    const isThere = db.get(`SELECT 1 FROM ${kind === "turn" ? "prompts" : "observations"} WHERE id = ?`, itemId);
    for (const record of isThere === undefined ? [] : records) {
      const place = old.shift() ?? free.shift() ?? end++;
      writes.push({ place, record, sessionDbId });
      db.run(
        `INSERT INTO vectors (model_id, place, kind, item_id) VALUES (?, ?, ?, ?)
         ON CONFLICT (model_id, place) DO UPDATE SET kind = excluded.kind, item_id = excluded.item_id`,
        model.id,
        place,
        kind,
        itemId,
      );
    }
    for (const place of old)
      db.run("UPDATE vectors SET kind = NULL, item_id = NULL WHERE model_id = ? AND place = ?", model.id, place);
    db.run("DELETE FROM stale_vectors WHERE id = ?", mark);
  }
  writeRecords(db, model, writes);
}

function placesOf(db: Db, modelId: number, kind: EmbeddedKind, itemId: number): number[] {
  return db
    .all<{ place: number }>(
      "SELECT place FROM vectors WHERE kind = ? AND item_id = ? AND model_id = ? ORDER BY place",
      kind,
      itemId,
      modelId,
    )
    .map(({ place }) => place);
}

export interface VectorItem {
  place: number;
  kind: EmbeddedKind;
  itemId: number;
  /** Null for what was remembered by hand. */
  session: number | null;
  promptNumber: number;
  /** Something newer has taken its place. */
  isSuperseded: number;
}

/** What lies at these places; nothing for those that are free. */
export function itemsAt(db: Db, modelId: number, places: readonly number[]): VectorItem[] {
  return db.all(
    `SELECT v.place, v.kind, v.item_id AS itemId, coalesce(p.session_db_id, o.session_db_id) AS session,
       coalesce(p.prompt_number, o.prompt_number, 0) AS promptNumber, o.superseded_by IS NOT NULL AS isSuperseded
     FROM json_each(?2) j CROSS JOIN vectors v ON v.model_id = ?1 AND v.place = j.value
       LEFT JOIN prompts p ON v.kind = 'turn' AND p.id = v.item_id
       LEFT JOIN observations o ON v.kind = 'observation' AND o.id = v.item_id
     WHERE p.id IS NOT NULL OR o.is_current = 1`,
    modelId,
    JSON.stringify(places),
  );
}

/** What was made of a session's turns, part of which is to be forgotten: all of it, until it is made anew. */
export function freeVectorsOf(db: Db, sessionDbId: number): void {
  db.run(
    `UPDATE vectors SET kind = NULL, item_id = NULL
     WHERE kind = 'turn' AND item_id IN (SELECT id FROM prompts WHERE session_db_id = ?)`,
    sessionDbId,
  );
}

/** What lay at places that are free now goes out of the bytes as well. */
export function scrubVectors(db: Db): void {
  for (const model of embeddingModels(db)) {
    const empty = new Uint8Array(recordBytes(model.dimensions));
    const free = db.all<{ place: number }>(
      "SELECT place FROM vectors INDEXED BY vectors_free WHERE model_id = ? AND item_id IS NULL",
      model.id,
    );
    writeRecords(
      db,
      model,
      free.map(({ place }) => ({ place, record: empty, sessionDbId: 0 })),
    );
  }
}
