// injections: what was shown to an agent, where, and how many tokens it took.
import type { Injection, Surface } from "../../core/event.ts";
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";
import { family } from "./sessions.ts";

/** Hooks registered twice both answer one event: the same items within this time are one injection. */
const SAME_EVENT_MS = 5_000;

export function insertInjection(db: Db, sessionDbId: number, injection: Injection, at: number): void {
  const { surface, itemIds, chars, tokens } = injection;
  db.run(sql`INSERT INTO injections (session_db_id, surface, item_ids, chars, tokens, created_at)
    SELECT ${sessionDbId}, ${surface}, ${itemIds}, ${chars}, ${tokens}, ${at} WHERE NOT EXISTS
      (SELECT 1 FROM injections WHERE session_db_id = ${sessionDbId} AND surface = ${surface} AND item_ids = ${itemIds}
         AND abs(created_at - ${at}) < ${SAME_EVENT_MS})`);
}

/** Use is counted when a turn's memory is derived: newer injections have no count yet. */
const SETTLED_MS = 60 * 60 * 1000;

/** How many of the latest injections of a surface had an item that was used. */
export function countUsedInjections(
  db: Db,
  surface: Surface,
  now: number,
  limit: number,
): { shown: number; used: number } {
  return db.get(sql`SELECT count(*) AS shown, coalesce(sum(cited > 0), 0) AS used FROM
      (SELECT cited FROM injections WHERE surface = ${surface} AND created_at < ${now - SETTLED_MS}
       ORDER BY created_at DESC LIMIT ${limit})`) as { shown: number; used: number };
}

export interface InjectionRow {
  id: number;
  surface: Surface;
  /** JSON. */
  item_ids: string;
  cited: number;
  created_at: number;
}

/** A session's injections and those of its subagents, oldest first. */
export function injectionsOf(db: Db, sessionDbId: number): InjectionRow[] {
  return db.all(sql`SELECT id, surface, item_ids, cited, created_at FROM injections
    WHERE session_db_id IN (${family(sessionDbId)}) AND surface <> 'holdout' ORDER BY created_at, id`);
}

export function setUsedItems(db: Db, id: number, cited: number): void {
  db.run(sql`UPDATE injections SET cited = ${cited} WHERE id = ${id} AND cited <> ${cited}`);
}
