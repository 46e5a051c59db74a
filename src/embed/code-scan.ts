// For very many vectors: a bit a dimension in memory (48 MB a million of 384) finds the likely ones, their records decide.
import { createBest, type Hit } from "./best.ts";
import { CHUNK_ROWS, codeBytes as codeBytesOf } from "../core/vector-record.ts";
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
  /** Any number of whole codes, in place of what is there from this row on, and behind it. */
  put(row: number, codes: Uint8Array): void;
  search(query: Float32Array, options: CodeSearchOptions): Hit[];
}

/** Codes that are compared in one call, and in the first: it is the first that says what is near. */
const BLOCK = 16_384;
const FIRST_BLOCK = 1_024;

export function createCodeScan(dimensions: number): CodeScan {
  const scanner = createScanner(dimensions);
  const { kernel, stride } = scanner;
  const codeBytes = codeBytesOf(dimensions);
  const queryCode = kernel.allocate(codeBytes);
  const nearAt = kernel.allocate(BLOCK * 4);
  const recordsAt = kernel.allocate(CHUNK_ROWS * stride);
  let rows = 0;
  let room = 0;
  let first: number | undefined;

  /** The rows whose signs differ least from the query's. */
  const candidates = (query: Float32Array, count: number, accept: SearchOptions["accept"]): number[] => {
    const code = new Uint8Array(kernel.memory.buffer, queryCode, codeBytes).fill(0);
    for (const [index, value] of query.entries())
      if (value < 0) code[index >> 3] = (code[index >> 3] ?? 0) | (1 << (index & 7));
    const nearest = createNearest(codeBytes * 8, count);
    for (let start = 0, length = FIRST_BLOCK; start < rows; start += length, length = BLOCK) {
      length = Math.min(length, rows - start);
      const at = (first ?? 0) + start * codeBytes;
      const found = kernel.run.nearCodes(at, queryCode, nearAt, length, codeBytes, nearest.maxBits);
      for (const entry of new Uint32Array(kernel.memory.buffer, nearAt, found)) {
        const row = start + (entry & 0xffff);
        if (accept?.(row) !== false) nearest.add(row, entry >>> 16);
      }
      nearest.narrow();
    }
    return nearest.rows();
  };

  const put = (row: number, codes: Uint8Array): void => {
    const count = rowsIn(codes, codeBytes);
    for (; room < row + count; room += BLOCK) {
      const block = kernel.allocate(BLOCK * codeBytes);
      first ??= block;
    }
    new Uint8Array(kernel.memory.buffer, (first ?? 0) + row * codeBytes, codes.length).set(codes);
    rows = Math.max(rows, row + count);
  };

  return {
    get rows() {
      return rows;
    },
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

/** The rows with the fewest bits, as many as are wanted: bits are counted, so nothing needs sorting. */
function createNearest(mostBits: number, count: number) {
  const found: { row: number; bits: number }[] = [];
  const counts = new Uint32Array(mostBits + 1);
  let maxBits = count > 0 ? mostBits : -1;
  return {
    /** Rows with more are not among the nearest. */
    get maxBits() {
      return maxBits;
    },
    add(row: number, bits: number): void {
      found.push({ row, bits });
      counts[bits] = (counts[bits] ?? 0) + 1;
    },
    narrow(): void {
      let sum = 0;
      for (let bits = 0; bits <= maxBits; bits++) {
        sum += counts[bits] ?? 0;
        if (sum >= count) maxBits = bits;
      }
    },
    /** In their order. Of those with as many bits as the last, the first. */
    rows(): number[] {
      const near = found.filter(({ bits }) => bits < maxBits);
      const last = found.filter(({ bits }) => bits === maxBits).slice(0, count - near.length);
      return [...near, ...last].map(({ row }) => row).sort((a, b) => a - b);
    },
  };
}
