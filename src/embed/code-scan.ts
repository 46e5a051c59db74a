// For very many vectors: a bit a dimension in memory (48 MB a million of 384) finds the likely ones, their records decide.
import { createBest, type Hit } from "./best.ts";
import { CHUNK_ROWS, paddedDimensions } from "../core/vector-record.ts";
import { createScanner, rowsIn, scaled, type SearchOptions } from "./scan.ts";

/** With fewer vectors than this, all of them are looked at: it is fast enough and misses nothing. */
export const PREFILTER_FROM = 200_000;
/** Records that are looked at for one result, and at least: measured, the ten best are among them 99.6% of the time. */
const CANDIDATES_PER_HIT = 20;
const MIN_CANDIDATES = 200;

export interface CodeSearchOptions extends SearchOptions {
  /** The records of these rows, one after the other in this order. */
  read: (rows: readonly number[]) => Uint8Array;
  /** How many records are looked at, if not by how many results are wanted. */
  candidates?: number;
}

export interface CodeScan {
  readonly rows: number;
  /** Any number of whole records; only their signs are kept. */
  add(records: Uint8Array): void;
  /** The same in place of what is there from this row on, and behind it. */
  put(row: number, records: Uint8Array): void;
  search(query: Float32Array, options: CodeSearchOptions): Hit[];
}

/** Codes are compared eight bytes at a time. */
const CODE_STEP = 64;
/** Codes that are compared in one call. */
const BLOCK = 16_384;

export function createCodeScan(dimensions: number): CodeScan {
  const scanner = createScanner(dimensions);
  const { kernel, stride } = scanner;
  const codeBytes = Math.ceil(dimensions / CODE_STEP) * (CODE_STEP / 8);
  const queryCode = kernel.allocate(codeBytes);
  const distancesAt = kernel.allocate(BLOCK * 2);
  const recordsAt = kernel.allocate(CHUNK_ROWS * stride);
  let rows = 0;
  let room = 0;
  let first: number | undefined;

  /** The rows whose signs differ least from the query's. */
  const candidates = (query: Float32Array, count: number, accept: SearchOptions["accept"]): number[] => {
    const code = new Uint8Array(kernel.memory.buffer, queryCode, codeBytes).fill(0);
    for (const [index, value] of query.entries())
      if (value < 0) code[index >> 3] = (code[index >> 3] ?? 0) | (1 << (index & 7));
    const best = createBest(count, accept);
    for (let start = 0; start < rows; start += BLOCK) {
      const length = Math.min(BLOCK, rows - start);
      kernel.run.hammingCodes((first ?? 0) + start * codeBytes, queryCode, distancesAt, length, codeBytes);
      const distances = new Uint16Array(kernel.memory.buffer, distancesAt, length);
      for (let index = 0; index < length; index++) {
        const score = -(distances[index] ?? 0);
        if (score > best.floor) best.offer(start + index, score);
      }
    }
    return best.hits.map(({ row }) => row).sort((a, b) => a - b);
  };

  const put = (row: number, records: Uint8Array): void => {
    const count = rowsIn(records, stride);
    for (; room < row + count; room += BLOCK) {
      const block = kernel.allocate(BLOCK * codeBytes);
      first ??= block;
    }
    for (let start = 0; start < count; start += CHUNK_ROWS) {
      const part = records.subarray(start * stride, (start + CHUNK_ROWS) * stride);
      new Uint8Array(kernel.memory.buffer, recordsAt, part.length).set(part);
      const at = (first ?? 0) + (row + start) * codeBytes;
      kernel.run.encodeRecords(recordsAt, at, part.length / stride, paddedDimensions(dimensions), codeBytes);
    }
    rows = Math.max(rows, row + count);
  };

  return {
    get rows() {
      return rows;
    },
    add: (records) => put(rows, records),
    put,
    search(query, { limit, accept, read, candidates: count }) {
      const scale = scanner.ask(query);
      const likely = candidates(query, count ?? Math.max(MIN_CANDIDATES, limit * CANDIDATES_PER_HIT), accept);
      const best = createBest(limit, undefined);
      for (let start = 0; start < likely.length; start += CHUNK_ROWS) {
        const part = likely.slice(start, start + CHUNK_ROWS);
        const records = read(part);
        if (rowsIn(records, stride) !== part.length) throw new RangeError(`${part.length} records were asked for`);
        new Uint8Array(kernel.memory.buffer, recordsAt, records.length).set(records);
        scanner.score(recordsAt, part.length, start, best);
      }
      const hits = best.hits.map(({ row, score }) => ({ row: likely[row] ?? row, score }));
      return scaled(hits, scale);
    },
  };
}
