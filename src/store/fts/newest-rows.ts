// Searches for words that are too common to be ranked: finds the newest rows with as many of the words as possible.
import { quoted } from "../../core/query.ts";
import { DAY_MS } from "../../core/time.ts";
import { dayWord } from "../../core/words.ts";
import type { Db } from "../db/driver.ts";
import { cachedQuery } from "../db/query-cache.ts";
import { and, raw, sql } from "../db/sql.ts";
import {
  estimateRows,
  type FtsHits,
  type FtsIndex,
  type Hit,
  idRange,
  matching,
  type ProjectRows,
} from "./fts-index.ts";

const MAX_HITS = 500;
/** Rows to read for all words together. Takes about 15 ms. */
const MAX_READ_ROWS = 200_000;
/** Searching a day takes as long as reading this many rows. */
const DAY_ROWS = 1_000;
const MAX_SESSIONS = 5_000;
/** A longer session is searched only in its last days. */
const MAX_DAYS = 60;
/** Only the rarest words of a long query are searched. */
const MAX_WORDS = 6;
/** The bm25 weight of a word that is in more than half of the rows. */
const MIN_RARITY = 0.000_001;
/** Factor for rows in which two words of the query are next to each other. */
const PAIR_WEIGHT = 2;

export interface NewestQuery {
  /** Rarest first. */
  words: string[];
  pairs: [string, string][];
  phrases: string[][];
  /** Column filter for each word: "input : ", or "" for all columns. */
  column: string;
  project?: ProjectRows | undefined;
  accept?: ((session: number) => boolean) | undefined;
  /** Only rows from `since` on, and before `before`. */
  since?: number | undefined;
  before?: number | undefined;
}

/** `since` in the result: only rows from this time on were searched. Undefined: all rows were searched. */
export function newestHits(db: Db, index: FtsIndex, query: NewestQuery): FtsHits {
  const { days, isCut: hasOlderDays } = daysOf(db, query);
  const ids = idRange(db, index);
  const rowsPerDay = (query.project?.rows ?? ids.span) / Math.max(1, days.length);
  const found = new Map<string, Hit>();
  let readLeft = MAX_READ_ROWS;
  let firstDay = (hasOlderDays ? days.at(-1) : undefined) ?? -Infinity;
  for (const tier of tiersOf(db, index, query)) {
    // Each tier may use half of the rows that the stricter tiers did not read.
    const reserve = readLeft / 2;
    for (const [position, day] of days.entries()) {
      readLeft -= DAY_ROWS + rowsPerDay * tier.lists;
      for (const hit of hitsOf(db, index, day, tier)) {
        const key = `${hit.session} ${hit.promptNumber} ${hit.toolUse ?? hit.message ?? ""}`;
        if (!found.has(key) && query.accept?.(hit.session) !== false) found.set(key, hit);
      }
      const isCut = found.size >= MAX_HITS || readLeft <= reserve;
      if (isCut && position < days.length - 1) firstDay = Math.max(firstDay, day);
      if (isCut) break;
    }
    if (found.size >= MAX_HITS) break;
  }
  const words = query.words.slice(0, MAX_WORDS);
  return { hits: [...found.values()], words, ...(firstDay > -Infinity && { since: firstDay * DAY_MS }) };
}

/** The days of the newest sessions, newest first. Row ids have another order: a first sync writes the newest first. */
function daysOf(
  db: Db,
  { project, since = -Infinity, before = Infinity }: NewestQuery,
): { days: number[]; isCut: boolean } {
  const spans = cachedQuery(db, `spans ${project?.id} ${before}`, () => spansOf(db, project?.id, before));
  const days = new Set<number>();
  for (const { from, till } of spans) for (let day = Math.max(from, till - MAX_DAYS); day <= till; day++) days.add(day);
  const wanted = [...days].filter((day) => (day + 1) * DAY_MS > since && day * DAY_MS < before);
  return {
    days: wanted.sort((a, b) => b - a),
    isCut: spans.reduce((sum, { sessions }) => sum + sessions, 0) === MAX_SESSIONS,
  };
}

interface Span {
  from: number;
  till: number;
  sessions: number;
}

function spansOf(db: Db, project: number | undefined, before: number): Span[] {
  // The + prevents SQLite from using the index on started_at: it would have to sort all sessions.
  const scope = and(project !== undefined && sql`project_id = ${project}`);
  return db.all(sql`SELECT started_at / ${raw(DAY_MS)} AS "from", last_at / ${raw(DAY_MS)} AS till, count(*) AS sessions FROM (
      SELECT started_at, last_at FROM sessions
      WHERE ${scope} AND +started_at < ${Math.min(before, Number.MAX_SAFE_INTEGER)}
      ORDER BY last_at DESC LIMIT ${MAX_SESSIONS}
    ) GROUP BY 1, 2`);
}

interface Tier {
  match: string;
  score: number;
  /** Number of index lists that are read for each row of a day. */
  lists: number;
}

/**
 * From strict to loose: all words and a pair of neighbouring words; all words; the 3, 2 and 1 rarest words. With
 * phrases: the phrases and all other words; the phrases alone.
 */
function tiersOf(db: Db, index: FtsIndex, query: NewestQuery): Tier[] {
  const ids = idRange(db, index);
  const words = query.words.slice(0, MAX_WORDS);
  const inPhrases = query.phrases.flat().map((word) => word.toLowerCase());
  const rarity = new Map(
    [...new Set([...words, ...inPhrases])].map((word) => {
      const share = estimateRows(db, index, quoted(word), ids) / ids.span;
      return [word, share === 0 ? 0 : Math.max(MIN_RARITY, Math.log((1 - share) / share))];
    }),
  );
  const tier = (tierWords: string[], phrases: string[] = [], weight = 1): Tier => ({
    match: [
      ...(query.project === undefined ? [] : [query.project.match]),
      ...tierWords.map((word) => query.column + quoted(word)),
      ...phrases.map((phrase) => query.column + phrase),
    ].join(" AND "),
    score: [...tierWords, ...inPhrases].reduce((sum, word) => sum + (rarity.get(word) ?? 0), 0) * weight,
    lists: tierWords.length + 2 * phrases.length + 1,
  });
  if (query.phrases.length > 0) {
    const phrases = query.phrases.map((phrase) => quoted(...phrase));
    const others = words.filter((word) => !inPhrases.includes(word));
    return [...(others.length > 0 ? [tier(others, phrases)] : []), tier([], phrases)];
  }
  const pairs = query.pairs.filter((pair) => pair.every((word) => words.includes(word)));
  const anyPair = `(${pairs.map((pair) => quoted(...pair)).join(" OR ")})`;
  const sizes = [3, 2, 1].filter((size) => size < words.length);
  return [
    ...(pairs.length > 0 ? [tier(words, [anyPair], PAIR_WEIGHT)] : []),
    tier(words),
    ...sizes.map((size) => tier(words.slice(0, size))),
  ];
}

function hitsOf(db: Db, index: FtsIndex, day: number, { match, score }: Tier): Hit[] {
  // Each row has its day as a word. With a range of ids, FTS5 would look for a next match far beyond its end.
  return db.all(sql`WITH hits AS MATERIALIZED (SELECT rowid AS id, ${score} AS score
      ${matching(index.table, `scope:${quoted(dayWord(day * DAY_MS))} AND ${match}`)} LIMIT ${MAX_HITS}) ${index.rows}`);
}
