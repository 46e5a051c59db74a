// The full-text indexes of turns, tool uses and thinking: how their rows are counted and become hits.
import { quoted } from "../../core/query.ts";
import { scopeWord } from "../../core/words.ts";
import type { Db } from "../db/driver.ts";
import { raw, sql, type Sql } from "../db/sql.ts";

export interface Hit {
  session: number;
  promptNumber: number;
  score: number;
  /** Set if a tool use matched. */
  toolUse?: number;
  /** Set if the thinking of a message matched. */
  message?: number;
  /** Set in a search for files. */
  file?: FileHit;
}

export interface FileHit {
  path: string;
  promptNumber: number;
  /** The last one that touched it. */
  toolUse: number;
  at: number;
}

export interface FtsHits {
  hits: Hit[];
  /** The words that were searched, without those that are too common. */
  words: string[];
  /** Set if even the rarest word is too common: only rows from this time on were searched. */
  since?: number;
}

export interface FtsIndex {
  table: string;
  /** The table whose rows it indexes. */
  source: string;
  /** bm25 weights of its columns. */
  weights: string;
  /** Hits of a table `hits (id, score)`, in its order; the session is `s`. */
  rows: Sql;
}

/** The columns of what was said and done in the turn itself, without `beside`. */
export const OWN_COLUMNS = "{prompt answer calls} : ";

export const TURNS: FtsIndex = {
  table: "turns_fts",
  source: "prompts",
  weights: "0, 1, 1, 1, 0.4",
  rows: sql`SELECT s.id AS session, p.prompt_number AS promptNumber, h.score AS score
    FROM hits h CROSS JOIN prompts p ON p.id = h.id CROSS JOIN sessions s ON s.id = p.session_db_id`,
};

export const TOOL_USES: FtsIndex = {
  table: "tool_uses_fts",
  source: "tool_uses",
  weights: "0, 1, 1",
  rows: sql`SELECT coalesce(s.parent_session_db_id, s.id) AS session, t.prompt_number AS promptNumber, h.score AS score, t.id AS toolUse
    FROM hits h CROSS JOIN tool_uses t ON t.id = h.id CROSS JOIN sessions s ON s.id = t.session_db_id`,
};

export const THINKING: FtsIndex = {
  table: "thinking_fts",
  source: "messages",
  weights: "0, 1",
  rows: sql`SELECT coalesce(s.parent_session_db_id, s.id) AS session, m.prompt_number AS promptNumber, h.score AS score, m.id AS message
    FROM hits h CROSS JOIN messages m ON m.id = h.id CROSS JOIN sessions s ON s.id = m.session_db_id`,
};

/** SQL: the rows of an index that match. */
export function matching(table: string, match: string): Sql {
  return sql`FROM ${raw(table)} WHERE ${raw(table)} MATCH ${match}`;
}

/** How many rows match a common word: a minimum, or an estimate. */
interface CommonRows {
  atLeast?: number;
  about?: number;
}

const MAX_COMMON = 5_000;
const COMMON_MS = 3_600_000;
const counts = new WeakMap<Db, { since: number; byTable: Map<string, Map<string, CommonRows>> }>();

/** Counts by match expression, kept for an hour: a common word stays common, whatever is written. */
function commonRows(db: Db, table: string): Map<string, CommonRows> {
  let kept = counts.get(db);
  if (kept === undefined || performance.now() - kept.since > COMMON_MS)
    counts.set(db, (kept = { since: performance.now(), byTable: new Map() }));
  let known = kept.byTable.get(table);
  if (known === undefined || known.size >= MAX_COMMON) kept.byTable.set(table, (known = new Map()));
  return known;
}

/** Smaller counts are not kept: they change with every write. */
const MIN_COMMON_ROWS = 500;

/** Counts up to `maxRows`: FTS5 has no counts, so each row is read, 20 of them in a microsecond. */
export function countRows(db: Db, { table }: Pick<FtsIndex, "table">, match: string, maxRows: number): number {
  const known = commonRows(db, table);
  if ((known.get(match)?.atLeast ?? 0) >= maxRows) return maxRows;
  const rows = db.value<number>(sql`SELECT count(*) FROM (SELECT 1 ${matching(table, match)} LIMIT ${maxRows})`) ?? 0;
  if (rows === maxRows && rows >= MIN_COMMON_ROWS) known.set(match, { ...known.get(match), atLeast: rows });
  return rows;
}

export interface IdRange {
  first: number;
  last: number;
  /** The number of ids from first to last. */
  span: number;
}

export function idRange(db: Db, { source }: FtsIndex): IdRange {
  // Two statements: SQLite looks up min or max alone at once, for both it reads the whole table.
  const first = db.value<number>(sql`SELECT min(id) FROM ${raw(source)}`) ?? 0;
  const last = db.value<number>(sql`SELECT max(id) FROM ${raw(source)}`) ?? 0;
  return { first, last, span: last - first + 1 };
}

/** Up to this many ids all rows are counted: 0.5 ms. */
const MAX_EXACT_IDS = 10_000;
const SAMPLES = 10;
/** The share of ids that is sampled. */
const SAMPLED = 0.01;
const GOLDEN = 0.618;

/** About how many rows match, from ten samples of the index: for words too common to be counted. */
export function estimateRows(db: Db, index: FtsIndex, match: string, { first, span }: IdRange): number {
  if (span <= MAX_EXACT_IDS) return countRows(db, index, match, MAX_EXACT_IDS);
  const known = commonRows(db, index.table);
  const kept = known.get(match)?.about;
  if (kept !== undefined) return kept;
  const width = Math.floor((span * SAMPLED) / SAMPLES);
  let rows = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    // At uneven distances, so that they do not coincide with a pattern of the sessions.
    const from = first + Math.floor(((sample + ((sample * GOLDEN) % 1)) / SAMPLES) * (span - width));
    // Without the cast the number is a REAL, and FTS5 does not seek.
    rows +=
      db.value<number>(sql`SELECT count(*) ${matching(index.table, match)}
        AND rowid BETWEEN CAST(${from} AS INTEGER) AND CAST(${from + width - 1} AS INTEGER)`) ?? 0;
  }
  const about = Math.round((rows * span) / (width * SAMPLES));
  if (about >= MIN_COMMON_ROWS) known.set(match, { ...known.get(match), about });
  return about;
}

/** A larger project is not part of the match, which would read each of its rows: the hits are filtered instead. */
const MAX_PROJECT_ROWS = 100_000;

export interface ProjectRows {
  id: number;
  /** An expression that the rows of the project match, and about how many there are. */
  match: string;
  rows: number;
  /** Few enough rows to be part of the match. */
  isSmall: boolean;
}

export function projectRows(db: Db, index: FtsIndex, id: number): ProjectRows {
  const ids = idRange(db, index);
  const rows = estimateRows(db, index, quoted(scopeWord(id)), ids);
  const isSmall = rows <= MAX_PROJECT_ROWS && rows <= ids.span / 2;
  return { id, match: `scope:${quoted(scopeWord(id))}`, rows, isSmall };
}
