// Finds observations by keyword search, with the same fallback steps as for sessions, then by semantic search.
import { prepareQuery, quoted } from "../../core/query.ts";
import type { Db } from "../../store/db/driver.ts";
import {
  filterObservations,
  matchObservations,
  type ObservationEntry,
  type ObservationFilter,
} from "../../store/reads/observation-list.ts";
import { correctTypo, type SearchStep } from "./search.ts";
import { nearestObservations, type SemanticQuery } from "./semantic.ts";

export interface FoundObservations {
  rows: (ObservationEntry & { score: number })[];
  rung: SearchStep;
  words: string[];
}

/** Further words take time but do not change the ranking. */
const MAX_TERMS = 32;

export function findObservations(
  db: Db,
  text: string,
  filter: ObservationFilter,
  limit: number,
  meaning?: SemanticQuery,
): FoundObservations {
  const found = findByWords(db, text, filter, limit);
  if (meaning === undefined || found.rung === "phrase" || found.rows.length >= limit) return found;
  const known = new Set(found.rows.map(({ id }) => id));
  const near = nearestObservations(db, meaning).filter((id) => !known.has(id));
  const fitting = new Map(filterObservations(db, near, filter).map((row) => [row.id, { ...row, score: 0 }]));
  const rows = near.flatMap((id) => fitting.get(id) ?? []);
  const rung = found.rows.length === 0 && rows.length > 0 ? "meaning" : found.rung;
  return { ...found, rung, rows: [...found.rows, ...rows].slice(0, limit) };
}

function findByWords(db: Db, text: string, filter: ObservationFilter, limit: number): FoundObservations {
  const { words: all, pairs, phrases } = prepareQuery(text);
  const words = all.slice(0, MAX_TERMS);
  if (words.length === 0) return { rows: [], rung: "words", words };
  const pairTerms = pairs.slice(0, MAX_TERMS).map((pair) => quoted(...pair));
  const anyOf = (terms: readonly string[], star = ""): string =>
    [...terms.map((term) => quoted(term) + star), ...pairTerms].join(" OR ");
  const run = (rung: SearchStep, match: string, terms = words): FoundObservations | undefined => {
    const rows = matchObservations(db, match, filter, limit);
    return rows.length === 0 ? undefined : { rows, rung, words: terms };
  };
  const exact = phrases.map((phrase) => quoted(...phrase)).join(" AND ");
  const found =
    (exact === "" ? undefined : run("phrase", exact)) ?? run("words", anyOf(words)) ?? run("prefix", anyOf(words, "*"));
  if (found !== undefined) return found;
  const corrected = words.map((word) => correctTypo(db, word));
  return run("typo", anyOf(corrected), corrected) ?? { rows: [], rung: "typo", words };
}
