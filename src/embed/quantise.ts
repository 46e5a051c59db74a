// Rounds the weights of a BERT model to 8 bits, with a scale for every 128 weights and for every word vector. The
// result has half of the download's size.
import { type DenseLayout, GROUP, layoutOf, type ModelShape, type NormLayout } from "./layout.ts";
import type { Tensors } from "./safetensors.ts";

const WEIGHT_MAX = 127;
/** The word vectors are half of the model. They are read in parts, to save memory. */
const WORDS_PER_READ = 1024;

/** Drops positions beyond `maxTokens`, the length of the training texts. */
export function shapeOf(tensors: Tensors, maxTokens: number): ModelShape {
  const [vocabulary = 0, hidden = 0] = tensors.shapeOf("embeddings.word_embeddings.weight");
  const [positions = 0] = tensors.shapeOf("embeddings.position_embeddings.weight");
  const [intermediate = 0] = tensors.shapeOf("encoder.layer.0.intermediate.dense.weight");
  let layers = 0;
  while (tensors.has(`encoder.layer.${layers}.output.dense.weight`)) layers++;
  return { hidden, intermediate, layers, positions: Math.min(positions, maxTokens), vocabulary };
}

export function quantise(tensors: Tensors, shape: ModelShape): Uint8Array {
  const { hidden, vocabulary, positions } = shape;
  const layout = layoutOf(shape);
  const out = new Uint8Array(layout.bytes);
  const put = (at: number, values: Float32Array): void => new Float32Array(out.buffer, at, values.length).set(values);
  const norm = (name: string, { gain, bias }: NormLayout): void => {
    put(gain, tensors.read(`${name}.weight`));
    put(bias, tensors.read(`${name}.bias`));
  };
  /** Joins the named tensors to one layer. Their outputs follow one another. */
  const dense = (names: string[], { weights, scales, bias, inputs, outputs }: DenseLayout): void => {
    const groups = inputs / GROUP;
    const scaleView = new Float32Array(out.buffer, scales, groups * outputs);
    for (const [index, name] of names.entries()) {
      const firstOutput = (index * outputs) / names.length;
      const values = tensors.read(`${name}.weight`);
      const rounded = new Int8Array(out.buffer, weights + firstOutput * inputs, values.length);
      for (const [group, scale] of round(values, GROUP, rounded).entries())
        scaleView[scaleIndex(firstOutput * groups + group, groups)] = scale;
      put(bias + firstOutput * 4, tensors.read(`${name}.bias`));
    }
  };
  for (let first = 0; first < vocabulary; first += WORDS_PER_READ) {
    const words = tensors.read("embeddings.word_embeddings.weight", first * hidden, (first + WORDS_PER_READ) * hidden);
    const scales = round(words, hidden, new Int8Array(out.buffer, layout.words + first * hidden, words.length));
    put(layout.wordScales + first * 4, scales);
  }
  // All tokens have token type 0, because a text is one sentence. The vector of this type is added to the positions.
  const types = tensors.read("embeddings.token_type_embeddings.weight");
  const table = tensors.read("embeddings.position_embeddings.weight").subarray(0, positions * hidden);
  put(
    layout.positions,
    table.map((value, index) => value + (types[index % hidden] ?? 0)),
  );
  norm("embeddings.LayerNorm", layout.norm);
  for (const [index, layer] of layout.layers.entries()) {
    const name = `encoder.layer.${index}`;
    const projections = ["query", "key", "value"].map((part) => `${name}.attention.self.${part}`);
    dense(projections, layer.attention);
    dense([`${name}.attention.output.dense`], layer.attentionOut);
    norm(`${name}.attention.output.LayerNorm`, layer.attentionNorm);
    dense([`${name}.intermediate.dense`], layer.up);
    dense([`${name}.output.dense`], layer.down);
    norm(`${name}.output.LayerNorm`, layer.norm);
  }
  return out;
}

/** Scales of four outputs are adjacent, because the kernel computes four at once. `group` counts output by output. */
function scaleIndex(group: number, perOutput: number): number {
  const output = Math.floor(group / perOutput);
  return (Math.floor(output / 4) * perOutput + (group % perOutput)) * 4 + (output % 4);
}

/** Writes the rounded values to `out` and returns a scale for every `size` values. */
function round(values: Float32Array, size: number, out: Int8Array): Float32Array {
  const scales = new Float32Array(values.length / size);
  for (let start = 0; start < values.length; start += size) {
    let peak = 0;
    for (let index = start; index < start + size; index++) peak = Math.max(peak, Math.abs(values[index] ?? 0));
    scales[start / size] = peak / WEIGHT_MAX;
    const factor = peak === 0 ? 0 : WEIGHT_MAX / peak;
    for (let index = start; index < start + size; index++) out[index] = Math.round((values[index] ?? 0) * factor);
  }
  return scales;
}
