// Finds observations by words, on the same rungs as sessions, each tried when the one before gave nothing; what is near in meaning follows.
import { prepareQuery, quoted } from "../../core/query.ts";
import type { Db } from "../../store/db/driver.ts";
import {
  fittingObservations,
  matchObservations,
  type ObservationEntry,
  type ObservationFilter,
} from "../../store/reads/observation-list.ts";
import { type Meaning, nearObservations } from "./semantic.ts";
import { nearestWord, type Rung } from "./search.ts";

export interface FoundObservations {
  rows: (ObservationEntry & { score: number })[];
  rung: Rung;
  words: string[];
}

/** More words than this add time and no rank. */
const MAX_TERMS = 32;

export function findObservations(
  db: Db,
  text: string,
  filter: ObservationFilter,
  limit: number,
  meaning?: Meaning,
): FoundObservations {
  const found = findByWords(db, text, filter, limit);
  if (meaning === undefined || found.rung === "phrase" || found.rows.length >= limit) return found;
  const known = new Set(found.rows.map(({ id }) => id));
  const near = nearObservations(db, meaning).filter((id) => !known.has(id));
  const fitting = new Map(fittingObservations(db, near, filter).map((row) => [row.id, row]));
  const rows = near.flatMap((id) => {
    const row = fitting.get(id);
    return row === undefined ? [] : [{ ...row, score: 0 }];
  });
  return {
    ...found,
    rows: [...found.rows, ...rows].slice(0, limit),
    rung: found.rows.length === 0 && rows.length > 0 ? "meaning" : found.rung,
  };
}

function findByWords(db: Db, text: string, filter: ObservationFilter, limit: number): FoundObservations {
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
