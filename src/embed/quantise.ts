// Rounds a BERT model's weights to 8 bits, with a scale for every few: half the download, and what the kernel works on.
import { type DenseLayout, GROUP, layoutOf, type ModelShape, type NormLayout } from "./layout.ts";
import type { Tensors } from "./safetensors.ts";

const WEIGHT_MAX = 127;
/** The table of words is half of the model: read in parts it needs little memory. */
const WORDS_AT_ONCE = 1024;

/** Texts longer than what the model was trained on are cut, so the positions beyond are left out. */
export function shapeOf(tensors: Tensors, maxTokens: number): ModelShape {
  const [vocabulary = 0, hidden = 0] = tensors.shapeOf("embeddings.word_embeddings.weight");
  const [positions = 0] = tensors.shapeOf("embeddings.position_embeddings.weight");
  const [intermediate = 0] = tensors.shapeOf("encoder.layer.0.intermediate.dense.weight");
  let layers = 0;
  while (has(tensors, `encoder.layer.${layers}.output.dense.weight`)) layers++;
  return { hidden, intermediate, layers, positions: Math.min(positions, maxTokens), vocabulary };
}

export function quantise(tensors: Tensors, shape: ModelShape): Uint8Array {
  const { hidden } = shape;
  const layout = layoutOf(shape);
  const out = new Uint8Array(layout.bytes);
  const put = (at: number, values: Float32Array): void => new Float32Array(out.buffer, at, values.length).set(values);
  const norm = (name: string, { gain, bias }: NormLayout): void => {
    put(gain, tensors.read(`${name}.weight`));
    put(bias, tensors.read(`${name}.bias`));
  };
  const dense = (names: string[], { weights, scales, bias, inputs, outputs }: DenseLayout): void => {
    const scaleView = new Float32Array(out.buffer, scales, (inputs * outputs) / GROUP);
    for (const [index, name] of names.entries()) {
      const first = (index * outputs) / names.length;
      const values = tensors.read(`${name}.weight`);
      round(values, GROUP, new Int8Array(out.buffer, weights + first * inputs, values.length), (group, scale) => {
        const at = first * (inputs / GROUP) + placeOf(group, inputs / GROUP);
        scaleView[at] = scale;
      });
      put(bias + first * 4, tensors.read(`${name}.bias`));
    }
  };
  const wordScales = new Float32Array(out.buffer, layout.wordScales, shape.vocabulary);
  for (let first = 0; first < shape.vocabulary; first += WORDS_AT_ONCE) {
    const words = tensors.read("embeddings.word_embeddings.weight", first * hidden, (first + WORDS_AT_ONCE) * hidden);
    const rounded = new Int8Array(out.buffer, layout.words + first * hidden, words.length);
    round(words, hidden, rounded, (row, scale) => (wordScales[first + row] = scale));
  }
  put(layout.places, placesOf(tensors, shape));
  norm("embeddings.LayerNorm", layout.norm);
  for (const [index, layer] of layout.layers.entries()) {
    const name = `encoder.layer.${index}`;
    const self = `${name}.attention.self`;
    dense([`${self}.query`, `${self}.key`, `${self}.value`], layer.attention);
    dense([`${name}.attention.output.dense`], layer.attentionOut);
    norm(`${name}.attention.output.LayerNorm`, layer.attentionNorm);
    dense([`${name}.intermediate.dense`], layer.up);
    dense([`${name}.output.dense`], layer.down);
    norm(`${name}.output.LayerNorm`, layer.norm);
  }
  return out;
}

/** Every text is one sentence to the model, so its kind (row 0) is the same for all tokens and goes with the place. */
function placesOf(tensors: Tensors, { hidden, positions }: ModelShape): Float32Array {
  const places = tensors.read("embeddings.position_embeddings.weight").subarray(0, positions * hidden);
  const kinds = tensors.read("embeddings.token_type_embeddings.weight");
  return places.map((value, index) => value + (kinds[index % hidden] ?? 0));
}

/** Four outputs are worked on at once: their scales for a group lie side by side. `group` counts output by output. */
function placeOf(group: number, perOutput: number): number {
  const output = Math.floor(group / perOutput);
  return (Math.floor(output / 4) * perOutput + (group % perOutput)) * 4 + (output % 4);
}

/** Every `size` values in a row share a scale. */
function round(
  values: Float32Array,
  size: number,
  out: Int8Array,
  scaled: (group: number, scale: number) => void,
): void {
  for (let start = 0; start < values.length; start += size) {
    let peak = 0;
    for (let index = start; index < start + size; index++) peak = Math.max(peak, Math.abs(values[index] ?? 0));
    scaled(start / size, peak / WEIGHT_MAX);
    const factor = peak === 0 ? 0 : WEIGHT_MAX / peak;
    for (let index = start; index < start + size; index++) out[index] = Math.round((values[index] ?? 0) * factor);
  }
}

function has(tensors: Tensors, name: string): boolean {
  try {
    return tensors.shapeOf(name).length > 0;
  } catch {
    return false;
  }
}
