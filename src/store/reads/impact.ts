// Counts how many injections were used, by surface. Compares sessions with injected memory to sessions without.
import type { Db } from "../db/driver.ts";
import { sql, type Sql } from "../db/sql.ts";
import { isSession } from "../tables/sessions.ts";
import { type Scope, scopeCondition } from "./scope.ts";

export interface SurfaceImpact {
  surface: string;
  injections: number;
  sessions: number;
  items: number;
  /** Injections with at least one item that was used. */
  used: number;
  /** Items that were used. */
  items_used: number;
  tokens: number;
  /** Items that a user marked as wrong. */
  marked_wrong: number;
}

/** SQL: the id under which an injected item is marked: "i12", an observation shown by its title, is marked as "o12". */
const asMarked = (item: Sql): Sql =>
  sql`CASE WHEN ${item} GLOB 'i[0-9]*' THEN 'o' || substr(${item}, 2) ELSE ${item} END`;

export function impactBySurface(db: Db, scope: Scope): SurfaceImpact[] {
  return db.all(sql`SELECT i.surface, count(*) AS injections, count(DISTINCT coalesce(s.parent_session_db_id, s.id)) AS sessions,
      sum(json_array_length(i.item_ids)) AS items,
      sum(i.cited > 0) AS used, sum(i.cited) AS items_used, sum(i.tokens) AS tokens,
      sum((SELECT count(*) FROM json_each(i.item_ids) j JOIN wrong_items w ON w.item = ${asMarked(sql`j.value`)})) AS marked_wrong
    FROM injections i JOIN sessions s ON s.id = i.session_db_id
    WHERE i.surface <> 'holdout' AND ${scopeCondition(scope)} GROUP BY i.surface ORDER BY tokens DESC`);
}

export interface GroupImpact {
  group: "with" | "without";
  sessions: number;
  /** Average per session, like the next two. */
  turns: number;
  rereads: number;
  failures: number;
}

/** Ignores sessions from before the first one without memory, because there are none to compare them with. */
export function compareHoldout(db: Db, scope: Scope): GroupImpact[] {
  return db.all(sql`WITH first AS (SELECT min(created_at) AS at FROM injections WHERE surface = 'holdout'),
    compared AS (
      SELECT s.id, s.prompt_count, max(i.surface = 'holdout') AS held
      FROM injections i JOIN sessions s ON s.id = i.session_db_id, first
      WHERE ${isSession()} AND i.created_at >= first.at AND ${scopeCondition(scope)} GROUP BY s.id)
    SELECT iif(held, 'without', 'with') AS "group", count(*) AS sessions, avg(prompt_count) AS turns,
      avg((SELECT count(*) - count(DISTINCT path) FROM file_touches f WHERE f.session_db_id = compared.id AND f.kind = 'read')) AS rereads,
      avg((SELECT count(*) FROM tool_uses t WHERE t.session_db_id = compared.id AND t.is_error = 1)) AS failures
    FROM compared GROUP BY held ORDER BY held`);
}
