// Searches a full-text index for the words that fit the query budget, and ranks the hits. If all words are too common,
// finds the newest rows that have them.
import { type PreparedQuery, quoted } from "../../core/query.ts";
import type { Db } from "../db/driver.ts";
import { raw, sql } from "../db/sql.ts";
import { type FtsHits, type FtsIndex, type Hit, matching, OWN_COLUMNS, projectRows, TURNS } from "./fts-index.ts";
import { newestHits } from "./newest-rows.ts";
import { chooseTerms, MAX_SCORED_ROWS } from "./query-budget.ts";

export interface FtsScope {
  project?: number | undefined;
  /** Only sessions for which this returns true. */
  accept?: ((session: number) => boolean) | undefined;
  /** Only rows from `since` on, and before `before`. */
  since?: number | undefined;
  before?: number | undefined;
  /** Every hit must contain all of these phrases. */
  phrases?: string[][] | undefined;
  /** Searches only prompts, or only the agent's answers. */
  column?: "prompt" | "answer" | undefined;
}

const MAX_HITS = 500;
/** The limit before hits are filtered by project. */
const MAX_UNFILTERED_HITS = 2_000;

export function searchIndex(db: Db, index: FtsIndex, query: PreparedQuery, scope: FtsScope): FtsHits {
  const column = scope.column === undefined || index !== TURNS ? "" : `${scope.column} : `;
  // A required phrase must be in the turn itself. Text of neighbour turns is only used for ranking.
  const ownColumn = column === "" && index === TURNS ? OWN_COLUMNS : column;
  const project = scope.project === undefined ? undefined : projectRows(db, index, scope.project);
  const projectMatch = project?.isSmall === true ? project.match : undefined;
  const { terms, pairs, tooCommon } = chooseTerms(db, index, query, projectMatch);
  const { phrases = [], accept } = scope;
  // Finding a phrase that has only common words takes as long as finding the words.
  const isPhraseCommon = phrases.some((phrase) => !phrase.some((word) => terms.includes(word.toLowerCase())));
  if (tooCommon.length > 0 && (terms.length === 0 || isPhraseCommon)) {
    const words = [...terms, ...tooCommon];
    return newestHits(db, index, { ...scope, words, pairs: query.pairs, phrases, column: ownColumn, project });
  }
  if (terms.length === 0) return { hits: [], words: [] };
  const any = [...terms.map((term) => quoted(term)), ...pairs.map((pair) => quoted(...pair))].join(" OR ");
  const match = [
    ...(projectMatch === undefined ? [] : [projectMatch]),
    ...phrases.map((phrase) => ownColumn + quoted(...phrase)),
    `${column}(${any})`,
  ].join(" AND ");
  const onlyProject = projectMatch === undefined ? (project?.id ?? 0) : 0;
  const maxScored = onlyProject > 0 ? MAX_UNFILTERED_HITS : MAX_HITS;
  const hits = db.all<Hit>(sql`WITH hits AS MATERIALIZED (
      SELECT rowid AS id, -bm25(${raw(index.table)}, ${raw(index.weights)}) AS score ${matching(index.table, match)}
      ORDER BY score DESC LIMIT ${accept === undefined ? maxScored : MAX_SCORED_ROWS}
    ) ${index.rows} WHERE ${onlyProject} IN (0, s.project_id) LIMIT ${accept === undefined ? MAX_HITS : MAX_SCORED_ROWS}`);
  return { hits: hits.filter((hit) => accept?.(hit.session) !== false), words: terms };
}
