// The piece of a text that shows why it was found: where most of the asked words stand close together.
import { plainLines } from "../../core/text.ts";

export interface Snippet {
  text: string;
  /** Places of the asked words in it, as [start, end]. */
  marks: [number, number][];
}

/** Texts are looked at this far; a match beyond it is shown by the beginning of the text. */
const MAX_CHARS = 40_000;

export function makeSnippet(source: string, words: readonly string[], maxChars: number): Snippet {
  const text = plainLines(source.slice(0, MAX_CHARS)).replace(/\s+/g, " ").trim();
  const marks = findWords(text, words);
  const start = text.length <= maxChars ? 0 : wholeWord(text, bestStart(marks, maxChars));
  const cut = text.slice(start, start + maxChars);
  const shown = marks
    .filter(([from, to]) => from >= start && to <= start + cut.length)
    .map(([from, to]): [number, number] => [from - start, to - start]);
  const lead = start > 0 ? "…" : "";
  return {
    text: lead + cut + (start + cut.length < text.length ? "…" : ""),
    marks: shown.map(([from, to]) => [from + lead.length, to + lead.length]),
  };
}

/** How many different words a text holds: the text with the most is the one to show. */
export function distinctWords(source: string, words: readonly string[]): number {
  const text = source.slice(0, MAX_CHARS).toLowerCase();
  return words.filter((word) => text.includes(stemOf(word))).length;
}

function findWords(text: string, words: readonly string[]): [number, number][] {
  const stems = words.map(stemOf).filter((stem) => stem.length > 1);
  if (stems.length === 0) return [];
  const any = new RegExp(`(?:${stems.map(escape).join("|")})[\\p{L}\\p{N}]*`, "giu");
  return [...text.matchAll(any)].map((match) => [match.index, match.index + match[0].length]);
}

/** The index matches stems; for showing, a word without its usual endings is near enough. */
export function stemOf(word: string): string {
  const lower = word.toLowerCase();
  return lower.length > 4 ? lower.replace(/(?:ations?|ing|ings|ed|es|s|ly)$/, "") : lower;
}

function bestStart(marks: readonly [number, number][], maxChars: number): number {
  let best = { start: 0, count: -1 };
  for (const [index, [from]] of marks.entries()) {
    let count = 0;
    for (let other = index; (marks[other]?.[1] ?? Infinity) <= from + maxChars * 0.8; other++) count += 1;
    if (count > best.count) best = { start: from, count };
  }
  return Math.max(0, best.start - Math.floor(maxChars * 0.15));
}

function wholeWord(text: string, start: number): number {
  if (start === 0) return 0;
  const space = text.indexOf(" ", start);
  return space === -1 || space - start > 20 ? start : space + 1;
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
