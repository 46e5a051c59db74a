// The three places an answer may stand: the talk of a turn, a tool use, a touched file. Each gives scored rows.
import { type PreparedQuery, quoted, tailsOf } from "../core/query.ts";
import { scopeWord, wordsOf } from "../core/words.ts";
import type { Db } from "./driver.ts";

export interface Hit {
  session: number;
  promptNumber: number;
  score: number;
  /** Set where a tool use matched. */
  toolUse?: number;
}

export interface LaneScope {
  project?: number;
  /** The caller will leave out some sessions: every scored row is handed over, not just the best. */
  isFiltered?: boolean;
  /** Every row must hold all of these. */
  phrases?: string[][];
  /** Words may go on: "migrat" finds "migration". */
  isPrefix?: boolean;
  /** Of the talk only what was asked, or only what was answered. */
  column?: "prompt" | "answer";
  /** Somebody asks for files and nothing else: then also for the end of a path, which no index helps with. */
  isFileSearch?: boolean;
}

/** Rows a lane may score: phrases included, FTS5 scores about a million a second, so this is 15 ms. */
const MAX_SCORED_ROWS = 15_000;
/** More words than this add time and no rank. */
const MAX_TERMS = 32;
const MAX_PAIRS = 64;
const MAX_HITS = 500;
/** To order words by rarity, counting further than this (0.4 ms) tells little. */
const MAX_COUNTED_ROWS = 8_000;
const MAX_CANDIDATES = 128;

interface Lane {
  table: string;
  weights: string;
  rows: string;
}

const TALK: Lane = {
  table: "turns_fts",
  weights: "0, 1, 1, 1",
  rows: "SELECT p.session_db_id AS session, p.prompt_number AS promptNumber, h.score AS score FROM hits h JOIN prompts p ON p.id = h.id",
};
const WORK: Lane = {
  table: "tool_uses_fts",
  weights: "0, 1, 1",
  rows: `SELECT coalesce(s.parent_session_db_id, s.id) AS session, t.prompt_number AS promptNumber, h.score AS score, t.id AS toolUse
    FROM hits h JOIN tool_uses t ON t.id = h.id JOIN sessions s ON s.id = t.session_db_id`,
};

/** The words, rarest first: by the turns that say them, which is cheap to count and orders tool uses well enough. */
export function rarestFirst(db: Db, words: string[]): string[] {
  return words
    .slice(0, MAX_CANDIDATES)
    .map((word) => ({ word, rows: countRows(db, TALK, quoted(word), MAX_COUNTED_ROWS) }))
    .sort((a, b) => a.rows - b.rows)
    .map(({ word }) => word);
}

export function talkHits(db: Db, query: PreparedQuery, scope: LaneScope): Hit[] {
  return laneHits(db, TALK, query, scope);
}

export function workHits(db: Db, query: PreparedQuery, scope: LaneScope): Hit[] {
  return laneHits(db, WORK, query, scope);
}

function laneHits(db: Db, lane: Lane, query: PreparedQuery, scope: LaneScope): Hit[] {
  const { terms, since } = affordable(db, lane, query.words, scope.isPrefix === true ? "*" : "");
  if (terms.length === 0) return [];
  // A pair with a common neighbour ("not found") gains 0.5 of MRR and doubles the time: its long list must be walked.
  const kept = new Set(terms);
  const pairs = query.pairs.filter(([a, b]) => kept.has(a) && kept.has(b)).slice(0, MAX_PAIRS);
  const star = scope.isPrefix === true ? "*" : "";
  const any = [...terms.map((term) => quoted(term) + star), ...pairs.map((pair) => quoted(...pair))].join(" OR ");
  const required = (scope.phrases ?? []).map((phrase) => quoted(...phrase));
  const inProject = scope.project === undefined ? [] : [`scope:${quoted(scopeWord(scope.project))}`];
  const where = scope.column === undefined || lane !== TALK ? "" : `${scope.column} : `;
  const match = [...inProject, ...required.map((phrase) => where + phrase), `${where}(${any})`].join(" AND ");
  return db.all<Hit>(
    `WITH hits AS MATERIALIZED (
       SELECT rowid AS id, -bm25(${lane.table}, ${lane.weights}) AS score FROM ${lane.table}
       WHERE ${lane.table} MATCH ? AND rowid >= ? ORDER BY score DESC LIMIT ?
     ) ${lane.rows}`,
    match,
    since,
    scope.isFiltered === true ? MAX_SCORED_ROWS : MAX_HITS,
  );
}

