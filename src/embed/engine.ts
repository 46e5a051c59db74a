// The forward pass of a BERT encoder with 8-bit weights. Short texts share a pass, but each attends only to itself.
import { normalise } from "./embedder.ts";
import { createKernel, type Kernel } from "./kernel.ts";
import {
  type DenseLayout,
  GROUP,
  layoutOf,
  type ModelLayout,
  type ModelShape,
  type NormLayout,
  OUTLIERS,
} from "./layout.ts";
import { type ModelHeader, readModel } from "./model-file.ts";
import { createTokenizer, type Tokenizer } from "./tokenizer.ts";

export interface Engine extends ModelHeader {
  tokenize: Tokenizer;
  /** Returns a unit vector per tokenized text. All texts together have at most `shape.positions` tokens. */
  forward(texts: readonly (readonly number[])[]): Float32Array[];
}

const NORM_EPSILON = 1e-12;
/** Tokens are padded to a multiple of this. The kernel computes four together; the rows of padding are ignored. */
const TOKEN_STEP = 4;
/** Tokens whose numbers fit into the caches while they go through several layers. */
const BLOCK = 64;
const PADDING_TOKEN = 0;
/** Scratch memory per token. */
const ATTENTION_BYTES = 208;

export function loadEngine(path: string): Engine {
  const kernel = createKernel();
  let start = 0;
  const { id, shape, idOf, readWords } = readModel(path, (bytes) => {
    start = kernel.allocate(bytes);
    return new Uint8Array(kernel.memory.buffer, start, bytes);
  });
  const layout = layoutOf(shape, start);
  const forward = createForward(kernel, shape, layout);
  return {
    id,
    shape,
    tokenize: createTokenizer(idOf, shape.positions),
    forward(texts) {
      const words = new Uint8Array(kernel.memory.buffer, layout.words, layout.wordScales - layout.words);
      readWords([PADDING_TOKEN, ...texts.flat()], words);
      return forward(texts);
    },
  };
}

function createForward({ run, memory, allocate }: Kernel, shape: ModelShape, layout: ModelLayout): Engine["forward"] {
  const { hidden, intermediate, positions: maxTokens } = shape;
  const maxRows = roundUp(maxTokens);
  const rowBytes = hidden * 4;
  const widest = Math.max(intermediate, hidden + 2 * OUTLIERS);
  const ids = allocate(maxRows * 4);
  const positions = allocate(maxRows * 4);
  const state = allocate(maxRows * rowBytes);
  const residual = allocate((maxRows + TOKEN_STEP) * rowBytes);
  const wide = allocate(Math.max(maxRows * rowBytes * 3, BLOCK * intermediate * 4));
  const quantised = allocate(BLOCK * widest);
  const groups = allocate(BLOCK * Math.ceil(widest / GROUP) * 8);
  const scratch = allocate(Math.max(ATTENTION_BYTES * (maxRows + 8), (hidden + 2 * OUTLIERS) * 4));

  const dense = ({ size, outputs, outliers, ...layer }: DenseLayout, from: number, to: number, rows: number): void => {
    run.quantiseRows(from, quantised, groups, rows, size, layout.outliers, outliers, scratch);
    run.linear(quantised, groups, layer.weights, layer.scales, layer.bias, to, rows, size + outliers, outputs);
  };
  const addNorm = (at: number, added: number, { gain, bias }: NormLayout, rows: number): void =>
    void run.addNorm(at, added, gain, bias, rows, hidden, NORM_EPSILON);

  return (texts) => {
    const tokens = texts.flat();
    if (tokens.length > maxTokens) throw new RangeError(`${tokens.length} tokens are more than ${maxTokens}`);
    const rows = roundUp(tokens.length);
    const inBlocks = (work: (first: number, count: number) => void): void => {
      for (let first = 0; first < rows; first += BLOCK) work(first, Math.min(BLOCK, rows - first));
    };

    new Int32Array(memory.buffer, ids, rows).fill(PADDING_TOKEN).set(tokens);
    new Int32Array(memory.buffer, positions, rows).fill(0).set(texts.flatMap((text) => [...text.keys()]));
    run.lookUp(ids, positions, layout.words, layout.wordScales, layout.positions, state, rows, hidden);
    new Uint8Array(memory.buffer, residual, rows * rowBytes).fill(0);
    addNorm(state, residual, layout.norm, rows);
    for (const layer of layout.layers) {
      inBlocks((first, count) => {
        dense(layer.attention, state + first * rowBytes, wide + first * rowBytes * 3, count);
      });
      let offset = 0;
      for (const { length } of texts) {
        run.attend(wide + offset * 3, residual + offset, scratch, length, hidden);
        offset += length * rowBytes;
      }
      inBlocks((first, count) => {
        const [at, other] = [state + first * rowBytes, residual + first * rowBytes];
        dense(layer.attentionOut, other, wide, count);
        addNorm(at, wide, layer.attentionNorm, count);
        dense(layer.up, at, wide, count);
        run.gelu(wide, count * intermediate);
        dense(layer.down, wide, other, count);
        addNorm(at, other, layer.norm, count);
      });
    }
    return meanPool(new Float32Array(memory.buffer, state, tokens.length * hidden), texts, hidden);
  };
}

function roundUp(tokens: number): number {
  return Math.ceil(tokens / TOKEN_STEP) * TOKEN_STEP;
}

/** The vector of a text is the mean of its tokens' vectors. */
function meanPool(state: Float32Array, texts: readonly (readonly number[])[], hidden: number): Float32Array[] {
  let start = 0;
  return texts.map(({ length }) => {
    const mean = new Float32Array(hidden);
    const end = start + length * hidden;
    for (; start < end; start += hidden)
      for (let index = 0; index < hidden; index++) mean[index] = (mean[index] ?? 0) + (state[start + index] ?? 0);
    return normalise(mean);
  });
}
