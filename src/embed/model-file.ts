// Reads and writes the model file: a JSON header, the vocabulary, a checksum for each word's vector, and the weights as
// the kernel reads them.
import { closeSync, openSync } from "node:fs";
import { AppError } from "../core/error.ts";
import { readFully } from "../platform/read-file.ts";
import { replaceFile } from "../platform/replace-file.ts";
import { layoutOf, type ModelShape } from "./layout.ts";
import { openVocabulary, packVocabulary } from "./vocabulary.ts";

export interface ModelHeader {
  /** Stored with every vector of this model. */
  id: string;
  shape: ModelShape;
}

interface FileHeader extends ModelHeader {
  vocabularyBytes: number;
  /** Checksum of the file without the word vectors. Each word vector has its own checksum. */
  crc32: number;
}

/** The header is padded to this size, so that it can be read without knowing its length. */
const HEADER_BYTES = 1024;
const MAGIC = "c-mem embedding model 3";

export function writeModel(path: string, header: ModelHeader, words: readonly string[], weights: Uint8Array): void {
  const { vocabulary: count, hidden } = header.shape;
  const vocabulary = packVocabulary(words);
  const checksums = Uint32Array.from({ length: count }, (_, id) =>
    crc32(weights.subarray(id * hidden, (id + 1) * hidden)),
  );
  const sums = new Uint8Array(checksums.buffer);
  const crc = crc32(vocabulary, sums, weights.subarray(layoutOf(header.shape).wordScales));
  const full: FileHeader = { ...header, vocabularyBytes: vocabulary.length, crc32: crc };
  const first = Buffer.from(`${MAGIC}\n${JSON.stringify(full)}\n`.padEnd(HEADER_BYTES));
  replaceFile(path, Buffer.concat([first, vocabulary, sums, weights]));
}

/** Loads zlib on first use, because most commands do not load the model. */
function crc32(...parts: Uint8Array[]): number {
  const zlib = process.getBuiltinModule("node:zlib");
  return parts.reduce((sum, part) => zlib.crc32(part, sum), 0);
}

/** Reads everything except the word vectors into the buffer that `allocate` returns. */
export function readModel(path: string, allocate: (bytes: number) => Uint8Array) {
  return withModel(path, (file) => {
    const { id, shape, vocabularyBytes, crc32: crc } = readHeader(file, path);
    const { wordScales, bytes } = layoutOf(shape);
    const vocabulary = new Uint8Array(vocabularyBytes);
    const sums = new Uint8Array(shape.vocabulary * 4);
    const rest = allocate(bytes).subarray(wordScales);
    const weightsAt = HEADER_BYTES + vocabularyBytes + sums.length;
    const isComplete =
      readFully(file, vocabulary, HEADER_BYTES) &&
      readFully(file, sums, HEADER_BYTES + vocabularyBytes) &&
      readFully(file, rest, weightsAt + wordScales);
    if (!isComplete || crc32(vocabulary, sums, rest) !== crc) throw damaged(path);
    const readWords = wordReader(path, shape, new Uint32Array(sums.buffer), weightsAt);
    return { id, shape, idOf: openVocabulary(vocabulary, shape.vocabulary), readWords };
  });
}

/** The function reads the vectors of words that are not loaded yet into `weights`. It throws if one is damaged. */
function wordReader(path: string, { hidden }: ModelShape, checksums: Uint32Array, weightsAt: number) {
  const loaded = new Set<number>();
  return (ids: Iterable<number>, weights: Uint8Array): void => {
    const missing = [...new Set(ids)].filter((id) => !loaded.has(id));
    if (missing.length === 0) return;
    withModel(path, (file) => {
      for (const id of missing) {
        const word = weights.subarray(id * hidden, (id + 1) * hidden);
        if (!readFully(file, word, weightsAt + id * hidden) || crc32(word) !== checksums[id]) throw damaged(path);
        loaded.add(id);
      }
    });
  };
}

/** Reads the whole file. Throws if any part is damaged. */
export function checkModel(path: string): ModelHeader {
  let weights = new Uint8Array();
  const { id, shape, readWords } = readModel(path, (bytes) => (weights = new Uint8Array(bytes)));
  readWords(Array(shape.vocabulary).keys(), weights);
  return { id, shape };
}

function withModel<T>(path: string, use: (file: number) => T): T {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    throw new AppError("model_missing", "The embedding model is not installed.", {
      hint: "`c-mem model install` downloads it; until then search uses keywords only.",
      cause: error,
    });
  }
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

function readHeader(file: number, path: string): FileHeader {
  const bytes = Buffer.alloc(HEADER_BYTES);
  readFully(file, bytes, 0);
  const [magic, json = ""] = bytes.toString("utf8").split("\n");
  if (magic !== MAGIC) throw damaged(path);
  try {
    const header = JSON.parse(json) as FileHeader;
    const sizes = [header.vocabularyBytes, header.crc32, ...Object.values(header.shape)];
    if (typeof header.id === "string" && sizes.every((size) => Number.isSafeInteger(size) && size >= 0)) return header;
  } catch {
    // The file is damaged: its header is not JSON or has no shape.
  }
  throw damaged(path);
}

function damaged(path: string): AppError {
  return new AppError("model_damaged", `The embedding model in ${path} is damaged.`, {
    hint: "`c-mem model install` repairs it; until then search uses keywords only.",
  });
}