/** The rarest words whose rows together fit the budget; if even the first does not, its newest rows. */
function affordable(db: Db, lane: Lane, words: string[], star: string): { terms: string[]; since: number } {
  const terms: string[] = [];
  let left = MAX_SCORED_ROWS;
  for (const word of words) {
    const rows = countRows(db, lane, quoted(word) + star, left + 1);
    if (rows > left) return terms.length > 0 ? { terms, since: 0 } : { terms: [word], since: newest(db, lane, word) };
    if (rows > 0) terms.push(word);
    if (terms.length === MAX_TERMS) break;
    left -= rows;
  }
  return { terms, since: 0 };
}

function countRows(db: Db, lane: Lane, match: string, maxRows: number): number {
  const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM ${lane.table} WHERE ${lane.table} MATCH ? LIMIT ?)`;
  return db.all<{ n: number }>(sql, match, maxRows)[0]?.n ?? 0;
}

function newest(db: Db, lane: Lane, word: string): number {
  const sql = `SELECT rowid AS id FROM ${lane.table} WHERE ${lane.table} MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET ${MAX_SCORED_ROWS}`;
  return db.all<{ id: number }>(sql, quoted(word))[0]?.id ?? 0;
}

/** An edit says more about a session than a read. */
const EDIT_WEIGHT = 4;
const READ_WEIGHT = 2;
const MAX_TOUCHES = 500;

interface Touch {
  session: number;
  promptNumber: number;
  edited: number;
}

/** Sessions that touched a file the query names, rarer files first. */
export function fileHits(db: Db, query: PreparedQuery, scope: LaneScope): Hit[] {
  return query.paths.flatMap((path) => {
    const touches = touchesOf(db, path, scope);
    const rarity = Math.log(1 + MAX_TOUCHES / (touches.length + 0.5)) / 2;
    return touches.map(({ session, promptNumber, edited }) => ({
      session,
      promptNumber,
      score: rarity * (edited ? EDIT_WEIGHT : READ_WEIGHT),
    }));
  });
}

function touchesOf(db: Db, path: string, scope: LaneScope): Touch[] {
  const tails = tailsOf(path);
  const ending = scope.isFileSearch === true ? "OR f.path LIKE ? ESCAPE '\\'" : "";
  const inProject = scope.project === undefined ? "" : "AND s.project_id = ?";
  return db.all<Touch>(
    `SELECT coalesce(s.parent_session_db_id, s.id) AS session, max(t.prompt_number) AS promptNumber, max(f.kind <> 'read') AS edited
     FROM file_touches f JOIN tool_uses t ON t.id = f.tool_use_db_id JOIN sessions s ON s.id = f.session_db_id
     WHERE (f.path IN (SELECT value FROM json_each(?)) ${ending}) ${inProject}
     GROUP BY 1 ORDER BY max(f.id) DESC LIMIT ${MAX_TOUCHES}`,
    JSON.stringify(tails),
    ...(scope.isFileSearch === true ? [`%/${path.replace(/[%_\\]/g, "\\$&")}`] : []),
    ...(scope.project === undefined ? [] : [scope.project]),
  );
}

/** Prompts that share letters with the word: enough to hold what was meant, if anybody has ever said it. */
const MAX_ALIKE = 60;

/** Words of earlier prompts that share some letters with this one and are about as long. */
export function similarWords(db: Db, word: string): string[] {
  const letters = [...word];
  const pieces = new Set(letters.slice(0, -2).map((_, index) => letters.slice(index, index + 3).join("")));
  if (pieces.size === 0) return [];
  const rows = db.all<{ text: string }>(
    `SELECT p.text FROM prompts_trigram JOIN prompts p ON p.id = prompts_trigram.rowid
     WHERE prompts_trigram MATCH ? ORDER BY bm25(prompts_trigram) LIMIT ?`,
    [...pieces].map((piece) => quoted(piece)).join(" OR "),
    MAX_ALIKE,
  );
  const words = rows.flatMap((row) => wordsOf(row.text.slice(0, MAX_PROMPT_CHARS)).map((each) => each.toLowerCase()));
  return [...new Set(words)].filter((each) => Math.abs(each.length - word.length) <= 2);
}

const MAX_PROMPT_CHARS = 4_000;
