// The full-text indexes of turns, tool uses and thinking. Counts the rows that match a word or project.
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
  /** The last tool use that touched the file. */
  toolUse: number;
  at: number;
}

export interface FtsHits {
  hits: Hit[];
  /** The searched words: without those that are too common, unless `newestHits` searched for them. */
  words: string[];
  /** Set if only rows from this time on were searched, because the words are too common. */
  since?: number;
}

export interface FtsIndex {
  table: string;
  /** The table whose rows it indexes. */
  source: string;
  /** bm25 weights of its columns. */
  weights: string;
  /** SQL: selects a Hit for each row of the table `hits (id, score)`, in the same order, with the session as `s`. */
  rows: Sql;
}

/** The columns with the turn's own text. The column `beside` has text of neighbour turns. */
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

/** SQL: FROM clause for the rows of an index that match. */
export function matching(table: string, match: string): Sql {
  return sql`FROM ${raw(table)} WHERE ${raw(table)} MATCH ${match}`;
}

/** Number of rows that match a common word: a minimum, an estimate, or both. */
interface CommonRows {
  atLeast?: number;
  about?: number;
}

const MAX_COMMON = 5_000;
const COMMON_MS = 3_600_000;
const counts = new WeakMap<Db, { since: number; byTable: Map<string, Map<string, CommonRows>> }>();

/** The counts by match expression. They are cached for an hour, because a common word stays common. */
function commonRows(db: Db, table: string): Map<string, CommonRows> {
  let kept = counts.get(db);
  if (kept === undefined || performance.now() - kept.since > COMMON_MS)
    counts.set(db, (kept = { since: performance.now(), byTable: new Map() }));
  let known = kept.byTable.get(table);
  if (known === undefined || known.size >= MAX_COMMON) kept.byTable.set(table, (known = new Map()));
  return known;
}

/** Smaller counts are not cached: they change with every write. */
const MIN_COMMON_ROWS = 500;

/** Counts matching rows, up to `maxRows`. FTS5 stores no counts, so each of them is read (20 per microsecond). */
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
  // One statement with both min and max would read the whole table.
  const first = db.value<number>(sql`SELECT min(id) FROM ${raw(source)}`) ?? 0;
  const last = db.value<number>(sql`SELECT max(id) FROM ${raw(source)}`) ?? 0;
  return { first, last, span: last - first + 1 };
}

/** For up to this many ids, all rows are counted, which takes 0.5 ms. */
const MAX_EXACT_IDS = 10_000;
const SAMPLES = 10;
/** The share of ids that is sampled. */
const SAMPLED_SHARE = 0.01;
const GOLDEN = 0.618;

/** Estimates how many rows match from ten samples of the index. For words that are too common to be counted. */
export function estimateRows(db: Db, index: FtsIndex, match: string, { first, span }: IdRange): number {
  if (span <= MAX_EXACT_IDS) return countRows(db, index, match, MAX_EXACT_IDS);
  const known = commonRows(db, index.table);
  const kept = known.get(match)?.about;
  if (kept !== undefined) return kept;
  const width = Math.floor((span * SAMPLED_SHARE) / SAMPLES);
  let rows = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    // Samples are at uneven distances, so that they do not hit the same part of every session.
    const from = first + Math.floor(((sample + ((sample * GOLDEN) % 1)) / SAMPLES) * (span - width));
    // Without the cast the numbers are REAL, and FTS5 reads all matching rows instead of seeking.
    rows +=
      db.value<number>(sql`SELECT count(*) ${matching(index.table, match)}
        AND rowid BETWEEN CAST(${from} AS INTEGER) AND CAST(${from + width - 1} AS INTEGER)`) ?? 0;
  }
  const about = Math.round((rows * span) / (width * SAMPLES));
  if (about >= MIN_COMMON_ROWS) known.set(match, { ...known.get(match), about });
  return about;
}

/** In larger projects, hits are filtered afterwards: a match on the project would read each of its rows. */
const MAX_PROJECT_ROWS = 100_000;

export interface ProjectRows {
  id: number;
  /** The match expression for the rows of the project. */
  match: string;
  /** Estimated number of rows in the project. */
  rows: number;
  /** Whether `match` can be part of a query: the project has few enough rows. */
  isSmall: boolean;
}

export function projectRows(db: Db, index: FtsIndex, id: number): ProjectRows {
  const ids = idRange(db, index);
  const rows = estimateRows(db, index, quoted(scopeWord(id)), ids);
  const isSmall = rows <= MAX_PROJECT_ROWS && rows <= ids.span / 2;
  return { id, match: `scope:${quoted(scopeWord(id))}`, rows, isSmall };
}
