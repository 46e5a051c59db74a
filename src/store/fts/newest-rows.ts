// For words too common to be ranked: the newest rows that have as many of them as possible.
import { quoted } from "../../core/query.ts";
import { DAY_MS, dayWord } from "../../core/words.ts";
import type { Db } from "../db/driver.ts";
import { estimateRows, type Hit, idRange, type Lane } from "./fts-index.ts";
import { remembered } from "./query-cache.ts";

const MAX_HITS = 500;
/** Rows of all words to walk past: some 15 ms. */
const MAX_WALKED_ROWS = 200_000;
/** To ask for a day at all takes as long as walking past so many rows. */
const DAY_ROWS = 1_000;
const MAX_SESSIONS = 5_000;
/** Of a session that went on for longer, the last. */
const MAX_DAYS = 60;
/** Sentences of common words are not asked for as a whole. */
const MAX_WORDS = 6;
/** What bm25 gives a word that is in more than half of the rows. */
const MIN_RARITY = 0.000_001;
/** A row with neighbours counts for more than several without. */
const PAIR_WEIGHT = 2;

export interface NewestQuery {
  /** Rarest first. */
  words: string[];
  pairs: [string, string][];
  phrases: string[][];
  /** Put before an expression, limits it to a column. */
  column: string;
  /** What the rows of the project match, and about how many there are. */
  project?: { id: number; match: string; rows: number } | undefined;
  accept?: ((session: number) => boolean) | undefined;
  /** No row before, or of this time or later, is wanted. */
  since?: number | undefined;
  before?: number | undefined;
}

export interface Newest {
  hits: Hit[];
  words: string[];
  /** From here on all rows were looked at; without it that was all there are. */
  since?: number;
}

export function newestHits(db: Db, lane: Lane, query: NewestQuery): Newest {
  const { days, isCut: isLater } = daysOf(db, query);
  const ids = idRange(db, lane);
  const rowsPerDay = (query.project?.rows ?? ids.last - ids.first + 1) / Math.max(1, days.length);
  const found = new Map<string, Hit>();
  let walkedLeft = MAX_WALKED_ROWS;
  let firstDay = (isLater ? days.at(-1) : undefined) ?? -Infinity;
  for (const tier of tiersOf(db, lane, query)) {
    // Each may take half of what the stricter ones have left.
    const reserve = walkedLeft / 2;
    for (const [index, day] of days.entries()) {
      walkedLeft -= DAY_ROWS + rowsPerDay * tier.lists;
      for (const hit of hitsOf(db, lane, day, tier)) {
        const key = `${hit.session} ${hit.promptNumber} ${hit.toolUse ?? hit.message ?? ""}`;
        if (!found.has(key) && query.accept?.(hit.session) !== false) found.set(key, hit);
      }
      const isCut = found.size >= MAX_HITS || walkedLeft <= reserve;
      if (isCut && index < days.length - 1) firstDay = Math.max(firstDay, day);
      if (isCut) break;
    }
    if (found.size >= MAX_HITS) break;
  }
  const words = query.words.slice(0, MAX_WORDS);
  return { hits: [...found.values()], words, ...(firstDay > -Infinity && { since: firstDay * DAY_MS }) };
}

/** The days of the newest sessions, newest first. Ids would not do: a first sync writes the newest sessions first. */
function daysOf(
  db: Db,
  { project, since = -Infinity, before = Infinity }: NewestQuery,
): { days: number[]; isCut: boolean } {
  const spans = remembered(db, `spans ${project?.id} ${before}`, () => spansOf(db, project?.id, before));
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
  // The plus keeps SQLite from going by the start of all sessions and sorting them.
  return db.all(
    `SELECT started_at / ${DAY_MS} AS "from", last_at / ${DAY_MS} AS till, count(*) AS sessions FROM (
       SELECT started_at, last_at FROM sessions WHERE ${project === undefined ? "" : "project_id = ? AND"} +started_at < ?
       ORDER BY last_at DESC LIMIT ${MAX_SESSIONS}
     ) GROUP BY 1, 2`,
    ...(project === undefined ? [] : [project]),
    Math.min(before, Number.MAX_SAFE_INTEGER),
  );
}

interface Tier {
  match: string;
  score: number;
  /** In how many lists each row of a day is looked for. */
  lists: number;
}

/** All words with a pair of neighbours, all words, then fewer and fewer of the rarest. Phrases stay as they are. */
function tiersOf(db: Db, lane: Lane, query: NewestQuery): Tier[] {
  const ids = idRange(db, lane);
  const words = query.words.slice(0, MAX_WORDS);
  const inPhrases = query.phrases.flat().map((word) => word.toLowerCase());
  const rarity = new Map(
    [...new Set([...words, ...inPhrases])].map((word) => {
      const share = estimateRows(db, lane, quoted(word), ids) / (ids.last - ids.first + 1);
      return [word, share === 0 ? 0 : Math.max(MIN_RARITY, Math.log((1 - share) / share))];
    }),
  );
  const tier = (asked: string[], also: string[] = [], weight = 1): Tier => ({
    match: [
      ...(query.project === undefined ? [] : [query.project.match]),
      ...asked.map((word) => query.column + quoted(word)),
      ...also.map((each) => query.column + each),
    ].join(" AND "),
    score: [...asked, ...inPhrases].reduce((sum, word) => sum + (rarity.get(word) ?? 0), 0) * weight,
    lists: asked.length + 2 * also.length + 1,
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

function hitsOf(db: Db, lane: Lane, day: number, { match, score }: Tier): Hit[] {
  // The day is a word of the index and not a range of ids for another reason too: FTS5 would look for the next match far beyond the range's end.
  return db.all<Hit>(
    `WITH hits AS MATERIALIZED (SELECT rowid AS id, ? AS score FROM ${lane.table} WHERE ${lane.table} MATCH ? LIMIT ?) ${lane.rows}`,
    score,
    `scope:${quoted(dayWord(day * DAY_MS))} AND ${match}`,
    MAX_HITS,
  );
}
