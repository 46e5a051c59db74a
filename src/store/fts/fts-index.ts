// The full-text indexes: the talk of a turn, the work of a tool use, the thinking of a message. How their rows are counted and become hits.
import type { Db } from "../db/driver.ts";
import { commonRows } from "./query-cache.ts";

export interface Hit {
  session: number;
  promptNumber: number;
  score: number;
  /** Set where a tool use matched. */
  toolUse?: number;
  /** Set where the thinking of a message matched. */
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

export interface Lane {
  /** The index, and the table whose rows it has. */
  table: string;
  source: string;
  weights: string;
  /** Hits of a table `hits (id, score)`, in its order; the session is `s`. */
  rows: string;
}

/** What was said and done in the turn itself, not beside it. */
export const OWN_TALK = "{prompt answer calls} : ";

export const TALK: Lane = {
  table: "turns_fts",
  source: "prompts",
  weights: "0, 1, 1, 1, 0.4",
  rows: `SELECT s.id AS session, p.prompt_number AS promptNumber, h.score AS score
    FROM hits h CROSS JOIN prompts p ON p.id = h.id CROSS JOIN sessions s ON s.id = p.session_db_id`,
};
export const WORK: Lane = {
  table: "tool_uses_fts",
  source: "tool_uses",
  weights: "0, 1, 1",
  rows: `SELECT coalesce(s.parent_session_db_id, s.id) AS session, t.prompt_number AS promptNumber, h.score AS score, t.id AS toolUse
    FROM hits h CROSS JOIN tool_uses t ON t.id = h.id CROSS JOIN sessions s ON s.id = t.session_db_id`,
};

export const THINKING: Lane = {
  table: "thinking_fts",
  source: "messages",
  weights: "0, 1",
  rows: `SELECT coalesce(s.parent_session_db_id, s.id) AS session, m.prompt_number AS promptNumber, h.score AS score, m.id AS message
    FROM hits h CROSS JOIN messages m ON m.id = h.id CROSS JOIN sessions s ON s.id = m.session_db_id`,
};

/** Fewer are counted every time: a rare word may be said once more any moment. */
const MIN_COMMON_ROWS = 500;

/** FTS5 keeps no counts: each row is walked past, 20 of them in a microsecond. */
export function countRows(db: Db, { table }: Pick<Lane, "table">, match: string, maxRows: number): number {
  const known = commonRows(db, table);
  if ((known.get(match)?.atLeast ?? 0) >= maxRows) return maxRows;
  const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT ?)`;
  const rows = db.get<{ n: number }>(sql, match, maxRows)?.n ?? 0;
  if (rows === maxRows && rows >= MIN_COMMON_ROWS) known.set(match, { ...known.get(match), atLeast: rows });
  return rows;
}

export function idRange(db: Db, lane: Lane): { first: number; last: number } {
  // Two statements: SQLite looks up one end of a table at once, for both ends it reads all of it.
  const end = (sql: "min" | "max"): number =>
    db.get<{ id: number | null }>(`SELECT ${sql}(id) AS id FROM ${lane.source}`)?.id ?? 0;
  return { first: end("min"), last: end("max") };
}

/** Up to here rows are counted, 0.5 ms. */
const MAX_EXACT_IDS = 10_000;
const SAMPLES = 10;
/** Of the ids, this share is looked at. */
const SAMPLED = 0.01;
const GOLDEN = 0.618;

/** About how many rows match, from a few places of the index: for words too common to be counted. */
export function estimateRows(
  db: Db,
  lane: Lane,
  match: string,
  { first, last }: { first: number; last: number },
): number {
  const span = last - first + 1;
  if (span <= MAX_EXACT_IDS) return countRows(db, lane, match, MAX_EXACT_IDS);
  const known = commonRows(db, lane.table);
  const kept = known.get(match)?.about;
  if (kept !== undefined) return kept;
  const width = Math.floor((span * SAMPLED) / SAMPLES);
  let rows = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    // At uneven places, lest they fall in with a rhythm of the sessions.
    const from = first + Math.floor(((sample + ((sample * GOLDEN) % 1)) / SAMPLES) * (span - width));
    // Without the cast a number arrives as a REAL, which FTS5 does not seek by.
    const found = db.get<{ n: number }>(
      `SELECT count(*) AS n FROM ${lane.table} WHERE ${lane.table} MATCH ? AND rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)`,
      match,
      from,
      from + width - 1,
    );
    rows += found?.n ?? 0;
  }
  const about = Math.round((rows * span) / (width * SAMPLES));
  if (about >= MIN_COMMON_ROWS) known.set(match, { ...known.get(match), about });
  return about;
}
