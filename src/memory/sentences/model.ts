// Reads the weights of the sentence classifier: plugin/sentence-model.bin, written by dev/train-sentences.ts.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ObservationType } from "../../core/memory.ts";
import { LABELS, SENTENCE_BUCKETS, TURN_BUCKETS } from "./features.ts";

/** What a turn came to; none: nothing that is worth an observation. */
export const TURN_TYPES = [
  "bugfix",
  "feature",
  "refactor",
  "discovery",
  "decision",
  "change",
  "none",
] as const satisfies (ObservationType | "none")[];

/** A linear model: one row of weights per output, quantised to 8 bits with one scale per output. */
export interface Linear {
  scales: Float32Array;
  weights: Int8Array;
}

/**
 * Outputs of the second step: 9 labels; useful to a later session: no, somewhat, clearly; worth recording: no, yes; the
 * best line about the turn: no, yes.
 */
export const HEADS = [LABELS.length, 3, 2, 2] as const;

export interface SentenceModel {
  sentences: Linear;
  turns: Linear;
  /** For each head, one row of weights per output. */
  context: Float32Array[];
}

const MAGIC = 0x434d_5332;
export const CONTEXT_SIZE = 74;

export function writeModel({ sentences, turns, context }: SentenceModel): Buffer {
  const magic = Buffer.alloc(4);
  magic.writeUInt32LE(MAGIC);
  const parts = [sentences.scales, turns.scales, ...context, sentences.weights, turns.weights];
  return Buffer.concat([magic, ...parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength))]);
}

/** Undefined if the file has another format. */
export function parseModel(file: Buffer): SentenceModel | undefined {
  const floats = LABELS.length + TURN_TYPES.length + HEADS.reduce((sum, outputs) => sum + outputs, 0) * CONTEXT_SIZE;
  const bytes = LABELS.length * SENTENCE_BUCKETS + TURN_TYPES.length * TURN_BUCKETS;
  if (file.length !== 4 + floats * 4 + bytes || file.readUInt32LE() !== MAGIC) return undefined;
  let at = 4;
  const readFloats = (count: number): Float32Array => {
    const values = Float32Array.from({ length: count }, (_, index) => file.readFloatLE(at + index * 4));
    at += count * 4;
    return values;
  };
  const readBytes = (count: number): Int8Array => {
    const values = new Int8Array(file.subarray(at, at + count));
    at += count;
    return values;
  };
  const [sentenceScales, turnScales] = [readFloats(LABELS.length), readFloats(TURN_TYPES.length)];
  const context = HEADS.map((outputs) => readFloats(outputs * CONTEXT_SIZE));
  return {
    sentences: { scales: sentenceScales, weights: readBytes(LABELS.length * SENTENCE_BUCKETS) },
    turns: { scales: turnScales, weights: readBytes(TURN_TYPES.length * TURN_BUCKETS) },
    context,
  };
}

/** Beside the bundles in plugin/dist, beside dist, or in the source tree. */
const PLACES = ["..", "../plugin", "../../../plugin"];
let loaded: { path: string | undefined; model: SentenceModel | undefined } | undefined;

/** Read once per process. Undefined if the weights are missing: memory then comes from structure only. */
export function sentenceModel(path = process.env["C_MEM_SENTENCE_MODEL"]): SentenceModel | undefined {
  if (loaded !== undefined && loaded.path === path) return loaded.model;
  const places =
    path === undefined ? PLACES.map((place) => join(import.meta.dirname, place, "sentence-model.bin")) : [path];
  loaded = { path, model: undefined };
  for (const place of places) {
    loaded.model = readModel(place);
    if (loaded.model !== undefined) break;
  }
  return loaded.model;
}

function readModel(path: string): SentenceModel | undefined {
  try {
    return parseModel(readFileSync(path));
  } catch {
    return undefined;
  }
}
