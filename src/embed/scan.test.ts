import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomNormals } from "../../test/embed/tiny-model.ts";
import { createCodeScan } from "./code-scan.ts";
import { normalise } from "./embedder.ts";
import { codesOf, fromRecord, recordBytes, toRecord } from "../core/vector-record.ts";
import { createScan } from "./scan.ts";

/** Vectors in clusters, like those of texts. */
function vectors(count: number, dimensions: number, seed = 1): Float32Array[] {
  const normal = randomNormals(seed);
  const random = (): Float32Array => Float32Array.from({ length: dimensions }, normal);
  const centres = Array.from({ length: 20 }, random);
  return Array.from({ length: count }, (_, index) => {
    const centre = centres[index % centres.length] ?? random();
    return normalise(random().map((value, place) => value + (centre[place] ?? 0)));
  });
}

function recordsOf(list: readonly Float32Array[]): Uint8Array {
  return Buffer.concat(list.map(toRecord));
}

/** A plain search: every vector, in floats. */
function plainSearch(
  list: readonly Float32Array[],
  query: Float32Array,
  limit: number,
): { row: number; score: number }[] {
  return list
    .map((vector, row) => ({ row, score: dot(vector, query) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((total, value, index) => total + value * (b[index] ?? 0), 0);
}

describe("a record", () => {
  it("restores each number within half a quantisation step", () => {
    fc.assert(
      fc.property(fc.float32Array({ minLength: 1, maxLength: 50, noNaN: true, min: -4, max: 4 }), (numbers) => {
        const vector = normalise(numbers);
        const record = toRecord(vector);
        const back = fromRecord(record, vector.length);
        const step = Math.max(...vector.map(Math.abs)) / 127;
        return (
          record.length === recordBytes(vector.length) &&
          back.every((value, index) => Math.abs(value - (vector[index] ?? 0)) <= step * 0.5001)
        );
      }),
    );
  });
});

describe("a code", () => {
  it.each([384, 100, 1])("contains the signs of %i dimensions, padded to eight bytes", (dimensions) => {
    const list = vectors(3, dimensions);
    const codes = codesOf(recordsOf(list), dimensions);
    const bytes = Math.ceil(dimensions / 64) * 8;
    expect(codes).toHaveLength(3 * bytes);
    const isSet = (row: number, index: number): boolean =>
      (((codes[row * bytes + (index >> 3)] ?? 0) >> (index & 7)) & 1) === 1;
    const stored = list.map((vector) => fromRecord(toRecord(vector), dimensions));
    for (const [row, vector] of stored.entries())
      expect(Array.from({ length: bytes * 8 }, (_, index) => isSet(row, index))).toEqual(
        Array.from({ length: bytes * 8 }, (_, index) => (vector[index] ?? 0) < 0),
      );
  });
});

describe.each([384, 100, 16, 1])("a scan of %i dimensions", (dimensions) => {
  const list = vectors(2_500, dimensions);
  const [query = new Float32Array()] = vectors(1, dimensions, 9);

  it("finds the same rows and scores as a plain search over the stored numbers", () => {
    const scan = createScan(dimensions);
    // Append the records in parts of different sizes.
    for (const [from, to] of [
      [0, 1],
      [1, 1_000],
      [1_000, 1_027],
      [1_027, 2_500],
    ] as const) {
      scan.put(from, recordsOf(list.slice(from, to)));
    }
    const stored = list.map((vector) => fromRecord(toRecord(vector), dimensions));
    const hits = scan.search(query, { limit: 20 });
    const plain = plainSearch(stored, query, 20);
    for (const [index, hit] of hits.entries()) {
      expect(hit.score).toBeCloseTo(plain[index]?.score ?? Number.NaN, 3);
      expect(hit.score).toBeCloseTo(dot(stored[hit.row] ?? query, query), 3);
    }
    expect(hits).toHaveLength(20);
  });

  it("finds only accepted rows, and nothing in an empty table", () => {
    const scan = createScan(dimensions);
    expect(scan.search(query, { limit: 5 })).toEqual([]);
    scan.put(0, recordsOf(list));
    const hits = scan.search(query, { limit: 5, accept: (row) => row % 7 === 3 });
    expect(hits.every(({ row }) => row % 7 === 3)).toBe(true);
    expect(hits).toHaveLength(5);
    expect(scan.search(query, { limit: 0 })).toEqual([]);
  });
});

describe("8-bit records", () => {
  it("find nearly all of the ten nearest float vectors", () => {
    const list = vectors(3_000, 384);
    const scan = createScan(384);
    scan.put(0, recordsOf(list));
    expect(recall(vectors(50, 384, 5), list, (query) => scan.search(query, { limit: 10 }))).toBeGreaterThan(0.97);
  });

  it("are rejected if they or the query have other dimensions", () => {
    const scan = createScan(384);
    expect(() => scan.search(new Float32Array(385), { limit: 1 })).toThrow(RangeError);
    expect(() => scan.put(0, new Uint8Array(387))).toThrow(RangeError);
    expect(() => createScan(4_097)).toThrow(RangeError);
  });
});

describe("one-bit codes", () => {
  it("find the same rows and scores as an exact scan", () => {
    const normal = randomNormals(5);
    const queries = vectors(30, 384, 5);
    // Each query has ten rows at increasing distances among twenty thousand random ones.
    const near = (query: Float32Array, place: number): Float32Array =>
      normalise(query.map((value) => value + (normal() * (place + 5)) / 300));
    const list = [
      ...vectors(20_000, 384),
      ...queries.flatMap((query) => Array.from({ length: 10 }, (_, n) => near(query, n))),
    ];
    const records = recordsOf(list);
    const [codes, scan] = [createCodeScan(384), createScan(384)];
    for (let row = 0; row < list.length; row += 1_500)
      codes.put(row, codesOf(records.subarray(row * 388, (row + 1_500) * 388), 384));
    scan.put(0, records);
    const read = (rows: readonly number[]): Uint8Array =>
      Buffer.concat(rows.map((row) => records.subarray(row * 388, (row + 1) * 388)));
    for (const query of queries) {
      expect(codes.search(query, { limit: 10, candidates: 200, read })).toEqual(scan.search(query, { limit: 10 }));
      const accept = (row: number): boolean => row % 2 === 1;
      expect(codes.search(query, { limit: 5, candidates: 200, read, accept })).toEqual(
        scan.search(query, { limit: 5, accept }),
      );
    }
  });
});

function recall(
  queries: readonly Float32Array[],
  list: readonly Float32Array[],
  search: (query: Float32Array) => { row: number }[],
): number {
  const shares = queries.map((query) => {
    const wanted = new Set(plainSearch(list, query, 10).map(({ row }) => row));
    return search(query).filter(({ row }) => wanted.has(row)).length / wanted.size;
  });
  return shares.reduce((total, share) => total + share, 0) / shares.length;
}
