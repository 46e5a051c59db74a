// Looks through the stored vectors of a model: read once, and kept in a process that stays.
import type { Hit } from "../../embed/best.ts";
import { createCodeScan, PREFILTER_FROM } from "../../embed/code-scan.ts";
import { createScan, type SearchOptions } from "../../embed/scan.ts";
import type { Db } from "../../store/db/driver.ts";
import { writeVersion } from "../../store/db/data-version.ts";
import {
  chunkRevisions,
  type ChunkSpan,
  getChunks,
  getCodes,
  getRecords,
  STORED_ROWS,
  type VectorChunk,
} from "../../store/vectors/vector-chunks.ts";
import type { EmbeddingModel } from "../../store/vectors/vectors.ts";

export interface NearOptions {
  limit: number;
  /** Of which sessions; 0 stands for none. */
  accept?: ((session: number) => boolean) | undefined;
}

export interface VectorIndex {
  /** The nearest vectors, by their places in the store. */
  nearest(db: Db, model: EmbeddingModel, query: Float32Array, options: NearOptions): Hit[];
}

/** For a command that asks once: nothing is kept. From here on, to read all codes and a few records takes less than to read all records. */
export const COLD_PREFILTER_FROM = 20_000;

export const COLD_INDEX: VectorIndex = {
  nearest: (...args) => createWarmIndex(COLD_PREFILTER_FROM).nearest(...args),
};

function scanOptions({ limit, accept }: NearOptions, ownerOf: (row: number) => number): SearchOptions {
  return { limit, ...(accept !== undefined && { accept: (row) => accept(ownerOf(row)) }) };
}

/** What a process that stays has read of one model. */
interface Loaded {
  model: EmbeddingModel;
  kind: "whole" | "coded";
  /** Reads chunks, and says whose they are. */
  read: (db: Db, span: ChunkSpan) => Omit<VectorChunk, "records">[];
  search: (db: Db, query: Float32Array, options: SearchOptions) => Hit[];
  revisions: Map<number, number>;
  owners: Int32Array;
  /** Of the database, when it was read. */
  version: string;
}

/** Reads again only what has changed since it was asked last. */
export function createWarmIndex(prefilterFrom = PREFILTER_FROM): VectorIndex {
  let loaded: Loaded | undefined;
  return {
    nearest(db, model, query, options) {
      loaded = refresh(db, model, loaded, prefilterFrom);
      const { search, owners } = loaded;
      return search(
        db,
        query,
        scanOptions(options, (row) => owners[row] ?? 0),
      );
    },
  };
}

function refresh(db: Db, model: EmbeddingModel, before: Loaded | undefined, prefilterFrom: number): Loaded {
  const version = writeVersion(db);
  if (before?.version === version && before.model.id === model.id) return before;
  const stored = chunkRevisions(db, model.id);
  const rows = stored.length * STORED_ROWS;
  const kind = rows > prefilterFrom ? "coded" : "whole";
  const isSame = before?.model.id === model.id && before.kind === kind && before.revisions.size <= stored.length;
  const loaded: Loaded = isSame
    ? before
    : { model, kind, revisions: new Map(), owners: new Int32Array(0), version, ...scanOf(model, kind) };
  if (loaded.owners.length < rows) {
    const owners = new Int32Array(rows);
    owners.set(loaded.owners);
    loaded.owners = owners;
  }
  const changed = stored.filter(({ number, revision }) => loaded.revisions.get(number) !== revision);
  for (const near of Map.groupBy(changed, ({ number }) => Math.floor(number / READ_AT_ONCE)).values()) {
    const span = { first: near[0]?.number ?? 0, last: near.at(-1)?.number ?? 0 };
    for (const { number, revision, owners } of loaded.read(db, span)) {
      loaded.owners.set(owners, number * STORED_ROWS);
      loaded.revisions.set(number, revision);
    }
  }
  loaded.version = version;
  return loaded;
}

/** Chunks, some 3 MB. */
const READ_AT_ONCE = 64;
/** Of those that are likely by their codes alone, so many are looked at: some 20 microseconds each, and 400 find no more on real sessions. */
const MAX_LIKELY = 200;

function scanOf(model: EmbeddingModel, kind: Loaded["kind"]): Pick<Loaded, "read" | "search"> {
  if (kind === "whole") {
    const scan = createScan(model.dimensions);
    return {
      read(db, span) {
        const chunks = getChunks(db, model.id, span);
        for (const { number, records } of chunks) scan.put(number * STORED_ROWS, records);
        return chunks;
      },
      search: (_, query, options) => scan.search(query, options),
    };
  }
  const scan = createCodeScan(model.dimensions);
  return {
    read(db, span) {
      const chunks = getCodes(db, model, span);
      for (const { number, codes } of chunks) scan.put(number * STORED_ROWS, codes);
      return chunks;
    },
    search: (db, query, options) =>
      scan.search(query, { ...options, candidates: MAX_LIKELY, read: (rows) => getRecords(db, model, rows) }),
  };
}
