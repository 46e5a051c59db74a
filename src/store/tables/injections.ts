// injections: what was shown to an agent, where, and how much room it took.
import type { Injection, Surface } from "../../core/event.ts";
import type { Db } from "../db/driver.ts";

/** Hooks registered twice both answer one event; what they say within this time is one injection. */
const SAME_EVENT_MS = 5_000;

export function insertInjection(db: Db, sessionDbId: number, injection: Injection, at: number): void {
  db.run(
    `INSERT INTO injections (session_db_id, surface, item_ids, chars, tokens, created_at)
     SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS
       (SELECT 1 FROM injections WHERE session_db_id = ?1 AND surface = ?2 AND item_ids = ?3 AND abs(created_at - ?6) < ?7)`,
    sessionDbId,
    injection.surface,
    JSON.stringify(injection.itemIds),
    injection.chars,
    injection.tokens,
    at,
    SAME_EVENT_MS,
  );
}

/** Use is counted when a turn's memory is derived; what was shown a moment ago cannot have been used yet. */
const SETTLED_MS = 60 * 60 * 1000;

/** Of the latest injections of a surface, how many had something in them that was used. */
export function recentUse(db: Db, surface: Surface, now: number, limit: number): { shown: number; used: number } {
  return db.get(
    `SELECT count(*) AS shown, coalesce(sum(cited > 0), 0) AS used FROM
       (SELECT cited FROM injections WHERE surface = ? AND created_at < ? ORDER BY created_at DESC LIMIT ?)`,
    surface,
    now - SETTLED_MS,
    limit,
  ) as { shown: number; used: number };
}

export interface InjectionRow {
  id: number;
  surface: Surface;
  /** JSON. */
  item_ids: string;
  cited: number;
  created_at: number;
}

/** Of a conversation and its subagents, in the order they were shown. */
export function injectionsOf(db: Db, sessionDbId: number): InjectionRow[] {
  return db.all(
    `SELECT i.id, i.surface, i.item_ids, i.cited, i.created_at FROM injections i
     WHERE i.session_db_id IN (SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1) AND i.surface <> 'holdout'
     ORDER BY i.created_at, i.id`,
    sessionDbId,
  );
}

export function setCited(db: Db, id: number, cited: number): void {
  db.run("UPDATE injections SET cited = ?1 WHERE id = ?2 AND cited <> ?1", cited, id);
}
