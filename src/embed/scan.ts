// Finds the vectors nearest to a query by comparing it with all 8-bit records in the SIMD kernel. Exact up to rounding.
import { CHUNK_ROWS, MAX_DIMENSIONS, paddedDimensions, recordBytes } from "../core/vector-record.ts";
import { createKernel, type Kernel } from "./kernel.ts";

export interface Hit {
  row: number;
  score: number;
}

export interface SearchOptions {
  limit: number;
  /** Filters rows. Called only for rows that are near enough. */
  accept?: ((row: number) => boolean) | undefined;
}

export function createScan(dimensions: number) {
  const scanner = createScanner(dimensions);
  const table = createTable(scanner.kernel, recordBytes(dimensions), CHUNK_ROWS);
  return {
    /** Stores the records of consecutive rows. */
    put: table.put,
    search(query: Float32Array, { limit, accept }: SearchOptions): Hit[] {
      const best = createBest(limit, accept);
      const scale = scanner.setQuery(query);
      for (let row = 0; row < table.rows; row += CHUNK_ROWS)
        scanner.score(table.address(row), Math.min(CHUNK_ROWS, table.rows - row), row, best);
      return best.hits.map(({ row, score }) => ({ row, score: score * scale }));
    },
  };
}

/** Rows of equal size in the kernel's memory, allocated in blocks. After the first block, nothing else may allocate. */
export function createTable({ memory, allocate }: Kernel, rowBytes: number, blockRows: number) {
  let start: number | undefined;
  let capacity = 0;
  const table = {
    rows: 0,
    address: (row: number): number => (start ?? 0) + row * rowBytes,
    put(row: number, data: Uint8Array): void {
      const end = row + rowsIn(data, rowBytes);
      for (; capacity < end; capacity += blockRows) {
        const block = allocate(blockRows * rowBytes);
        start ??= block;
      }
      new Uint8Array(memory.buffer, table.address(row), data.length).set(data);
      table.rows = Math.max(table.rows, end);
    },
  };
  return table;
}

export function rowsIn(data: Uint8Array, rowBytes: number): number {
  const rows = data.length / rowBytes;
  if (!Number.isInteger(rows)) throw new RangeError(`${data.length} bytes are not whole rows of ${rowBytes}`);
  return rows;
}

/** The query is rounded to 16-bit numbers in this range; the records have 8 bits. */
const QUERY_MAX = 4095;
/** The kernel reads four records at a time. A chunk's size is a multiple of four. */
const ROW_STEP = 4;

export function createScanner(dimensions: number) {
  if (dimensions > MAX_DIMENSIONS) throw new RangeError(`Vectors have at most ${MAX_DIMENSIONS} dimensions`);
  const kernel = createKernel();
  const width = paddedDimensions(dimensions);
  const queryAt = kernel.allocate(width * 2);
  const scoresAt = kernel.allocate(CHUNK_ROWS * 4);
  return {
    kernel,
    /** Sets the query and returns the scale of the scores. */
    setQuery(query: Float32Array): number {
      if (query.length !== dimensions)
        throw new RangeError(`The query has ${query.length} dimensions, the vectors have ${dimensions}`);
      const peak = query.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
      const factor = peak === 0 ? 0 : QUERY_MAX / peak;
      new Int16Array(kernel.memory.buffer, queryAt, dimensions).set(query.map((value) => Math.round(value * factor)));
      return peak / QUERY_MAX;
    },
    /** Compares up to a chunk of records and offers them to `best`, numbered from `row`. */
    score(recordsAt: number, count: number, row: number, best: Best): void {
      kernel.run.dotRecords(recordsAt, queryAt, scoresAt, Math.ceil(count / ROW_STEP) * ROW_STEP, width);
      const scores = new Float32Array(kernel.memory.buffer, scoresAt, count);
      for (let index = 0; index < count; index++) {
        const score = scores[index] ?? 0;
        if (score > best.floor) best.offer(row + index, score);
      }
    },
  };
}

export type Best = ReturnType<typeof createBest>;

export function createBest(limit: number, accept: ((row: number) => boolean) | undefined) {
  /** Sorted by score, highest first. Rows with equal scores are in the order in which they were offered. */
  const hits: Hit[] = [];
  const best = {
    /** Lower scores do not need to be offered. */
    floor: limit > 0 ? -Infinity : Infinity,
    offer(row: number, score: number): void {
      // `score <= best.floor` would accept NaN.
      if (!(score > best.floor) || accept?.(row) === false) return;
      let index = hits.length;
      while (index > 0 && (hits[index - 1]?.score ?? Infinity) < score) index--;
      hits.splice(index, 0, { row, score });
      if (hits.length > limit) hits.pop();
      if (hits.length === limit) best.floor = hits.at(-1)?.score ?? best.floor;
    },
    hits,
  };
  return best;
}
