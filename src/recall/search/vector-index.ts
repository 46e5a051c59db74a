// Finds the nearest stored vectors. Reads all vectors into memory once, later only changed chunks.
import { createCodeScan, PREFILTER_FROM } from "../../embed/code-scan.ts";
import { createScan, type Hit, type SearchOptions } from "../../embed/scan.ts";
import { writeVersion } from "../../store/db/query-cache.ts";
import type { Db } from "../../store/db/driver.ts";
import {
  chunkRevisions,
  type ChunkSpan,
  getChunks,
  getCodes,
  getRecords,
  VECTORS_PER_CHUNK,
  type VectorChunk,
} from "../../store/vectors/vector-chunks.ts";
import type { EmbeddingModel } from "../../store/vectors/vectors.ts";

export type VectorIndex = ReturnType<typeof createVectorIndex>;

interface NearestOptions {
  limit: number;
  /** Filters by the session's database id; 0 for vectors without a session. */
  accept?: ((session: number) => boolean) | undefined;
}

/** For processes that search once: above 20,000 vectors, codes and a few records are read faster than all records. */
export const ONE_SHOT_PREFILTER_FROM = 20_000;
/** 64 chunks are about 3 MB. */
const CHUNKS_PER_READ = 64;
/** Records read after each code search. They take 20 µs each, and 400 found nothing more on real sessions. */
const MAX_CANDIDATES = 200;

interface LoadedVectors {
  model: EmbeddingModel;
  hasCodes: boolean;
  /** The database's write version when the vectors were read. */
  version: string;
  /** Revision by chunk number. */
  revisions: Map<number, number>;
  /** Session id by row. */
  owners: Int32Array;
  read: (db: Db, span: ChunkSpan) => (Omit<VectorChunk, "records"> & { data: Uint8Array })[];
  put: (row: number, data: Uint8Array) => void;
  search: (db: Db, query: Float32Array, options: SearchOptions) => Hit[];
}

/** Above `prefilterFrom` vectors, only their codes are kept in memory. */
export function createVectorIndex(prefilterFrom = PREFILTER_FROM) {
  let loaded: LoadedVectors | undefined;
  return {
    /** `row` in a hit is the vector's place in the store. */
    nearest(db: Db, model: EmbeddingModel, query: Float32Array, { limit, accept }: NearestOptions): Hit[] {
      loaded = refresh(db, model, loaded, prefilterFrom);
      const { search, owners } = loaded;
      return search(db, query, { limit, ...(accept && { accept: (row) => accept(owners[row] ?? 0) }) });
    },
  };
}

function refresh(
  db: Db,
  model: EmbeddingModel,
  before: LoadedVectors | undefined,
  prefilterFrom: number,
): LoadedVectors {
  const version = writeVersion(db);
  if (before?.version === version && before.model.id === model.id) return before;
  const stored = chunkRevisions(db, model.id);
  const rows = stored.length * VECTORS_PER_CHUNK;
  const hasCodes = rows > prefilterFrom;
  const isUsable =
    before?.model.id === model.id && before.hasCodes === hasCodes && before.revisions.size <= stored.length;
  const loaded = isUsable ? before : createLoaded(model, hasCodes);
  if (loaded.owners.length < rows) {
    const owners = new Int32Array(rows);
    owners.set(loaded.owners);
    loaded.owners = owners;
  }
  const changed = stored.filter(({ number, revision }) => loaded.revisions.get(number) !== revision);
  for (const near of Map.groupBy(changed, ({ number }) => Math.floor(number / CHUNKS_PER_READ)).values()) {
    const span = { first: near[0]?.number ?? 0, last: near.at(-1)?.number ?? 0 };
    for (const { number, revision, owners, data } of loaded.read(db, span)) {
      loaded.put(number * VECTORS_PER_CHUNK, data);
      loaded.owners.set(owners, number * VECTORS_PER_CHUNK);
      loaded.revisions.set(number, revision);
    }
  }
  loaded.version = version;
  return loaded;
}

function createLoaded(model: EmbeddingModel, hasCodes: boolean): LoadedVectors {
  const empty = { model, hasCodes, version: "", revisions: new Map<number, number>(), owners: new Int32Array(0) };
  if (!hasCodes) {
    const { put, search } = createScan(model.dimensions);
    return {
      ...empty,
      put,
      read: (db, span) => getChunks(db, model.id, span).map((chunk) => ({ ...chunk, data: chunk.records })),
      search: (_, query, options) => search(query, options),
    };
  }
  const { put, search } = createCodeScan(model.dimensions);
  return {
    ...empty,
    put,
    read: (db, span) => getCodes(db, model, span).map((chunk) => ({ ...chunk, data: chunk.codes })),
    search: (db, query, options) =>
      search(query, { ...options, candidates: MAX_CANDIDATES, read: (rows) => getRecords(db, model, rows) }),
  };
}
