// Finds or counts observations and turns with a word, and counts all of them for comparison.
import { quoted } from "../../core/query.ts";
import { scopeWord } from "../../core/words.ts";
import type { Db } from "../db/driver.ts";
import { anyOf, sql } from "../db/sql.ts";
import type { ObservationRow } from "../tables/observations.ts";
import { isNotWrong } from "../tables/wrong-items.ts";
import { matching } from "./fts-index.ts";

const inProject = (projectId: number): string => `scope : ${quoted(scopeWord(projectId))}`;

/** The ids of observations with the word. The caller ignores words that reach `limit`: they are too common. */
export function observationsWithWord(db: Db, word: string, projectId: number, limit: number): number[] {
  const match = `${inProject(projectId)} AND {title body files} : ${quoted(word)}`;
  return db.column(sql`SELECT rowid ${matching("observations_fts", match)} LIMIT ${limit}`);
}

/** How many observations the project has, up to `limit`. */
export function countObservations(db: Db, projectId: number, limit: number): number {
  return db.value(sql`SELECT count(*)
    FROM (SELECT 1 FROM observations WHERE project_id = ${projectId} LIMIT ${limit})`) as number;
}

/** The ids of the prompts of turns with the word. The caller ignores words that reach `limit`: they are too common. */
export function turnIdsWithWord(db: Db, word: string, projectId: number, limit: number): number[] {
  const match = `${inProject(projectId)} AND {prompt answer} : ${quoted(word)}`;
  return db.column(sql`SELECT rowid ${matching("turns_fts", match)} LIMIT ${limit}`);
}

/** How many turns the project has, up to `limit`. */
export function countTurns(db: Db, projectId: number, limit: number): number {
  return db.value(sql`SELECT count(*) FROM (SELECT 1 FROM sessions s JOIN prompts p ON p.session_db_id = s.id
    WHERE s.project_id = ${projectId} LIMIT ${limit})`) as number;
}

/** The observations among these ids that are current and not superseded or marked as wrong, in the order of `ids`. */
export function observationsByIds(db: Db, ids: readonly number[]): ObservationRow[] {
  const rows = db.all<ObservationRow>(sql`SELECT * FROM observations
    WHERE id IN ${anyOf(ids)} AND is_current = 1 AND superseded_by IS NULL AND ${isNotWrong()}`);
  return rows.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}
