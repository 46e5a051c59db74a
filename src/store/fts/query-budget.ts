// Chooses which words of a query are searched within a time budget: the rarest, as far as their rows fit.
import { quoted } from "../../core/query.ts";
import { scopeWord } from "../../core/words.ts";
import type { Db } from "../db/driver.ts";
import { countRows, estimateRows, type FtsIndex, idRange, OWN_COLUMNS, TURNS } from "./fts-index.ts";

/** Rows that may be scored: bm25 takes a good microsecond for each. */
export const MAX_SCORED_ROWS = 10_000;
/** Rows counted once for each of their words: if words share rows, more words do not rank better. */
const MAX_WORD_ROWS = 15_000;
/** Rows of all words, in scope or not: bm25 reads each again to compute how rare the word is (50 in a microsecond). */
const MAX_READ_ROWS = 200_000;
/** A larger index is not in the page cache, and each row takes twice as long: budgets shrink, unless the project leaves few rows. */
const LARGE_INDEX_ROWS = 200_000;
/** More words than this add time but no better ranking; in a large index each takes longer. */
const MAX_TERMS = 32;
const MAX_TERMS_LARGE = 20;
const MAX_PAIRS = 64;
/** To sort words by rarity: a short count separates most of them, and if those are enough, the rest is not counted. */
const MAX_COUNTED_ROWS = [500, 4_000];
const MAX_CANDIDATES = 128;
const MAX_TRIED = 8;

/** The words, rarest first, by the turns that have them. Sorted by tool uses, results are 0.6 points worse at 5, better at 1. */
export function rarestFirst(db: Db, words: readonly string[]): string[] {
  const known: { word: string; rows: number }[] = [];
  let rest = words.slice(0, MAX_CANDIDATES);
  for (const maxRows of MAX_COUNTED_ROWS) {
    if (known.length >= MAX_TERMS) break;
    const counted = rest.map((word) => ({ word, rows: countRows(db, TURNS, quoted(word), maxRows) }));
    known.push(...counted.filter(({ rows }) => rows < maxRows));
    rest = counted.filter(({ rows }) => rows >= maxRows).map(({ word }) => word);
  }
  return [...known.sort((a, b) => a.rows - b.rows).map(({ word }) => word), ...rest];
}

/** `projectMatch`: what the rows of the project match, if they are few enough. */
export function fitToBudget(
  db: Db,
  index: FtsIndex,
  query: { words: string[]; pairs: [string, string][] },
  projectMatch: string | undefined,
) {
  const rowsOf = new Map<string, number>();
  const ids = idRange(db, index);
  const isLarge = ids.span > LARGE_INDEX_ROWS && projectMatch === undefined;
  const budget = isLarge ? 0.4 : 1;
  const maxTerms = isLarge ? MAX_TERMS_LARGE : MAX_TERMS;
  const maxScored = MAX_SCORED_ROWS * budget;
  /** The share of rows that have none of the terms, if terms are independent of each other. */
  let missed = 1;
  let wordRowsLeft = MAX_WORD_ROWS * budget;
  let readLeft = MAX_READ_ROWS * budget;
  const tooCommon: string[] = [];
  for (const word of query.words) {
    if (rowsOf.size === maxTerms) break;
    // Counting a common word means reading all its rows: samples of the index tell about how many there are.
    const isFew = countRows(db, index, quoted(word), maxScored + 1) <= maxScored;
    const rowsOfMatch = (match: string): number =>
      isFew ? countRows(db, index, match, maxScored + 1) : estimateRows(db, index, match, ids) || 1;
    const read = rowsOfMatch(quoted(word));
    const scored = projectMatch === undefined ? read : rowsOfMatch(`${projectMatch} AND ${quoted(word)}`);
    const missedNow = missed * (1 - scored / ids.span);
    if ((1 - missedNow) * ids.span > maxScored || scored > wordRowsLeft || read > readLeft) {
      tooCommon.push(word);
      // Words are ordered by turns: one that is rare there may be common in outputs, so rarer words may follow.
      if (rowsOf.size > 0 || tooCommon.length === MAX_TRIED) break;
      continue;
    }
    if (scored === 0) continue;
    rowsOf.set(word, read);
    missed = missedNow;
    wordRowsLeft -= scored;
    readLeft -= read;
  }
  // A pair with a common word ("not found") gains 0.5 points of MRR and doubles the time: its long list must be read.
  const pairs = query.pairs.filter(([a, b]) => {
    const read = (rowsOf.get(a) ?? Infinity) + (rowsOf.get(b) ?? Infinity);
    const isKept = read <= readLeft;
    if (isKept) readLeft -= read;
    return isKept;
  });
  return { terms: [...rowsOf.keys()], pairs: pairs.slice(0, MAX_PAIRS), tooCommon };
}

const COMMON_SHARE = 0.25;
/** In a smaller project any word may reach that share by chance. */
const MIN_TURNS = 40;
/** Up to this many turns are counted; more are estimated, for all projects together. */
const MAX_COUNTED_TURNS = 10_000;
/** In a longer text a single word matters little. */
const MAX_WORDS = 24;

/** Words in a quarter of a project's turns, which distinguish none of them: the user's name, the project's name. */
export function commonWords(db: Db, words: readonly string[], project: number | undefined): string[] {
  const ids = idRange(db, TURNS);
  const scope = project === undefined ? undefined : `scope:${quoted(scopeWord(project))}`;
  const turns = scope === undefined ? ids.span : countRows(db, TURNS, scope, MAX_COUNTED_TURNS + 1);
  if (turns < MIN_TURNS || words.length > MAX_WORDS) return [];
  if (turns > MAX_COUNTED_TURNS)
    return words.filter((word) => estimateRows(db, TURNS, quoted(word), ids) >= ids.span * COMMON_SHARE);
  const enough = Math.ceil(turns * COMMON_SHARE);
  const within = scope === undefined ? "" : `${scope} AND `;
  return words.filter((word) => countRows(db, TURNS, within + OWN_COLUMNS + quoted(word), enough) >= enough);
}
