// The model as C-Mem keeps it: a line of JSON, the vocabulary, a checksum for every word, the weights as the kernel wants them.
import { closeSync, fsyncSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../core/error.ts";
import { layoutOf, type ModelShape } from "./layout.ts";
import { type IdOf, openPieces, packPieces } from "./pieces.ts";

export interface ModelHeader {
  /** Goes with every vector this model makes. */
  id: string;
  shape: ModelShape;
}

interface FileHeader extends ModelHeader {
  vocabularyBytes: number;
  /** Over everything but the words, which have their own: half of the model is words that a text does not have. */
  crc32: number;
}

/** The header is padded to this size, so that it can be read without knowing it. */
const HEADER_BYTES = 1024;
const MAGIC = "c-mem embedding model 2";

export function writeModel(path: string, header: ModelHeader, words: readonly string[], weights: Uint8Array): void {
  const vocabulary = packPieces(words);
  const sums = sumsOf(weights, header.shape);
  const rest = weights.subarray(layoutOf(header.shape).wordScales);
  const crc32 = checksum(vocabulary, sums, rest);
  const full: FileHeader = { ...header, vocabularyBytes: vocabulary.length, crc32 };
  const first = Buffer.from(`${MAGIC}\n${JSON.stringify(full)}\n`.padEnd(HEADER_BYTES), "utf8");
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.new`;
  try {
    const file = openSync(temporary, "w", 0o600);
    try {
      for (const part of [first, vocabulary, sums, weights]) writeAll(file, part);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Loaded when there is a model: most commands come without. */
function checksum(...parts: Uint8Array[]): number {
  const { crc32 } = process.getBuiltinModule("node:zlib");
  return parts.reduce((sum, part) => crc32(part, sum), 0);
}

/** Of each word's numbers. */
function sumsOf(words: Uint8Array, { vocabulary, hidden }: ModelShape): Uint8Array {
  const sums = Uint32Array.from({ length: vocabulary }, (_, id) =>
    checksum(words.subarray(id * hidden, (id + 1) * hidden)),
  );
  return new Uint8Array(sums.buffer);
}

export interface ModelContents extends ModelHeader {
  idOf: IdOf;
  /** Reads these words' numbers to where they belong, where they are not yet; throws where they are damaged. */
  readWords(ids: Iterable<number>, weights: Uint8Array): void;
}

/** Reads the model but for its words, its weights into what `place` gives for their size; a damaged file is told from a missing one. */
export function readModel(path: string, place: (bytes: number) => Uint8Array): ModelContents {
  const file = openModel(path);
  try {
    const { id, shape, vocabularyBytes, crc32 } = readHeader(file, path);
    const { wordScales, bytes } = layoutOf(shape);
    const vocabulary = new Uint8Array(vocabularyBytes);
    const sums = new Uint8Array(shape.vocabulary * 4);
    const rest = place(bytes).subarray(wordScales);
    const weightsAt = HEADER_BYTES + vocabularyBytes + sums.length;
    const isWhole =
      readAll(file, vocabulary, HEADER_BYTES) &&
      readAll(file, sums, HEADER_BYTES + vocabularyBytes) &&
      readAll(file, rest, weightsAt + wordScales);
    if (!isWhole || checksum(vocabulary, sums, rest) !== crc32) throw damaged(path);
    const readWords = wordReader(path, shape, { sums: new Uint32Array(sums.buffer), at: weightsAt });
    return { id, shape, idOf: openPieces(vocabulary, shape.vocabulary), readWords };
  } finally {
    closeSync(file);
  }
}

function wordReader(
  path: string,
  { vocabulary, hidden }: ModelShape,
  { sums, at }: { sums: Uint32Array; at: number },
): ModelContents["readWords"] {
  const isThere = new Uint8Array(vocabulary);
  return (ids, weights) => {
    const missing = [...new Set(ids)].filter((id) => isThere[id] === 0);
    if (missing.length === 0) return;
    const file = openModel(path);
    try {
      for (const id of missing) {
        const word = weights.subarray(id * hidden, (id + 1) * hidden);
        if (!readAll(file, word, at + id * hidden) || checksum(word) !== sums[id]) throw damaged(path);
        isThere[id] = 1;
      }
    } finally {
      closeSync(file);
    }
  };
}

/** Reads all of it, down to the last word: throws where something is damaged. */
export function checkModel(path: string): ModelHeader {
  let weights = new Uint8Array();
  const { readWords, ...header } = readModel(path, (bytes) => (weights = new Uint8Array(bytes)));
  readWords(Array.from({ length: header.shape.vocabulary }).keys(), weights);
  return { id: header.id, shape: header.shape };
}

function openModel(path: string): number {
  try {
    return openSync(path, "r");
  } catch (error) {
    throw new AppError("model_missing", "The embedding model is not installed.", {
      hint: "`c-mem model install` fetches it; until then search goes by words only.",
      cause: error,
    });
  }
}

function readHeader(file: number, path: string): FileHeader {
  const bytes = Buffer.alloc(HEADER_BYTES);
  readAll(file, bytes, 0);
  const [magic, json = ""] = bytes.toString("utf8").split("\n");
  if (magic !== MAGIC) throw damaged(path);
  try {
    const header = JSON.parse(json) as FileHeader;
    const sizes = [header.vocabularyBytes, header.crc32, ...Object.values(header.shape)];
    if (typeof header.id === "string" && sizes.every((size) => Number.isSafeInteger(size) && size >= 0)) return header;
  } catch {
    // Said below: half a header is as bad as none.
  }
  throw damaged(path);
}

function damaged(path: string): AppError {
  return new AppError("model_damaged", `The embedding model in ${path} is damaged.`, {
    hint: "`c-mem model install` puts it right; until then search goes by words only.",
  });
}

function readAll(file: number, into: Uint8Array, position: number): boolean {
  for (let done = 0; done < into.length;) {
    const read = readSync(file, into, done, into.length - done, position + done);
    if (read === 0) return false;
    done += read;
  }
  return true;
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
}
