// Makes a snippet: the part of a text that contains the most words of the query.
import { plainLines } from "../../core/text.ts";

export type Snippet = ReturnType<typeof makeSnippet>;

/** Only the first 40,000 characters are searched. */
const MAX_CHARS = 40_000;

export function makeSnippet(source: string, words: readonly string[], maxChars: number) {
  const text = plainLines(source.slice(0, MAX_CHARS)).replace(/\s+/g, " ").trim();
  const marks = findWords(text, words);
  const start = text.length <= maxChars ? 0 : atWordStart(text, bestStart(marks, maxChars));
  const end = Math.min(text.length, start + maxChars);
  const lead = start > 0 ? "…" : "";
  const shift = lead.length - start;
  return {
    text: lead + text.slice(start, end) + (end < text.length ? "…" : ""),
    /** Positions of the query's words in the snippet, as [start, end]. */
    marks: marks
      .filter(([from, to]) => from >= start && to <= end)
      .map(([from, to]): [number, number] => [from + shift, to + shift]),
  };
}

/** How many different words of the query occur in the text. */
export function countWords(source: string, words: readonly string[]): number {
  const text = source.slice(0, MAX_CHARS).toLowerCase();
  return words.filter((word) => text.includes(stemOf(word))).length;
}

function findWords(text: string, words: readonly string[]): [number, number][] {
  const stems = words.map(stemOf).filter((stem) => stem.length > 1);
  if (stems.length === 0) return [];
  const escaped = stems.map((stem) => stem.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const any = new RegExp(`(?:${escaped.join("|")})[\\p{L}\\p{N}]*`, "giu");
  return [...text.matchAll(any)].map((match) => [match.index, match.index + match[0].length]);
}

/** "deployments" -> "deployment": similar enough to the index's stems to mark matches. */
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

function atWordStart(text: string, start: number): number {
  if (start === 0) return 0;
  const space = text.indexOf(" ", start);
  return space === -1 || space - start > 20 ? start : space + 1;
}
