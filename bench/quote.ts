// Finds where words stand in the pieces of a request, so that a scripted model can quote and cite them.
import type { Piece } from "../test/conformance/model-request.ts";

export const normalise = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

export interface Quote {
  piece: Piece;
  /** The words as they stand in the piece, on one line. */
  words: string;
}

/** Markup and line breaks may differ. Undefined if no piece has the whole sentence: a long text was cut there. */
export function findQuote(sentence: string, pieces: readonly Piece[]): Quote | undefined {
  for (const piece of pieces) {
    const words = findWords(piece.text, sentence);
    if (words !== undefined) return { piece, words };
  }
  return undefined;
}

function findWords(text: string, sentence: string): string | undefined {
  const wanted = normalise(sentence);
  if (wanted === "") return undefined;
  let plain = " ";
  const offsets = [0];
  for (let at = 0; at < text.length; at++) {
    const character = (text[at] ?? "").toLowerCase();
    const next = /[\p{L}\p{N}]/u.test(character) ? character : " ";
    if (next === " " && plain.endsWith(" ")) continue;
    plain += next;
    for (let added = 0; added < next.length; added++) offsets.push(at);
  }
  const found = `${plain.trimEnd()} `.indexOf(` ${wanted} `);
  if (found === -1) return undefined;
  const start = offsets[found + 1] ?? 0;
  const end = (offsets[found + wanted.length] ?? 0) + 1;
  return text.slice(start, end).replace(/\s+/g, " ");
}

const MAX_CITED = 8;

/** The pieces that together have most words of the text, names first. `first` is cited in any case. */
export function cite(
  text: string,
  pieces: readonly Piece[],
  first: readonly Piece[] = [],
  limit = MAX_CITED,
): string[] {
  const cited = [...first];
  const missing = new Map([...wordsOf(text)].filter(([word]) => !first.some((piece) => has(piece, word))));
  while (cited.length < limit) {
    const gain = (piece: Piece): number =>
      [...missing].reduce((sum, [word, weight]) => sum + (has(piece, word) ? weight : 0), 0);
    const [best] = pieces
      .filter((piece) => !cited.includes(piece))
      .map((piece) => ({ piece, gain: gain(piece) }))
      .toSorted((a, b) => b.gain - a.gain);
    if (best === undefined || best.gain === 0) break;
    cited.push(best.piece);
    for (const word of missing.keys()) if (has(best.piece, word)) missing.delete(word);
  }
  return [...new Set(cited.map(({ id }) => id))];
}

const has = (piece: Piece, word: string): boolean => piece.text.toLowerCase().includes(word);

/** Names, paths and numbers weigh more than other words: a claim with a name that is not cited is not believed. */
function wordsOf(text: string): Map<string, number> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_./@#-]+/gu) ?? [];
  const trimmed = words.map((word) => word.replace(/^[./@#-]+|[./@#-]+$/g, "")).filter((word) => word.length > 3);
  const names = text.match(/[\p{L}\p{N}_./@#-]*(?:\p{Ll}\p{Lu}|[_/\d]|\p{L}\.\p{L})[\p{L}\p{N}_./@#-]*/gu) ?? [];
  const isName = new Set(names.map((name) => name.toLowerCase().replace(/^[./@#-]+|[./@#-]+$/g, "")));
  return new Map([...isName, ...trimmed].filter(Boolean).map((word) => [word, isName.has(word) ? 10 : 1]));
}

/** The share of the text's words that the other text has, too. */
export function sharedWords(text: string, other: string): number {
  const own = new Set(
    normalise(text)
      .split(" ")
      .filter((word) => word.length > 3),
  );
  const words = new Set(normalise(other).split(" "));
  return own.size === 0 ? 0 : [...own].filter((word) => words.has(word)).length / own.size;
}

/** The beginning of the text, cut behind a clause or a word. */
export function shorten(text: string, maxChars: number): string {
  const plain = text.replace(/\s+/g, " ").trim();
  if (plain.length <= maxChars) return plain;
  const start = plain.slice(0, maxChars);
  const clause = Math.max(...["; ", ": ", ", ", " — ", " ("].map((mark) => start.lastIndexOf(mark)));
  return (clause > maxChars / 2 ? start.slice(0, clause) : start.slice(0, start.lastIndexOf(" "))).trim();
}
