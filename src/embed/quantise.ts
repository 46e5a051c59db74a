// Rounds the weights of a BERT model to 8 bits, with a scale for every 64 weights and for every word vector. The
// result has half of the download's size.
import { type DenseLayout, GROUP, layoutOf, type ModelShape, type NormLayout, OUTLIERS, TILE } from "./layout.ts";
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
  const outliers = findOutliers(tensors, shape);
  new Int32Array(out.buffer, layout.outliers, OUTLIERS).set(outliers);
  /** Joins the named tensors to one layer. Their outputs follow one another. */
  const dense = (names: string[], layer: DenseLayout): void => {
    const columns = layer.outliers > 0 ? outliers : [];
    const outputs = layer.outputs / names.length;
    for (const [index, name] of names.entries()) {
      const values = tensors.read(`${name}.weight`);
      for (let output = 0; output < outputs; output++) {
        const row = values.subarray(output * layer.size, (output + 1) * layer.size);
        packRow(out.buffer, layer, index * outputs + output, row, columns);
      }
      put(layer.bias + index * outputs * 4, tensors.read(`${name}.bias`));
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

/**
 * The columns with the largest values after attention. Gain and bias of its norm show them: the values of a column are
 * normally below three times its gain.
 */
function findOutliers(tensors: Tensors, { hidden, layers }: ModelShape): number[] {
  const peaks = new Float32Array(hidden);
  for (let layer = 0; layer < layers; layer++) {
    const name = `encoder.layer.${layer}.attention.output.LayerNorm`;
    const bias = tensors.read(`${name}.bias`);
    for (const [column, gain] of tensors.read(`${name}.weight`).entries())
      peaks[column] = (peaks[column] ?? 0) + 3 * Math.abs(gain) + Math.abs(bias[column] ?? 0);
  }
  const columns = [...peaks.keys()].toSorted((a, b) => (peaks[b] ?? 0) - (peaks[a] ?? 0));
  return columns.slice(0, OUTLIERS);
}

/** Writes the weights of an output, their scales and their sums in the order in which the kernel reads them. */
function packRow(
  buffer: ArrayBufferLike,
  { size, outliers, ...layer }: DenseLayout,
  output: number,
  row: Float32Array,
  columns: readonly number[],
): void {
  const tile = Math.floor(output / TILE);
  const place = output % TILE;
  const inputs = size + outliers;
  const weights = new Int8Array(buffer, layer.weights + tile * TILE * inputs, TILE * inputs);
  const scalesAt = layer.scales + tile * Math.ceil(inputs / GROUP) * TILE * 8;
  const packGroup = (start: number, scale: number, rounded: Int8Array): void => {
    const at = scalesAt + ((start / GROUP) * 2 * TILE + place) * 4;
    new Float32Array(buffer, at, 1)[0] = scale;
    new Float32Array(buffer, at + TILE * 4, 1)[0] = scale * rounded.reduce((sum, weight) => sum + weight, 0);
    // Four inputs of each output in turn.
    for (const [index, weight] of rounded.entries())
      weights[Math.floor((start + index) / 4) * 4 * TILE + place * 4 + (index % 4)] = weight;
  };
  const rounded = new Int8Array(size);
  for (const [group, scale] of round(row, GROUP, rounded).entries())
    packGroup(group * GROUP, scale, rounded.subarray(group * GROUP, (group + 1) * GROUP));
  if (columns.length > 0) {
    // Rounding errors matter most where values are large, so each outlier has two weights that add up to nine bits.
    const sums = new Int16Array(columns.length);
    const taken = Float32Array.from(columns, (column) => row[column] ?? 0);
    const [scale = 0] = round(taken, taken.length, sums, 2 * WEIGHT_MAX);
    packGroup(size, scale, Int8Array.from([...sums.map((sum) => sum >> 1), ...sums.map((sum) => sum - (sum >> 1))]));
  }
}

/** Writes the rounded values to `out` and returns a scale for every `size` values. */
function round(values: Float32Array, size: number, out: Int8Array | Int16Array, max = WEIGHT_MAX): Float32Array {
  const scales = new Float32Array(values.length / size);
  for (let start = 0; start < values.length; start += size) {
    let peak = 0;
    for (let index = start; index < start + size; index++) peak = Math.max(peak, Math.abs(values[index] ?? 0));
    scales[start / size] = peak / max;
    const factor = peak === 0 ? 0 : max / peak;
    for (let index = start; index < start + size; index++) out[index] = Math.round((values[index] ?? 0) * factor);
  }
  return scales;
}
