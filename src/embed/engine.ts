// The forward pass of a BERT encoder with 8-bit weights. Short texts share a pass, but each attends only to itself.
import { normalise } from "./embedder.ts";
import { createKernel, type Kernel } from "./kernel.ts";
import { type DenseLayout, GROUP, layoutOf, type ModelLayout, type ModelShape, type NormLayout, OUTLIERS } from "./layout.ts";
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
  const widest = Math.max(intermediate, hidden * 3);
  const ids = allocate(maxRows * 4);
  const positions = allocate(maxRows * 4);
  const state = allocate(maxRows * hidden * 4);
  const residual = allocate((maxRows + TOKEN_STEP) * hidden * 4);
  const wide = allocate(maxRows * widest * 4);
  const quantised = allocate(maxRows * widest);
  const groups = allocate((maxRows * widest * 8) / GROUP);
  const scratch = allocate(Math.max(ATTENTION_BYTES * (maxRows + 8), (hidden + OUTLIERS) * 4));

  return (texts) => {
    const tokens = texts.flat();
    if (tokens.length > maxTokens) throw new RangeError(`${tokens.length} tokens are more than ${maxTokens}`);
    const rows = roundUp(tokens.length);
    const dense = ({ size, outputs, outliers, ...layer }: DenseLayout, from: number, to: number): void => {
      run.quantiseRows(from, quantised, groups, rows, size, layout.outliers, outliers, scratch);
      run.linear(quantised, groups, layer.weights, layer.scales, layer.bias, to, rows, size + outliers, outputs);
    };
    const addNorm = (added: number, { gain, bias }: NormLayout): void =>
      void run.addNorm(state, added, gain, bias, rows, hidden, NORM_EPSILON);

    new Int32Array(memory.buffer, ids, rows).fill(PADDING_TOKEN).set(tokens);
    new Int32Array(memory.buffer, positions, rows).fill(0).set(texts.flatMap((text) => [...text.keys()]));
    run.lookUp(ids, positions, layout.words, layout.wordScales, layout.positions, state, rows, hidden);
    new Uint8Array(memory.buffer, residual, rows * hidden * 4).fill(0);
    addNorm(residual, layout.norm);
    for (const layer of layout.layers) {
      dense(layer.attention, state, wide);
      let offset = 0;
      for (const { length } of texts) {
        run.attend(wide + offset * 3, residual + offset, scratch, length, hidden);
        offset += length * hidden * 4;
      }
      dense(layer.attentionOut, residual, wide);
      addNorm(wide, layer.attentionNorm);
      dense(layer.up, state, wide);
      run.gelu(wide, rows * intermediate);
      dense(layer.down, wide, residual);
      addNorm(residual, layer.norm);
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
