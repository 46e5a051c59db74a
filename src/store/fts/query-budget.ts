// Which words of a query an index can be asked for in the time there is: the rarest, as far as their rows fit.
import { quoted } from "../../core/query.ts";
import type { Db } from "../db/driver.ts";
import { countRows, estimateRows, idRange, type Lane, TALK } from "./fts-index.ts";

/** Rows a lane may score: bm25 takes a good microsecond for each. */
export const MAX_SCORED_ROWS = 10_000;
/** The same rows once for each word they have: where words share rows, more of them rank no better. */
const MAX_WORD_ROWS = 15_000;
/** Rows of all words, in scope or not: bm25 walks past each once more, to know how rare the word is (50 in a microsecond). */
const MAX_WALKED_ROWS = 200_000;
/** Of an index with more rows the pages are not at hand, and each row takes twice as long: fewer are asked for, unless the project leaves few. */
const LARGE_INDEX_ROWS = 200_000;
/** More words than this add time and no rank; in a large index each takes longer. */
const MAX_TERMS = 32;
const MAX_TERMS_LARGE = 20;
const MAX_PAIRS = 64;
/** To order words by rarity: most are told apart by a short count, and where those are enough the rest need none. */
const MAX_COUNTED_ROWS = [500, 4_000];
const MAX_CANDIDATES = 128;
const MAX_TRIED = 8;

/** The words, rarest first: by the turns that say them. Tool uses ordered by their own counts rank 0.6 worse at 5, and better at 1. */
export function rarestFirst(db: Db, words: readonly string[]): string[] {
  const known: { word: string; rows: number }[] = [];
  let rest = words.slice(0, MAX_CANDIDATES);
  for (const maxRows of MAX_COUNTED_ROWS) {
    if (known.length >= MAX_TERMS) break;
    const counted = rest.map((word) => ({ word, rows: countRows(db, TALK, quoted(word), maxRows) }));
    known.push(...counted.filter(({ rows }) => rows < maxRows));
    rest = counted.filter(({ rows }) => rows >= maxRows).map(({ word }) => word);
  }
  return [...known.sort((a, b) => a.rows - b.rows).map(({ word }) => word), ...rest];
}

export interface Affordable {
  terms: string[];
  pairs: [string, string][];
  /** Words that are too common to be asked for, as far as they were tried. */
  rest: string[];
}

/** `within` is what every row has to match as well, if that is few enough rows to be worth asking for. */
export function affordable(
  db: Db,
  lane: Lane,
  query: { words: string[]; pairs: [string, string][] },
  within: string | undefined,
): Affordable {
  const rowsOf = new Map<string, number>();
  const ids = idRange(db, lane);
  const span = ids.last - ids.first + 1;
  const isLarge = span > LARGE_INDEX_ROWS && within === undefined;
  const budget = isLarge ? 0.4 : 1;
  const maxTerms = isLarge ? MAX_TERMS_LARGE : MAX_TERMS;
  const maxScored = MAX_SCORED_ROWS * budget;
  /** The share of rows that none of the terms is in, if they do not seek each other's company. */
  let missed = 1;
  let wordRowsLeft = MAX_WORD_ROWS * budget;
  let walkedLeft = MAX_WALKED_ROWS * budget;
  const rest: string[] = [];
  for (const word of query.words) {
    if (rowsOf.size === maxTerms) break;
    // To count what is in many rows means to walk past them: a few places of the index say about how many.
    const isFew = countRows(db, lane, quoted(word), maxScored + 1) <= maxScored;
    const rowsOfMatch = (match: string): number =>
      isFew ? countRows(db, lane, match, maxScored + 1) : estimateRows(db, lane, match, ids) || 1;
    const walked = rowsOfMatch(quoted(word));
    const scored = within === undefined ? walked : rowsOfMatch(`${within} AND ${quoted(word)}`);
    const missedNow = missed * (1 - scored / span);
    if ((1 - missedNow) * span > maxScored || scored > wordRowsLeft || walked > walkedLeft) {
      rest.push(word);
      // What nobody says may be in every output: rarer words may follow.
      if (rowsOf.size > 0 || rest.length === MAX_TRIED) break;
      continue;
    }
    if (scored === 0) continue;
    rowsOf.set(word, walked);
    missed = missedNow;
    wordRowsLeft -= scored;
    walkedLeft -= walked;
  }
  // A pair with a common neighbour ("not found") gains 0.5 of MRR and doubles the time: its long list must be walked.
  const pairs = query.pairs.filter(([a, b]) => {
    const walked = rowsOf.has(a) && rowsOf.has(b) ? (rowsOf.get(a) ?? 0) + (rowsOf.get(b) ?? 0) : Infinity;
    const isKept = walked <= walkedLeft;
    if (isKept) walkedLeft -= walked;
    return isKept;
  });
  return { terms: [...rowsOf.keys()], pairs: pairs.slice(0, MAX_PAIRS), rest };
}
