// vector_chunks: 128 vectors per row, as bytes. vector_codes: the same vectors with one bit per dimension.
import { codesOf, recordBytes } from "../../core/vector-record.ts";
import type { Db } from "../db/driver.ts";
import { raw, sql } from "../db/sql.ts";
import type { EmbeddingModel } from "./vectors.ts";

/**
 * Vectors per chunk, which has about 50 KB. With one row per vector, reading 100,000 vectors takes four times as long.
 * Larger chunks are slow to write, and slow to read one vector from (0.13 ms with 1,024 vectors, 0.02 ms with 128).
 */
export const VECTORS_PER_CHUNK = 128;

export interface VectorWrite {
  place: number;
  record: Uint8Array;
  sessionDbId: number;
}

/** Writes the records to their places. Each chunk is rewritten once, with all of its new records. */
export function writeRecords(db: Db, model: EmbeddingModel, writes: readonly VectorWrite[]): void {
  const size = recordBytes(model.dimensions);
  for (const [number, inChunk] of Map.groupBy(writes, ({ place }) => Math.floor(place / VECTORS_PER_CHUNK))) {
    const [before] = getChunks(db, model.id, { first: number, last: number });
    const rows = Math.max(
      (before?.records.length ?? 0) / size,
      ...inChunk.map(({ place }) => (place % VECTORS_PER_CHUNK) + 1),
    );
    const records = new Uint8Array(rows * size);
    const owners = new Int32Array(rows);
    records.set(before?.records ?? []);
    owners.set(before?.owners ?? []);
    for (const { place, record, sessionDbId } of inChunk) {
      records.set(record, (place % VECTORS_PER_CHUNK) * size);
      owners[place % VECTORS_PER_CHUNK] = sessionDbId;
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
  /** The session id of each record; 0 if it has no session. */
  owners: Int32Array;
  records: Uint8Array;
}

export interface ChunkSpan {
  first: number;
  last: number;
}

type Stored<Chunk extends { owners: Int32Array }> = Omit<Chunk, "owners"> & { owners: Uint8Array };

/** Chunks `first` to `last`, by number. Reading them one by one takes three times as long. */
export function getChunks(db: Db, modelId: number, { first, last }: ChunkSpan): VectorChunk[] {
  const rows = db.all<Stored<VectorChunk>>(sql`SELECT number, revision, owners, records FROM vector_chunks
    WHERE model_id = ${modelId} AND number BETWEEN ${first} AND ${last} ORDER BY number`);
  return rows.map((row) => ({ ...row, owners: new Int32Array(row.owners.slice().buffer) }));
}

export interface CodeChunk extends Omit<VectorChunk, "records"> {
  codes: Uint8Array;
}

/** Chunks with codes instead of records. Computes the codes of chunks that an older version wrote without them. */
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

/** The records at these places, concatenated. A place without a record gives zeros. */
export function getRecords(db: Db, { id, dimensions }: EmbeddingModel, places: readonly number[]): Uint8Array {
  const size = recordBytes(dimensions);
  const records = new Uint8Array(places.length * size);
  const rows = db.all<{ index: number; record: Uint8Array }>(
    sql`SELECT j.key AS "index",
        substr(c.records, (j.value % ${raw(VECTORS_PER_CHUNK)}) * ${size} + 1, ${size}) AS record
      FROM json_each(${places}) j CROSS JOIN vector_chunks c
        ON c.model_id = ${id} AND c.number = j.value / ${raw(VECTORS_PER_CHUNK)}`,
  );
  for (const { index, record } of rows) if (record.length === size) records.set(record, index * size);
  return records;
}

export function chunkRevisions(db: Db, modelId: number): { number: number; revision: number }[] {
  return db.all(sql`SELECT number, revision FROM vector_chunks WHERE model_id = ${modelId} ORDER BY number`);
}
