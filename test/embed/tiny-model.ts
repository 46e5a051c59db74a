// A tiny model with random weights and all parts of the real one.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Paths, resolvePaths } from "../../src/config/paths.ts";
import { minilmFile } from "../../src/embed/minilm.ts";
import { writeModel } from "../../src/embed/model-file.ts";
import { quantise, shapeOf } from "../../src/embed/quantise.ts";
import type { Tensors } from "../../src/embed/safetensors.ts";

const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
const WORDS = "[PAD] [UNK] [CLS] [SEP] the worker test ##ing ##ed login fail un ##fix . , : ; ( ) 0 1 2 3 4 5 6 7 8 9";
const TINY_WORDS = [...WORDS.split(" "), ...LETTERS, ...LETTERS.map((letter) => `##${letter}`)];
const HIDDEN = 128;
const INTERMEDIATE = 256;
const LAYERS = 2;
const MAX_TOKENS = 64;

export function tinyTensors(seed = 1): Tensors {
  const normal = randomNormals(seed);
  const shapes = new Map<string, number[]>();
  const matrix = (name: string, rows: number, columns: number): void =>
    void shapes.set(`${name}.weight`, [rows, columns]);
  const dense = (name: string, inputs: number, outputs: number): void => {
    matrix(name, outputs, inputs);
    shapes.set(`${name}.bias`, [outputs]);
  };
  const norm = (name: string): void => {
    shapes.set(`${name}.weight`, [HIDDEN]);
    shapes.set(`${name}.bias`, [HIDDEN]);
  };
  matrix("embeddings.word_embeddings", TINY_WORDS.length, HIDDEN);
  matrix("embeddings.position_embeddings", MAX_TOKENS, HIDDEN);
  matrix("embeddings.token_type_embeddings", 2, HIDDEN);
  norm("embeddings.LayerNorm");
  for (let layer = 0; layer < LAYERS; layer++) {
    const name = `encoder.layer.${layer}`;
    for (const part of ["query", "key", "value"]) dense(`${name}.attention.self.${part}`, HIDDEN, HIDDEN);
    dense(`${name}.attention.output.dense`, HIDDEN, HIDDEN);
    norm(`${name}.attention.output.LayerNorm`);
    dense(`${name}.intermediate.dense`, HIDDEN, INTERMEDIATE);
    dense(`${name}.output.dense`, INTERMEDIATE, HIDDEN);
    norm(`${name}.output.LayerNorm`);
  }
  const values = new Map<string, Float32Array>();
  for (const [name, shape] of shapes) {
    const size = shape.reduce((product, length) => product * length, 1);
    values.set(
      name,
      Float32Array.from({ length: size }, () => normal() / 8 + (name.endsWith("Norm.weight") ? 1 : 0)),
    );
  }
  return {
    shapeOf: (name) => found(shapes, name),
    has: (name) => shapes.has(name),
    read: (name, from = 0, to = Infinity) =>
      found(values, name).subarray(from, Math.min(to, found(values, name).length)),
    close: () => undefined,
  };
}

/** A data directory with this model in place of MiniLM. */
export function tinyHome(tensors: Tensors = tinyTensors()): Paths {
  const paths = resolvePaths({ C_MEM_HOME: mkdtempSync(join(tmpdir(), "c-mem-embed-")) });
  const shape = shapeOf(tensors, MAX_TOKENS);
  writeModel(minilmFile(paths), { id: "tiny", shape }, TINY_WORDS, quantise(tensors, shape));
  return paths;
}

function found<T>(map: ReadonlyMap<string, T>, name: string): T {
  const value = map.get(name);
  if (value === undefined) throw new Error(`There is no ${name}`);
  return value;
}

/** Normally distributed numbers (Box-Muller), the same on every run. */
export function randomNormals(seed: number): () => number {
  let state = seed;
  const uniform = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (state + 1) / 2_147_483_649;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}
