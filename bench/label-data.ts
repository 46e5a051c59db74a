// Reads the labelled turns and the handovers of real sessions, which are not part of the repository.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export interface LabelledTurn {
  repo: string;
  session: string;
  turn: number;
  /** The beginning of the prompt. */
  prompt: string;
  type: string;
  /** In the annotator's words; "" if the turn came to nothing. */
  title: string;
  /** The index of the sentence that tells best what the turn came to, or -1. */
  headline: number;
  /** In the annotator's words. */
  open: string[];
  sentences: LabelledSentence[];
}

export interface LabelledSentence {
  /** D decision, F finding, W result, N open end, T request; others. */
  label: string;
  /** To a later session: 0 to 2. */
  useful: number;
  text: string;
}

export interface Handover {
  session: string;
  title: string;
  subtitle: string;
  results: string[];
  decisions: string[];
  open: string[];
  handover: string[];
}

/** The folder of the labels and of their scripts. Undefined without labels. */
export function labelsFolder(): string | undefined {
  const folder = resolve(process.env["C_MEM_LABELS"] ?? "none");
  return existsSync(join(folder, "turns.jsonl")) ? folder : undefined;
}

export const readTurns = (folder: string): LabelledTurn[] => readLines(join(folder, "turns.jsonl"));
export const readHandovers = (folder: string): Handover[] => readLines(join(folder, "handovers.jsonl"));

function readLines<Row>(path: string): Row[] {
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
}
