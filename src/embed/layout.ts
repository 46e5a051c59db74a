// Byte offsets of the model's tensors, the same in the model file and in memory.

export interface ModelShape {
  /** Width of a token's vector. Like `intermediate`, a multiple of 128: `GROUP` inputs share a scale. */
  hidden: number;
  intermediate: number;
  layers: number;
  /** The most tokens of a text. */
  positions: number;
  vocabulary: number;
}

export type ModelLayout = ReturnType<typeof layoutOf>;
export type DenseLayout = ModelLayout["layers"][number]["up"];
export type NormLayout = ModelLayout["norm"];

const ALIGNMENT = 16;
/** Also in assembly/linear.ts. */
export const GROUP = 128;

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
  /** 8-bit weights; the scales are in the order the kernel uses them. */
  const dense = (inputs: number, outputs: number) => ({
    inputs,
    outputs,
    weights: bytes(inputs * outputs),
    scales: floats((outputs * inputs) / GROUP),
    bias: floats(outputs),
  });
  return {
    /** First, because the file's other parts are read at once, but of the words only those that a text has. */
    words: bytes(vocabulary * hidden),
    wordScales: floats(vocabulary),
    positions: floats(positions * hidden),
    norm: norm(),
    layers: Array.from({ length: shape.layers }, () => ({
      /** Query, key and value side by side. */
      attention: dense(hidden, hidden * 3),
      attentionOut: dense(hidden, hidden),
      attentionNorm: norm(),
      up: dense(hidden, intermediate),
      down: dense(intermediate, hidden),
      norm: norm(),
    })),
    bytes: top - start,
  };
}
