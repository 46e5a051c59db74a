// Searches one of the full-text indexes: by the words within the query budget, ranked. If all words are too common:
// the newest rows that have them.
import { type PreparedQuery, quoted } from "../../core/query.ts";
import type { Db } from "../db/driver.ts";
import { raw, sql } from "../db/sql.ts";
import { type FtsHits, type FtsIndex, type Hit, matching, OWN_COLUMNS, projectRows, TURNS } from "./fts-index.ts";
import { newestHits } from "./newest-rows.ts";
import { fitToBudget, MAX_SCORED_ROWS } from "./query-budget.ts";

export interface FtsScope {
  project?: number | undefined;
  /** Leaves out sessions the caller does not want. */
  accept?: ((session: number) => boolean) | undefined;
  /** Only rows from `since` on, and before `before`. */
  since?: number | undefined;
  before?: number | undefined;
  /** Every row must have all of these. */
  phrases?: string[][] | undefined;
  /** Searches only what the user asked, or only what the agent answered. */
  column?: "prompt" | "answer" | undefined;
}

const MAX_HITS = 500;
/** When they are filtered by project afterwards. */
const MAX_MIXED_HITS = 2_000;

export function searchIndex(db: Db, index: FtsIndex, query: PreparedQuery, scope: FtsScope): FtsHits {
  const column = scope.column === undefined || index !== TURNS ? "" : `${scope.column} : `;
  // Neighbour turns help to rank a turn; a required phrase has to be in the turn itself.
  const ownColumn = column === "" && index === TURNS ? OWN_COLUMNS : column;
  const project = scope.project === undefined ? undefined : projectRows(db, index, scope.project);
  const projectMatch = project?.isSmall === true ? project.match : undefined;
  const { terms, pairs, tooCommon } = fitToBudget(db, index, query, projectMatch);
  const { phrases = [], accept } = scope;
  // A phrase of common words only takes as long to find as they do.
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
  const maxScored = onlyProject > 0 ? MAX_MIXED_HITS : MAX_HITS;
  const hits = db.all<Hit>(sql`WITH hits AS MATERIALIZED (
      SELECT rowid AS id, -bm25(${raw(index.table)}, ${raw(index.weights)}) AS score ${matching(index.table, match)}
      ORDER BY score DESC LIMIT ${accept === undefined ? maxScored : MAX_SCORED_ROWS}
    ) ${index.rows} WHERE ${onlyProject} IN (0, s.project_id) LIMIT ${accept === undefined ? MAX_HITS : MAX_SCORED_ROWS}`);
  return { hits: hits.filter((hit) => accept?.(hit.session) !== false), words: terms };
}
