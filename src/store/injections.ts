// injections: what was shown to an agent, where, and how much room it took.
import type { Injection } from "../core/event.ts";
import type { Db } from "./driver.ts";

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
