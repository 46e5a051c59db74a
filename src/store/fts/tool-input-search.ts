// Tool uses whose input has all of some words, as beginnings of words, within a budget of rows: for questions about commands.
import { quoted } from "../../core/query.ts";
import type { Db } from "../db/driver.ts";
import { countRows, WORK } from "./fts-index.ts";
import { rarestFirst } from "./query-budget.ts";
import { type LaneScope, projectOf } from "./fts-search.ts";
import { newestHits } from "./newest-rows.ts";
import { longerWords } from "./vocabulary.ts";

const COLUMN = "input : ";
/** Each is looked up in its table, ten microseconds in a large store. */
const MAX_ROWS = 7_000;

/** By their ids, in no order. Where every word is too common, those of the newest days that have as many of them as possible, and since when. */
export function inputHits(
  db: Db,
  words: readonly string[],
  scope: LaneScope,
): { ids: number[]; since?: number | undefined } {
  const groups = words.map((word) => beginningWith(db, word));
  const project = scope.project === undefined ? undefined : projectOf(db, WORK, scope.project);
  if (groups.every((group) => group === undefined)) {
    const { accept, since, before } = scope;
    const query = {
      words: rarestFirst(db, words),
      pairs: [],
      phrases: [],
      column: COLUMN,
      project,
      accept,
      since,
      before,
    };
    const { hits, since: first } = newestHits(db, WORK, query);
    return { ids: hits.flatMap(({ toolUse }) => toolUse ?? []), since: first };
  }
  const asked = groups.map(
    (group, index) => `${COLUMN}(${(group ?? words.slice(index, index + 1)).map((one) => quoted(one)).join(" OR ")})`,
  );
  const hits = db.all<{ session: number; toolUse: number }>(
    `WITH hits AS MATERIALIZED (SELECT rowid AS id, 0 AS score FROM ${WORK.table} WHERE ${WORK.table} MATCH ? LIMIT ?) ${WORK.rows}`,
    [...(project === undefined ? [] : [project.match]), ...asked].join(" AND "),
    MAX_ROWS,
  );
  return { ids: hits.filter(({ session }) => scope.accept?.(session) !== false).map(({ toolUse }) => toolUse) };
}

/** The word, and those that begin like it as far as all of their rows fit; undefined where its own do not. */
function beginningWith(db: Db, word: string): string[] | undefined {
  let left = MAX_ROWS;
  const fits = (one: string): boolean => {
    const rows = countRows(db, WORK, COLUMN + quoted(one), left + 1);
    if (rows > left) return false;
    left -= rows;
    return true;
  };
  if (!fits(word)) return undefined;
  return [word, ...longerWords(db, word.toLowerCase()).filter((one) => one !== word && fits(one))];
}
