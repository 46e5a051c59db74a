// Finds the vectors nearest to one, by looking at all of them: 8 bits a dimension, in the SIMD kernel. Exact up to rounding.
import { type Best, createBest, type Hit } from "./best.ts";
import { createKernel, type Kernel } from "./kernel.ts";
import { CHUNK_ROWS, MAX_DIMENSIONS, paddedDimensions, recordBytes } from "../core/vector-record.ts";

export interface SearchOptions {
  limit: number;
  /** Which rows may be found. Asked only of those that are near enough. */
  accept?: (row: number) => boolean;
}

/** Vectors kept in memory, numbered in the order they were added. */
export interface VectorScan {
  readonly rows: number;
  /** Any number of whole records. */
  add(records: Uint8Array): void;
  /** The same in place of what is there from this row on, and behind it. */
  put(row: number, records: Uint8Array): void;
  search(query: Float32Array, options: SearchOptions): Hit[];
}

export function createScan(dimensions: number): VectorScan {
  const scanner = createScanner(dimensions);
  const { kernel, stride } = scanner;
  let rows = 0;
  let room = 0;
  /** Chunks are allocated one after the other and a multiple of the alignment long: together they are one table. */
  let first: number | undefined;
  const put = (row: number, records: Uint8Array): void => {
    const end = row + rowsIn(records, stride);
    for (; room < end; room += CHUNK_ROWS) {
      const chunk = kernel.allocate(CHUNK_ROWS * stride);
      first ??= chunk;
    }
    if (first === undefined) return;
    new Uint8Array(kernel.memory.buffer, first + row * stride, records.length).set(records);
    rows = Math.max(rows, end);
  };
  return {
    get rows() {
      return rows;
    },
    add: (records) => put(rows, records),
    put,
    search(query, { limit, accept }) {
      const best = createBest(limit, accept);
      const scale = scanner.ask(query);
      for (let row = 0; row < rows; row += CHUNK_ROWS) {
        scanner.score((first ?? 0) + row * stride, Math.min(CHUNK_ROWS, rows - row), row, best);
      }
      return scaled(best.hits, scale);
    },
  };
}

export interface Scanner {
  kernel: Kernel;
  stride: number;
  /** Takes the query; scores are to be multiplied with what it returns. */
  ask(query: Float32Array): number;
  /** Offers up to a chunk of records, which lie at `at` and are numbered from `row`. */
  score(at: number, count: number, row: number, best: Best): void;
}

/** The query is kept finer than the records: it costs nothing. */
const QUERY_MAX = 4095;
/** Records the kernel takes at a time; behind the last one there is always room. */
const ROW_STEP = 4;

export function createScanner(dimensions: number): Scanner {
  if (dimensions > MAX_DIMENSIONS) throw new RangeError(`Vectors have at most ${MAX_DIMENSIONS} dimensions`);
  const kernel = createKernel();
  const width = paddedDimensions(dimensions);
  const queryAt = kernel.allocate(width * 2);
  const scoresAt = kernel.allocate(CHUNK_ROWS * 4);
  return {
    kernel,
    stride: recordBytes(dimensions),
    ask(query) {
      if (query.length !== dimensions)
        throw new RangeError(`${query.length} dimensions where ${dimensions} are stored`);
      const peak = query.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
      const factor = peak === 0 ? 0 : QUERY_MAX / peak;
      const numbers = new Int16Array(kernel.memory.buffer, queryAt, dimensions);
      for (let index = 0; index < dimensions; index++) numbers[index] = Math.round((query[index] ?? 0) * factor);
      return peak / QUERY_MAX;
    },
    score(at, count, row, best) {
      kernel.run.dotRecords(at, queryAt, scoresAt, Math.ceil(count / ROW_STEP) * ROW_STEP, width);
      const scores = new Float32Array(kernel.memory.buffer, scoresAt, count);
      for (let index = 0; index < count; index++) {
        const score = scores[index] ?? 0;
        if (score > best.floor) best.offer(row + index, score);
      }
    },
  };
}

export function scaled(hits: readonly Hit[], scale: number): Hit[] {
  return hits.map(({ row, score }) => ({ row, score: score * scale }));
}

export function rowsIn(records: Uint8Array, stride: number): number {
  const rows = records.length / stride;
  if (!Number.isInteger(rows)) throw new RangeError(`${records.length} bytes are no whole records of ${stride}`);
  return rows;
}
