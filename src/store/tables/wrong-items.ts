// wrong_items: injected items that a user marked as wrong or useless. No surface injects them again.
import type { Db } from "../db/driver.ts";
import { raw, sql, type Sql } from "../db/sql.ts";

export interface WrongItem {
  /** "o12", "p3", "m4", "t56" or "session:7" */
  item: string;
  /** Undefined for an observation of all projects. */
  projectId: number | undefined;
  /** Of an observation. */
  contentHash?: string | undefined;
}

/** False if it was marked before. */
export function insertWrongItem(db: Db, { item, projectId, contentHash }: WrongItem, at: number): boolean {
  const { changes } = db.run(sql`INSERT OR IGNORE INTO wrong_items (project_id, item, content_hash, created_at)
    VALUES (${projectId}, ${item}, ${contentHash}, ${at})`);
  return changes === 1;
}

/** Also unmarks an observation whose content was marked under another id. False if it was not marked. */
export function deleteWrongItem(db: Db, { item, projectId, contentHash }: WrongItem): boolean {
  const { changes } = db.run(sql`DELETE FROM wrong_items WHERE item = ${item}
    OR (content_hash = ${contentHash} AND project_id IS ${projectId})`);
  return changes > 0;
}

/** The ids of all marked items. Few, so that hooks can read all of them. An observation also counts by its content:
 * use `isNotWrong`. */
export function wrongItems(db: Db): ReadonlySet<string> {
  return new Set(db.column<string>(sql`SELECT item FROM wrong_items`));
}

/** SQL: whether an observation, from the table or alias `name`, is not marked as wrong. */
export function isNotWrong(name = "observations"): Sql {
  const o = raw(name);
  return sql`NOT EXISTS (SELECT 1 FROM wrong_items w
    WHERE w.item = 'o' || ${o}.id OR (w.content_hash = ${o}.content_hash AND w.project_id IS ${o}.project_id))`;
}

export function isWrongObservation(db: Db, id: number): boolean {
  return db.value(sql`SELECT 1 FROM observations WHERE id = ${id} AND NOT ${isNotWrong()}`) !== undefined;
}
