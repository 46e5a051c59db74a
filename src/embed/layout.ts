// Where each part of the model lies: the file that is written and the memory it is read into are the same bytes.

export interface ModelShape {
  /** Width of a token's vector; like the next a multiple of 128, the inputs of a dense layer that share a scale. */
  hidden: number;
  /** Width of the layer in between. */
  intermediate: number;
  layers: number;
  /** The most tokens a text may have. */
  positions: number;
  vocabulary: number;
}

/** Offsets in bytes from the beginning of the weights. The words come first: of them only those are read that a text has. */
export interface ModelLayout {
  words: number;
  wordScales: number;
  places: number;
  norm: NormLayout;
  layers: LayerLayout[];
  bytes: number;
}

export interface LayerLayout {
  /** Query, key and value as one. */
  attention: DenseLayout;
  attentionOut: DenseLayout;
  attentionNorm: NormLayout;
  up: DenseLayout;
  down: DenseLayout;
  norm: NormLayout;
}

/** Rounded to 8 bits; the scales lie as the kernel uses them (assembly/linear.ts). */
export interface DenseLayout {
  weights: number;
  scales: number;
  bias: number;
  inputs: number;
  outputs: number;
}

export interface NormLayout {
  gain: number;
  bias: number;
}

const ALIGNMENT = 16;
/** The same number is in assembly/linear.ts. */
export const GROUP = 128;

export function layoutOf(shape: ModelShape): ModelLayout {
  const { hidden, intermediate, vocabulary, positions } = shape;
  let top = 0;
  const take = (bytes: number): number => {
    const at = top;
    top += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    return at;
  };
  const floats = (count: number): number => take(count * 4);
  const norm = (): NormLayout => ({ gain: floats(hidden), bias: floats(hidden) });
  const dense = (inputs: number, outputs: number): DenseLayout => ({
    weights: take(inputs * outputs),
    scales: floats((outputs * inputs) / GROUP),
    bias: floats(outputs),
    inputs,
    outputs,
  });
  const words = take(vocabulary * hidden);
  const wordScales = floats(vocabulary);
  const places = floats(positions * hidden);
  const first = norm();
  const layers = Array.from({ length: shape.layers }, () => ({
    attention: dense(hidden, hidden * 3),
    attentionOut: dense(hidden, hidden),
    attentionNorm: norm(),
    up: dense(hidden, intermediate),
    down: dense(intermediate, hidden),
    norm: norm(),
  }));
  return { words, wordScales, places, norm: first, layers, bytes: top };
}
