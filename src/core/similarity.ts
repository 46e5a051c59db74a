// Compares two texts by their words, without stop words.
import { STOP_WORDS, wordsOf } from "./words.ts";

/** Two titles or texts with at least this overlap count as the same. */
export const SAME_TEXT = 0.6;

/** The share of the shorter text's words that the longer text contains. 0 for fewer than three words. */
export function wordOverlap(a: string, b: string): number {
  const [one, other] = [informativeWords(a), informativeWords(b)];
  const [short, long] = one.size <= other.size ? [one, other] : [other, one];
  if (short.size < 3) return 0;
  return [...short].filter((word) => long.has(word)).length / short.size;
}

/** Also short words and numbers, in lower case. */
export function informativeWords(text: string): Set<string> {
  return new Set(
    wordsOf(text)
      .map((word) => word.toLowerCase())
      .filter((word) => !STOP_WORDS.has(word)),
  );
}
