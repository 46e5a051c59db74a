// The forward pass of a BERT encoder over 8-bit weights: several short texts side by side, each seeing only itself.
import { normalise } from "./embedder.ts";
import { createKernel, type Kernel } from "./kernel.ts";
import { type DenseLayout, layoutOf, type ModelLayout, type ModelShape } from "./layout.ts";
import { type ModelHeader, readModel } from "./model-file.ts";
import { createTokenizer, type Tokenizer } from "./tokenizer.ts";

export interface Engine extends ModelHeader {
  tokenize: Tokenizer;
  /** Vectors of length one for texts that together have no more tokens than the model has positions. */
  forward(texts: readonly (readonly number[])[]): Float32Array[];
}

const NORM_EPSILON = 1e-12;
/** The kernel works on this many tokens at a time; rows beyond the last token are computed and ignored. */
const TOKEN_STEP = 4;
const HEAD = 32;
/** The token that rows beyond the last are filled up with. */
const PADDING = 0;

export function loadEngine(path: string): Engine {
  const kernel = createKernel();
  let weights = 0;
  const { id, shape, idOf, readWords } = readModel(path, (bytes) => {
    weights = kernel.allocate(bytes);
    return new Uint8Array(kernel.memory.buffer, weights, bytes);
  });
  const buffers = allocateBuffers(kernel, shape);
  const layout = layoutOf(shape);
  return {
    id,
    shape,
    tokenize: createTokenizer(idOf, shape.positions),
    forward(texts) {
      readWords([PADDING, ...texts.flat()], new Uint8Array(kernel.memory.buffer, weights, layout.wordScales));
      return forward({ kernel, shape, layout, weights, buffers }, texts);
    },
  };
}

interface Loaded {
  kernel: Kernel;
  shape: ModelShape;
  layout: ModelLayout;
  /** Where the weights begin. */
  weights: number;
  buffers: Buffers;
}

type Buffers = ReturnType<typeof allocateBuffers>;

function allocateBuffers({ allocate }: Kernel, { hidden, intermediate, positions }: ModelShape) {
  const tokens = Math.ceil(positions / TOKEN_STEP) * TOKEN_STEP;
  const widest = Math.max(intermediate, hidden * 3);
  return {
    ids: allocate(tokens * 4),
    positions: allocate(tokens * 4),
    state: allocate(tokens * hidden * 4),
    added: allocate(tokens * hidden * 4),
    wide: allocate(tokens * widest * 4),
    rounded: allocate(tokens * widest * 2),
    scales: allocate(tokens * 4),
    attention: allocate((HEAD + 1) * (tokens + 8) * 4),
  };
}

function forward(loaded: Loaded, texts: readonly (readonly number[])[]): Float32Array[] {
  const { kernel, shape, layout, weights, buffers } = loaded;
  const { run } = kernel;
  const { hidden } = shape;
  const tokens = place(loaded, texts);
  const rows = Math.ceil(tokens / TOKEN_STEP) * TOKEN_STEP;
  const { state, added, wide } = buffers;
  const { words, wordScales, places } = layout;
  const norm = (other: number, { gain, bias }: { gain: number; bias: number }): void =>
    run.addNorm(state, other, weights + gain, weights + bias, rows, hidden, NORM_EPSILON);

  run.lookUp(
    buffers.ids,
    buffers.positions,
    weights + words,
    weights + wordScales,
    weights + places,
    state,
    rows,
    hidden,
  );
  new Uint8Array(kernel.memory.buffer, added, rows * hidden * 4).fill(0);
  norm(added, layout.norm);
  for (const layer of layout.layers) {
    dense(loaded, layer.attention, state, wide, rows);
    let start = 0;
    for (const { length } of texts) {
      const row = start * hidden * 4;
      run.attend(wide + row * 3, added + row, buffers.attention, length, hidden);
      start += length;
    }
    dense(loaded, layer.attentionOut, added, wide, rows);
    norm(wide, layer.attentionNorm);
    dense(loaded, layer.up, state, wide, rows);
    run.gelu(wide, rows * shape.intermediate);
    dense(loaded, layer.down, wide, added, rows);
    norm(added, layer.norm);
  }
  return means(new Float32Array(kernel.memory.buffer, state, tokens * hidden), texts, hidden);
}

/** Writes ids and places of all tokens, each text from place zero; says how many tokens there are. */
function place({ kernel, shape, buffers }: Loaded, texts: readonly (readonly number[])[]): number {
  const ids = texts.flat();
  if (ids.length > shape.positions) throw new RangeError(`${ids.length} tokens are more than ${shape.positions}`);
  const rows = Math.ceil(ids.length / TOKEN_STEP) * TOKEN_STEP;
  const { buffer } = kernel.memory;
  const idView = new Int32Array(buffer, buffers.ids, rows).fill(PADDING);
  idView.set(ids);
  const positions = new Int32Array(buffer, buffers.positions, rows).fill(0);
  positions.set(texts.flatMap((text) => [...text.keys()]));
  return ids.length;
}

function dense({ kernel, weights, buffers }: Loaded, layer: DenseLayout, from: number, to: number, rows: number): void {
  const { rounded, scales } = buffers;
  kernel.run.quantiseRows(from, rounded, scales, rows, layer.inputs);
  kernel.run.linear(
    rounded,
    scales,
    weights + layer.weights,
    weights + layer.scales,
    weights + layer.bias,
    to,
    rows,
    layer.inputs,
    layer.outputs,
  );
}

/** The vector of a text is the mean of its tokens'. */
function means(state: Float32Array, texts: readonly (readonly number[])[], hidden: number): Float32Array[] {
  let start = 0;
  return texts.map(({ length }) => {
    const mean = new Float32Array(hidden);
    for (let token = start; token < start + length; token++) {
      for (let index = 0; index < hidden; index++)
        mean[index] = (mean[index] ?? 0) + (state[token * hidden + index] ?? 0);
    }
    start += length;
    return normalise(mean);
  });
}
