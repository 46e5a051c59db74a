// injections: the items that were injected, the surface, the number of tokens, and how many items were used (`cited`).
import type { Injection, Surface } from "../../core/event.ts";
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";
import { family } from "./sessions.ts";

/** Hooks that are registered twice inject the same items twice. Within this time they count as one injection. */
const SAME_EVENT_MS = 5_000;

export function insertInjection(db: Db, sessionDbId: number, injection: Injection, at: number): void {
  const { surface, itemIds, chars, tokens } = injection;
  db.run(sql`INSERT INTO injections (session_db_id, surface, item_ids, chars, tokens, created_at)
    SELECT ${sessionDbId}, ${surface}, ${itemIds}, ${chars}, ${tokens}, ${at} WHERE NOT EXISTS
      (SELECT 1 FROM injections WHERE session_db_id = ${sessionDbId} AND surface = ${surface} AND item_ids = ${itemIds}
         AND abs(created_at - ${at}) < ${SAME_EVENT_MS})`);
}

/** Used items are counted when memory of the turn is derived, so newer injections may not be counted yet. */
const COUNTED_AFTER_MS = 60 * 60 * 1000;

/** Counts the latest injections of a surface, and those with at least one used item. */
export function countUsedInjections(
  db: Db,
  surface: Surface,
  now: number,
  limit: number,
): { shown: number; used: number } {
  return db.get(sql`SELECT count(*) AS shown, coalesce(sum(cited > 0), 0) AS used FROM
      (SELECT cited FROM injections WHERE surface = ${surface} AND created_at < ${now - COUNTED_AFTER_MS}
       ORDER BY created_at DESC LIMIT ${limit})`) as { shown: number; used: number };
}

export interface InjectionRow {
  id: number;
  surface: Surface;
  /** JSON array. */
  item_ids: string;
  /** The number of items that were used. */
  cited: number;
  created_at: number;
}

/** The injections of a session and its subagents, oldest first. */
export function injectionsOf(db: Db, sessionDbId: number): InjectionRow[] {
  return db.all(sql`SELECT id, surface, item_ids, cited, created_at FROM injections
    WHERE session_db_id IN (${family(sessionDbId)}) AND surface <> 'holdout' ORDER BY created_at, id`);
}

export function setUsedItems(db: Db, id: number, count: number): void {
  db.run(sql`UPDATE injections SET cited = ${count} WHERE id = ${id} AND cited <> ${count}`);
}

/** Whether a session used the observation after it, or its title, was injected. Injections are counted as a whole. */
export function wasUsed(db: Db, id: number): boolean {
  return db.has(sql`SELECT 1 FROM injections
    WHERE cited > 0 AND (item_ids LIKE ${`%"o${id}"%`} OR item_ids LIKE ${`%"i${id}"%`})`);
}
