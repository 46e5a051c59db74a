// Measures how many secrets of a corpus the filter removes, and how many near-misses it changes.
import { filterText } from "../../src/core/privacy/filter.ts";
import { isLeaked, MAX_CHARS } from "./measure.ts";

export interface Corpus {
  secrets: readonly { kind: string; text: string; values: readonly string[] }[];
  nearMisses: readonly { kind: string; text: string }[];
}

interface CorpusFigures {
  secrets: number;
  removed: number;
  nearMisses: number;
  falseAlarms: number;
}

export function measureCorpus({ secrets, nearMisses }: Corpus): CorpusFigures {
  return {
    secrets: secrets.length,
    removed: secrets.filter(({ text, values }) => !isLeaked(values, filterText(text, MAX_CHARS))).length,
    nearMisses: nearMisses.length,
    falseAlarms: nearMisses.filter(({ text }) => filterText(text, MAX_CHARS) !== text).length,
  };
}
