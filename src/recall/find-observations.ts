// Finds observations by words: the same rungs as for sessions, each tried when the one before gave nothing.
import { prepareQuery, quoted } from "../core/query.ts";
import type { Db } from "../store/driver.ts";
import { matchObservations, type ObservationEntry, type ObservationFilter } from "../store/observation-list.ts";
import { nearestWord, type Rung } from "./search.ts";

export interface FoundObservations {
  rows: (ObservationEntry & { score: number })[];
  rung: Rung;
  words: string[];
}

/** More words than this add time and no rank. */
const MAX_TERMS = 32;

export function findObservations(db: Db, text: string, filter: ObservationFilter, limit: number): FoundObservations {
  const { words: all, pairs, phrases } = prepareQuery(text);
  const words = all.slice(0, MAX_TERMS);
  const match = (terms: readonly string[], star = ""): string =>
    [...terms.map((term) => quoted(term) + star), ...pairs.slice(0, MAX_TERMS).map((pair) => quoted(...pair))].join(
      " OR ",
    );
  const rungs: { rung: Rung; terms: () => string[]; match: (terms: string[]) => string }[] = [
    ...(phrases.length > 0
      ? [
          {
            rung: "phrase" as const,
            terms: () => words,
            match: () => phrases.map((one) => quoted(...one)).join(" AND "),
          },
        ]
      : []),
    { rung: "words", terms: () => words, match: (terms) => match(terms) },
    { rung: "prefix", terms: () => words, match: (terms) => match(terms, "*") },
    { rung: "typo", terms: () => words.map((word) => nearestWord(db, word)), match: (terms) => match(terms) },
  ];
  if (words.length === 0) return { rows: [], rung: "words", words };
  for (const { rung, terms, match: make } of rungs) {
    const tried = terms();
    const rows = matchObservations(db, make(tried), filter, limit);
    if (rows.length > 0) return { rows, rung, words: tried };
  }
  return { rows: [], rung: "typo", words };
}
