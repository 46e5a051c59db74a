// Byte offsets of the model's tensors. The layout is the same in the model file and in memory.

export interface ModelShape {
  /** Width of a token's vector. A multiple of `GROUP`, like `intermediate`. */
  hidden: number;
  intermediate: number;
  layers: number;
  /** Maximum number of tokens. */
  positions: number;
  vocabulary: number;
}

export type ModelLayout = ReturnType<typeof layoutOf>;
export type DenseLayout = ModelLayout["layers"][number]["up"];
export type NormLayout = ModelLayout["norm"];

const ALIGNMENT = 16;
/** Inputs that share a scale. The same constant is in assembly/linear.ts. */
export const GROUP = 64;
/** Outputs whose weights are together. The same constant is in assembly/linear.ts. */
export const TILE = 8;
/** Columns of a token's vector that are rounded apart: their values are up to ten times as large as the others. */
export const OUTLIERS = 16;

export function layoutOf(shape: ModelShape, start = 0) {
  const { hidden, intermediate, vocabulary, positions } = shape;
  let top = start;
  const bytes = (count: number): number => {
    const offset = top;
    top += Math.ceil(count / ALIGNMENT) * ALIGNMENT;
    return offset;
  };
  const floats = (count: number): number => bytes(count * 4);
  const norm = () => ({ gain: floats(hidden), bias: floats(hidden) });
  /** A layer with 8-bit weights. `scales` has a scale and the scaled sum of the weights for each group. */
  const dense = (size: number, outputs: number, outliers: number) => ({
    size,
    outputs,
    outliers,
    weights: bytes((size + outliers) * outputs),
    scales: floats(Math.ceil((size + outliers) / GROUP) * outputs * 2),
    bias: floats(outputs),
  });
  return {
    /** First in the file: all other parts are read at once, but of the words only those that occur in a text. */
    words: bytes(vocabulary * hidden),
    wordScales: floats(vocabulary),
    positions: floats(positions * hidden),
    norm: norm(),
    outliers: floats(OUTLIERS),
    layers: Array.from({ length: shape.layers }, () => ({
      /** One layer for query, key and value. */
      attention: dense(hidden, hidden * 3, 2 * OUTLIERS),
      attentionOut: dense(hidden, hidden, 0),
      attentionNorm: norm(),
      up: dense(hidden, intermediate, 2 * OUTLIERS),
      down: dense(intermediate, hidden, 0),
      norm: norm(),
    })),
    bytes: top - start,
  };
}
