// vector_chunks and vector_codes: 128 vectors side by side, as bytes, and the same with one bit per dimension.
import { codesOf, recordBytes } from "../../core/vector-record.ts";
import type { Db } from "../db/driver.ts";
import { raw, sql } from "../db/sql.ts";
import type { EmbeddingModel } from "./vectors.ts";

/**
 * Vectors in a stored chunk of 50 KB. Reading 100,000 vectors row by row takes four times as long. In larger chunks reading
 * a single one is slow (0.13 ms with 1,024 vectors, 0.02 ms with 128), and each batch rewrites its chunk.
 */
export const STORED_ROWS = 128;

export interface Write {
  place: number;
  record: Uint8Array;
  sessionDbId: number;
}

/** Rewrites each chunk once, with all of its new records. */
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
    db.run(sql`INSERT INTO vector_chunks (model_id, number, revision, owners, records)
      VALUES (${model.id}, ${number}, ${revision}, ${new Uint8Array(owners.buffer)}, ${records})
      ON CONFLICT (model_id, number) DO UPDATE
        SET revision = excluded.revision, owners = excluded.owners, records = excluded.records`);
    db.run(sql`INSERT INTO vector_codes (model_id, number, revision, codes)
      VALUES (${model.id}, ${number}, ${revision}, ${codesOf(records, model.dimensions)})
      ON CONFLICT (model_id, number) DO UPDATE SET revision = excluded.revision, codes = excluded.codes`);
  }
}

export interface VectorChunk {
  number: number;
  revision: number;
  /** The session of each record; 0: no session. */
  owners: Int32Array;
  records: Uint8Array;
}

export interface ChunkSpan {
  first: number;
  last: number;
}

type Stored<Chunk extends { owners: Int32Array }> = Omit<Chunk, "owners"> & { owners: Uint8Array };

/** Ordered by number. One query for all: reading chunks one by one takes three times as long. */
export function getChunks(db: Db, modelId: number, { first, last }: ChunkSpan): VectorChunk[] {
  const rows = db.all<Stored<VectorChunk>>(sql`SELECT number, revision, owners, records FROM vector_chunks
    WHERE model_id = ${modelId} AND number BETWEEN ${first} AND ${last} ORDER BY number`);
  return rows.map((row) => ({ ...row, owners: new Int32Array(row.owners.slice().buffer) }));
}

export interface CodeChunk extends Omit<VectorChunk, "records"> {
  codes: Uint8Array;
}

/** Chunks with one bit per dimension instead of the records. An older version wrote chunks without codes. */
export function getCodes(db: Db, { id, dimensions }: EmbeddingModel, { first, last }: ChunkSpan): CodeChunk[] {
  const rows = db.all<Stored<VectorChunk> & { codes: Uint8Array | null }>(
    sql`SELECT c.number, c.revision, c.owners, k.codes, CASE WHEN k.codes IS NULL THEN c.records END AS records
      FROM vector_chunks c
        LEFT JOIN vector_codes k ON k.model_id = c.model_id AND k.number = c.number AND k.revision = c.revision
      WHERE c.model_id = ${id} AND c.number BETWEEN ${first} AND ${last} ORDER BY c.number`,
  );
  return rows.map(({ number, revision, owners, codes, records }) => ({
    number,
    revision,
    owners: new Int32Array(owners.slice().buffer),
    codes: codes ?? codesOf(records, dimensions),
  }));
}

/** The records at these places, one after the other; zeros for a place without a record. */
export function getRecords(db: Db, { id, dimensions }: EmbeddingModel, places: readonly number[]): Uint8Array {
  const size = recordBytes(dimensions);
  const records = new Uint8Array(places.length * size);
  const rows = db.all<{ index: number; record: Uint8Array }>(
    sql`SELECT j.key AS "index", substr(c.records, (j.value % ${raw(STORED_ROWS)}) * ${size} + 1, ${size}) AS record
      FROM json_each(${places}) j CROSS JOIN vector_chunks c
        ON c.model_id = ${id} AND c.number = j.value / ${raw(STORED_ROWS)}`,
  );
  for (const { index, record } of rows) if (record.length === size) records.set(record, index * size);
  return records;
}

export function chunkRevisions(db: Db, modelId: number): { number: number; revision: number }[] {
  return db.all(sql`SELECT number, revision FROM vector_chunks WHERE model_id = ${modelId} ORDER BY number`);
}
