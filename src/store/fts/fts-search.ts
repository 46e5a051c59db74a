// Asks one of the full-text indexes: the words that can be afforded, ranked; if none can, the newest rows that have them.
import { type PreparedQuery, quoted } from "../../core/query.ts";
import { scopeWord } from "../../core/words.ts";
import type { Db } from "../db/driver.ts";
import { estimateRows, type Hit, idRange, type Lane, OWN_TALK, TALK, THINKING, WORK } from "./fts-index.ts";
import { affordable, MAX_SCORED_ROWS } from "./query-budget.ts";
import { newestHits } from "./newest-rows.ts";

export interface LaneScope {
  project?: number | undefined;
  /** Leaves out sessions the caller does not want. */
  accept?: ((session: number) => boolean) | undefined;
  /** Nothing before, or of this time or later, is wanted: no need to look there. */
  since?: number | undefined;
  before?: number | undefined;
  /** Every row must hold all of these. */
  phrases?: string[][] | undefined;
  /** Of the talk only what was asked, or only what was answered. */
  column?: "prompt" | "answer" | undefined;
}

export interface LaneAnswer {
  hits: Hit[];
  /** The words it was asked for: not those that are too common. */
  words: string[];
  /** Set where even the rarest word is too common: only rows from here on were looked at. */
  since?: number;
}

/** A project with more rows is not asked for in the index, where each would be walked past: its rows are picked afterwards. */
const MAX_PROJECT_ROWS = 100_000;
const MAX_HITS = 500;
/** To pick from. */
const MAX_MIXED_HITS = 2_000;

export function talkHits(db: Db, query: PreparedQuery, scope: LaneScope): LaneAnswer {
  return laneHits(db, TALK, query, scope);
}

export function workHits(db: Db, query: PreparedQuery, scope: LaneScope): LaneAnswer {
  return laneHits(db, WORK, query, scope);
}

export function thinkingHits(db: Db, query: PreparedQuery, scope: LaneScope): LaneAnswer {
  return laneHits(db, THINKING, query, scope);
}

function laneHits(db: Db, lane: Lane, query: PreparedQuery, scope: LaneScope): LaneAnswer {
  const column = scope.column === undefined || lane !== TALK ? "" : `${scope.column} : `;
  // What stands beside a turn helps to rank it; what has to be there has to be its own.
  const own = column === "" && lane === TALK ? OWN_TALK : column;
  const project = scope.project === undefined ? undefined : projectOf(db, lane, scope.project);
  const { terms, pairs, rest } = affordable(db, lane, query, project?.isSmall === true ? project.match : undefined);
  const { phrases = [], accept, since, before } = scope;
  // A phrase of nothing but common words takes as long to look for as they do.
  const isPhraseCommon = phrases.some((phrase) => !phrase.some((word) => terms.includes(word.toLowerCase())));
  if (rest.length > 0 && (terms.length === 0 || isPhraseCommon)) {
    const words = [...terms, ...rest];
    return newestHits(db, lane, { words, pairs: query.pairs, phrases, column: own, project, accept, since, before });
  }
  if (terms.length === 0) return { hits: [], words: [] };
  const any = [...terms.map((term) => quoted(term)), ...pairs.map((pair) => quoted(...pair))].join(" OR ");
  const match = [
    ...(project?.isSmall === true ? [project.match] : []),
    ...phrases.map((phrase) => own + quoted(...phrase)),
    `${column}(${any})`,
  ].join(" AND ");
  const picked = project === undefined || project.isSmall ? 0 : project.id;
  const hits = db.all<Hit>(
    `WITH hits AS MATERIALIZED (
       SELECT rowid AS id, -bm25(${lane.table}, ${lane.weights}) AS score FROM ${lane.table}
       WHERE ${lane.table} MATCH ? ORDER BY score DESC LIMIT ?
     ) ${lane.rows} WHERE ? IN (0, s.project_id) LIMIT ?`,
    match,
    accept !== undefined ? MAX_SCORED_ROWS : picked > 0 ? MAX_MIXED_HITS : MAX_HITS,
    picked,
    accept !== undefined ? MAX_SCORED_ROWS : MAX_HITS,
  );
  return { hits: hits.filter((hit) => accept?.(hit.session) !== false), words: terms };
}

interface ProjectRows {
  id: number;
  match: string;
  rows: number;
  isSmall: boolean;
}

export function projectOf(db: Db, lane: Lane, id: number): ProjectRows {
  const ids = idRange(db, lane);
  const rows = estimateRows(db, lane, quoted(scopeWord(id)), ids);
  const isSmall = rows <= MAX_PROJECT_ROWS && rows <= (ids.last - ids.first + 1) / 2;
  return { id, match: `scope:${quoted(scopeWord(id))}`, rows, isSmall };
}
