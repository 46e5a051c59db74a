// A BERT encoder as in the paper, with plain floats. Tests compare the engine with it.
import { normalise } from "../../src/embed/embedder.ts";
import type { Tensors } from "../../src/embed/safetensors.ts";

type Matrix = number[][];

/** The forward pass with these weights. */
export function plainModel(tensors: Tensors): (tokens: readonly number[]) => Float32Array {
  const named = cached(tensors);
  return (tokens) => forward(tensors, named, tokens);
}

function forward(tensors: Tensors, named: (name: string) => Float32Array, tokens: readonly number[]): Float32Array {
  const matrix = (name: string): Float32Array[] =>
    rowsOf(named(`${name}.weight`), tensors.shapeOf(`${name}.weight`)[1] ?? 0);
  const dense = (x: Matrix, name: string): Matrix => {
    const weights = matrix(name);
    const bias = named(`${name}.bias`);
    return x.map((row) => weights.map((weight, index) => dot(row, weight) + at(bias, index)));
  };
  const norm = (x: Matrix, name: string): Matrix => {
    const [gain, bias] = [named(`${name}.weight`), named(`${name}.bias`)];
    return x.map((row) => {
      const mean = sum(row) / row.length;
      const deviation = Math.sqrt(sum(row.map((value) => (value - mean) ** 2)) / row.length + 1e-12);
      return row.map((value, index) => ((value - mean) / deviation) * at(gain, index) + at(bias, index));
    });
  };
  const [words, places, kinds] = ["word", "position", "token_type"].map((kind) =>
    matrix(`embeddings.${kind}_embeddings`),
  ) as [Float32Array[], Float32Array[], Float32Array[]];
  let x: Matrix = tokens.map((id, place) => add(add([...(words[id] ?? [])], places[place] ?? []), kinds[0] ?? []));
  x = norm(x, "embeddings.LayerNorm");
  for (let layer = 0; has(tensors, `encoder.layer.${layer}.output.dense.weight`); layer++) {
    const name = `encoder.layer.${layer}`;
    const [q, k, v] = ["query", "key", "value"].map((part) => dense(x, `${name}.attention.self.${part}`));
    const seen = dense(attend(q ?? [], k ?? [], v ?? []), `${name}.attention.output.dense`);
    x = norm(addRows(x, seen), `${name}.attention.output.LayerNorm`);
    const up = dense(x, `${name}.intermediate.dense`).map((row) => row.map(gelu));
    x = norm(addRows(x, dense(up, `${name}.output.dense`)), `${name}.output.LayerNorm`);
  }
  return normalise(Float32Array.from(x[0] ?? [], (_, column) => sum(x.map((row) => row[column] ?? 0))));
}

export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

const HEAD = 32;

function attend(q: Matrix, k: Matrix, v: Matrix): Matrix {
  const heads = Array.from({ length: (q[0] ?? []).length / HEAD }, (_, head) => head * HEAD);
  return q.map((query) =>
    heads.flatMap((start) => {
      const part = (row: readonly number[]): number[] => row.slice(start, start + HEAD);
      const scores = k.map((key) => dot(part(query), part(key)) / Math.sqrt(HEAD));
      const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
      const total = sum(powers);
      return part(query).map((_, column) => sum(v.map((row, t) => (at(powers, t) / total) * at(row, start + column))));
    }),
  );
}

/** BERT is trained with erf. The tanh approximation differs by up to 0.0005. */
function gelu(x: number): number {
  return (x / 2) * (1 + erf(x / Math.SQRT2));
}

/** The Taylor series. Beyond 4, erf differs from 1 by less than 0.00000002. */
function erf(x: number): number {
  if (Math.abs(x) > 4) return Math.sign(x);
  let term = x;
  let total = x;
  for (let n = 1; n < 120; n++) {
    term *= -(x * x) / n;
    total += term / (2 * n + 1);
  }
  return (total * 2) / Math.sqrt(Math.PI);
}

function cached(tensors: Tensors): (name: string) => Float32Array {
  const known = new Map<string, Float32Array>();
  return (name) => {
    const values = known.get(name) ?? tensors.read(name);
    known.set(name, values);
    return values;
  };
}

function has(tensors: Tensors, name: string): boolean {
  try {
    return tensors.shapeOf(name).length > 0;
  } catch {
    return false;
  }
}

function rowsOf(values: Float32Array, columns: number): Float32Array[] {
  const count = values.length / columns;
  return Array.from({ length: count }, (_, row) => values.subarray(row * columns, (row + 1) * columns));
}

function at(values: ArrayLike<number>, index: number): number {
  return values[index] ?? Number.NaN;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let total = 0;
  for (let index = 0; index < a.length; index++) total += (a[index] as number) * (b[index] as number);
  return total;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function add(a: readonly number[], b: ArrayLike<number>): number[] {
  return a.map((value, index) => value + at(b, index));
}

function addRows(a: Matrix, b: Matrix): Matrix {
  return a.map((row, index) => add(row, b[index] ?? []));
}
