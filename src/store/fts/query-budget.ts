// Chooses the words of a query that can be searched within a time budget: the rarest ones, until their rows exceed it.
import { quoted } from "../../core/query.ts";
import { scopeWord } from "../../core/words.ts";
import type { Db } from "../db/driver.ts";
import { countRows, estimateRows, type FtsIndex, idRange, OWN_COLUMNS, TURNS } from "./fts-index.ts";

/** Rows that may be scored: bm25 takes more than a microsecond per row. */
export const MAX_SCORED_ROWS = 10_000;
/** Limit for the sum of rows over all words: if words share many rows, more words do not improve the ranking. */
const MAX_WORD_ROWS = 15_000;
/** Limit for the rows of all words in all projects. bm25 reads them (50 per µs) to compute how rare each word is. */
const MAX_READ_ROWS = 200_000;
/** Reading a row of a larger index takes twice as long (page cache): budgets are lower, except in small projects. */
const LARGE_INDEX_ROWS = 200_000;
/** More words than this take time but do not improve the ranking. In a large index each word takes longer. */
const MAX_TERMS = 32;
const MAX_TERMS_LARGE = 20;
const MAX_PAIRS = 64;
/** Words are sorted by their number of rows, counted up to 500. If few words have less than that: up to 4,000. */
const MAX_COUNTED_ROWS = [500, 4_000];
const MAX_CANDIDATES = 128;
const MAX_TRIED = 8;

/** Sorts words by the number of turns (not tool uses: search would find less) that have them, rarest first. */
export function sortByRarity(db: Db, words: readonly string[]): string[] {
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

/** `projectMatch`: the match expression for the project, if the project is small enough to be part of the query. */
export function chooseTerms(
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
  /** The share of rows with none of the terms, assuming that terms are independent of each other. */
  let missed = 1;
  let wordRowsLeft = MAX_WORD_ROWS * budget;
  let readLeft = MAX_READ_ROWS * budget;
  const tooCommon: string[] = [];
  for (const word of query.words) {
    if (rowsOf.size === maxTerms) break;
    // Counting a common word would read all its rows, so its rows are estimated.
    const isFew = countRows(db, index, quoted(word), maxScored + 1) <= maxScored;
    const rowsOfMatch = (match: string): number =>
      isFew ? countRows(db, index, match, maxScored + 1) : estimateRows(db, index, match, ids) || 1;
    const read = rowsOfMatch(quoted(word));
    const scored = projectMatch === undefined ? read : rowsOfMatch(`${projectMatch} AND ${quoted(word)}`);
    const missedNow = missed * (1 - scored / ids.span);
    if ((1 - missedNow) * ids.span > maxScored || scored > wordRowsLeft || read > readLeft) {
      tooCommon.push(word);
      // Words are sorted by rarity in turns. In tool outputs a later word may be rarer, so a few more are tried.
      if (rowsOf.size > 0 || tooCommon.length === MAX_TRIED) break;
      continue;
    }
    if (scored === 0) continue;
    rowsOf.set(word, read);
    missed = missedNow;
    wordRowsLeft -= scored;
    readLeft -= read;
  }
  // Drops pairs with a common word ("not found"): they would improve MRR by 0.5 points but double the time.
  const pairs = query.pairs.filter(([a, b]) => {
    const read = (rowsOf.get(a) ?? Infinity) + (rowsOf.get(b) ?? Infinity);
    const isKept = read <= readLeft;
    if (isKept) readLeft -= read;
    return isKept;
  });
  return { terms: [...rowsOf.keys()], pairs: pairs.slice(0, MAX_PAIRS), tooCommon };
}

const COMMON_SHARE = 0.25;
/** In a project with fewer turns, any word may reach that share by chance. */
const MIN_TURNS = 40;
/** In larger projects, the share is estimated over all projects instead of counted. */
const MAX_COUNTED_TURNS = 10_000;
/** Longer queries are not checked: a single common word has little effect on them. */
const MAX_WORDS = 24;

/** Words in at least a quarter of the project's turns, e.g. the project's name: useless for finding one turn. */
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
