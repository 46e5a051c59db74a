// Observations by single words: which have it, and how many there are to compare with.
import { quoted } from "../../core/query.ts";
import { scopeWord } from "../../core/words.ts";
import type { Db } from "../db/driver.ts";
import type { ObservationRow } from "../tables/observations.ts";

/** At most `limit` ids: a word that more have is too common to be worth more. */
export function rowsWithWord(db: Db, word: string, projectId: number, limit: number): number[] {
  const match = `scope : ${quoted(scopeWord(projectId))} AND {title body files} : ${quoted(word)}`;
  return db
    .all<{ id: number }>(
      "SELECT rowid AS id FROM observations_fts WHERE observations_fts MATCH ? LIMIT ?",
      match,
      limit,
    )
    .map(({ id }) => id);
}

/** Up to `most`: beyond that a share of them is a share of enough. */
export function countStanding(db: Db, projectId: number, most: number): number {
  return (
    db.get<{ n: number }>(
      "SELECT count(*) AS n FROM (SELECT 1 FROM observations WHERE project_id = ? LIMIT ?)",
      projectId,
      most,
    )?.n ?? 0
  );
}

/** How many turns of the project say the word, up to `limit`. */
export function turnsWithWord(db: Db, word: string, projectId: number, limit: number): number {
  const match = `scope : ${quoted(scopeWord(projectId))} AND {prompt answer} : ${quoted(word)}`;
  const sql = "SELECT count(*) AS n FROM (SELECT 1 FROM turns_fts WHERE turns_fts MATCH ? LIMIT ?)";
  return db.get<{ n: number }>(sql, match, limit)?.n ?? 0;
}

/** Turns of the project, up to `most`. */
export function countTurns(db: Db, projectId: number, most: number): number {
  const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM sessions s JOIN prompts p ON p.session_db_id = s.id WHERE s.project_id = ? LIMIT ?)`;
  return db.get<{ n: number }>(sql, projectId, most)?.n ?? 0;
}

/** Those that stand. */
export function observationsByIds(db: Db, ids: readonly number[]): ObservationRow[] {
  return db.all(
    "SELECT * FROM observations WHERE id IN (SELECT value FROM json_each(?)) AND is_current = 1 AND superseded_by IS NULL",
    JSON.stringify(ids),
  );
}

/** What stands about a subject, e.g. an error. The plus keeps SQLite from walking the project by time instead. */
export function observationOfSubject(db: Db, projectId: number, subject: string): ObservationRow | undefined {
  return db.get(
    `SELECT * FROM observations WHERE project_id = ? AND subject = ? AND is_current = 1 AND superseded_by IS NULL
     ORDER BY +valid_from DESC LIMIT 1`,
    projectId,
    subject,
  );
}
