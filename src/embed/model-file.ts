// The model as C-Mem keeps it: a line of JSON, the vocabulary, the weights as the kernel wants them, a checksum over all.
import { closeSync, fsyncSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../core/error.ts";
import { layoutOf, type ModelShape } from "./layout.ts";

export interface ModelHeader {
  /** Goes with every vector this model makes. */
  id: string;
  shape: ModelShape;
}

interface FileHeader extends ModelHeader {
  vocabularyBytes: number;
  crc32: number;
}

/** The header is padded to this size, so that it can be read without knowing it. */
const HEADER_BYTES = 1024;
const MAGIC = "c-mem embedding model 1";

export function writeModel(path: string, header: ModelHeader, words: readonly string[], weights: Uint8Array): void {
  const vocabulary = Buffer.from(words.join("\n"), "utf8");
  const full: FileHeader = { ...header, vocabularyBytes: vocabulary.length, crc32: checksum(vocabulary, weights) };
  const first = Buffer.from(`${MAGIC}\n${JSON.stringify(full)}\n`.padEnd(HEADER_BYTES), "utf8");
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.new`;
  try {
    const file = openSync(temporary, "w", 0o600);
    try {
      for (const part of [first, vocabulary, weights]) writeAll(file, part);
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
function checksum(vocabulary: Uint8Array, weights: Uint8Array): number {
  const { crc32 } = process.getBuiltinModule("node:zlib");
  return crc32(weights, crc32(vocabulary));
}

export interface ModelContents extends ModelHeader {
  vocabulary: string[];
}

/** Reads the model, its weights into what `place` gives for their size; a damaged file is told from a missing one. */
export function readModel(path: string, place: (bytes: number) => Uint8Array): ModelContents {
  const file = openModel(path);
  try {
    const header = readHeader(file, path);
    const vocabulary = Buffer.alloc(header.vocabularyBytes);
    const weights = place(layoutOf(header.shape).bytes);
    const isWhole = readAll(file, vocabulary, HEADER_BYTES) && readAll(file, weights, HEADER_BYTES + vocabulary.length);
    if (!isWhole || checksum(vocabulary, weights) !== header.crc32) throw damaged(path);
    return { id: header.id, shape: header.shape, vocabulary: vocabulary.toString("utf8").split("\n") };
  } finally {
    closeSync(file);
  }
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
