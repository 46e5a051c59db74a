// vector_chunks and vector_codes: vectors side by side, as bytes, and of each a bit a dimension.
import { codesOf, recordBytes } from "../../core/vector-record.ts";
import type { Db } from "../db/driver.ts";
import type { EmbeddingModel } from "./vectors.ts";

/**
 * Vectors to a stored chunk, 50 KB. To read 100,000 of them row by row takes four times as long; in larger chunks a single
 * one is slow to get at (0.13 ms in one of 1,024, here 0.02), and each batch writes its chunk anew.
 */
export const STORED_ROWS = 128;

export interface Write {
  place: number;
  record: Uint8Array;
  sessionDbId: number;
}

/** A chunk is written as a whole, for as many of its records as come together. */
export function writeRecords(db: Db, model: EmbeddingModel, writes: readonly Write[]): void {
  const size = recordBytes(model.dimensions);
  for (const [number, inChunk] of Map.groupBy(writes, ({ place }) => Math.floor(place / STORED_ROWS))) {
    const [before] = getChunks(db, model.id, { first: number, last: number });
    const rows = Math.max(
      (before?.records.length ?? 0) / size,
      ...inChunk.map(({ place }) => (place % STORED_ROWS) + 1),
    );
    const records = new Uint8Array(rows * size);
    const owners = new Int32Array(rows);
    records.set(before?.records ?? []);
    owners.set(before?.owners ?? []);
    for (const { place, record, sessionDbId } of inChunk) {
      records.set(record, (place % STORED_ROWS) * size);
      owners[place % STORED_ROWS] = sessionDbId;
    }
    const revision = (before?.revision ?? 0) + 1;
    db.run(
      `INSERT INTO vector_chunks (model_id, number, revision, owners, records) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (model_id, number) DO UPDATE SET revision = excluded.revision, owners = excluded.owners, records = excluded.records`,
      model.id,
      number,
      revision,
      new Uint8Array(owners.buffer),
      records,
    );
    saveCodes(db, model, { number, revision, records });
  }
}

function saveCodes(
  db: Db,
  { id, dimensions }: EmbeddingModel,
  { number, revision, records }: Omit<VectorChunk, "owners">,
): void {
  db.run(
    `INSERT INTO vector_codes (model_id, number, revision, codes) VALUES (?, ?, ?, ?)
     ON CONFLICT (model_id, number) DO UPDATE SET revision = excluded.revision, codes = excluded.codes`,
    id,
    number,
    revision,
    codesOf(records, dimensions),
  );
}

/** Of chunks that an older program has written; to be called inside a transaction, until it says 0. */
export function addMissingCodes(db: Db, model: EmbeddingModel, limit: number): number {
  const chunks = db.all<Omit<VectorChunk, "owners">>(
    `SELECT c.number, c.revision, c.records FROM vector_chunks c LEFT JOIN vector_codes k
       ON k.model_id = c.model_id AND k.number = c.number AND k.revision = c.revision
     WHERE c.model_id = ? AND k.number IS NULL LIMIT ?`,
    model.id,
    limit,
  );
  for (const chunk of chunks) saveCodes(db, model, chunk);
  return chunks.length;
}

export interface VectorChunk {
  number: number;
  revision: number;
  /** The session of each record, 0 for none. */
  owners: Int32Array;
  records: Uint8Array;
}

/** Several in a row, in their order: to ask for each by itself takes three times as long. */
export function getChunks(db: Db, modelId: number, span: ChunkSpan): VectorChunk[] {
  const rows = db.all<Omit<VectorChunk, "owners"> & { owners: Uint8Array }>(
    "SELECT number, revision, owners, records FROM vector_chunks WHERE model_id = ? AND number BETWEEN ? AND ? ORDER BY number",
    modelId,
    span.first,
    span.last,
  );
  return rows.map((row) => ({ ...row, owners: new Int32Array(row.owners.slice().buffer) }));
}

export interface ChunkSpan {
  first: number;
  last: number;
}

export interface CodeChunk extends Omit<VectorChunk, "records"> {
  codes: Uint8Array;
}

/** The same with a bit a dimension instead of the records. */
export function getCodes(db: Db, { id, dimensions }: EmbeddingModel, span: ChunkSpan): CodeChunk[] {
  const rows = db.all<{
    number: number;
    revision: number;
    owners: Uint8Array;
    codes: Uint8Array | null;
    records: Uint8Array | null;
  }>(
    `SELECT c.number, c.revision, c.owners, k.codes, CASE WHEN k.codes IS NULL THEN c.records END AS records
     FROM vector_chunks c LEFT JOIN vector_codes k
       ON k.model_id = c.model_id AND k.number = c.number AND k.revision = c.revision
     WHERE c.model_id = ? AND c.number BETWEEN ? AND ? ORDER BY c.number`,
    id,
    span.first,
    span.last,
  );
  return rows.map(({ number, revision, owners, codes, records }) => ({
    number,
    revision,
    owners: new Int32Array(owners.slice().buffer),
    codes: codes ?? codesOf(records ?? new Uint8Array(), dimensions),
  }));
}

/** Those at these places, one after the other; zeros where there is none. */
export function getRecords(db: Db, { id, dimensions }: EmbeddingModel, places: readonly number[]): Uint8Array {
  const size = recordBytes(dimensions);
  const records = new Uint8Array(places.length * size);
  const rows = db.all<{ index: number; record: Uint8Array }>(
    `SELECT j.key AS "index", substr(c.records, (j.value % ${STORED_ROWS}) * ?2 + 1, ?2) AS record
     FROM json_each(?3) j CROSS JOIN vector_chunks c ON c.model_id = ?1 AND c.number = j.value / ${STORED_ROWS}`,
    id,
    size,
    JSON.stringify(places),
  );
  for (const { index, record } of rows) if (record.length === size) records.set(record, index * size);
  return records;
}

export function chunkRevisions(db: Db, modelId: number): { number: number; revision: number }[] {
  return db.all("SELECT number, revision FROM vector_chunks WHERE model_id = ? ORDER BY number", modelId);
}
