// What injections came to: shown, used and what they took, by surface; and sessions without memory beside those with it.
import type { Db } from "../db/driver.ts";
import { isSession } from "./what-counts.ts";
import { type Scope, scopeCondition } from "./scope.ts";

export interface SurfaceImpact {
  surface: string;
  injections: number;
  sessions: number;
  items: number;
  /** Injections with at least one item that was used, and items. */
  used: number;
  items_used: number;
  tokens: number;
}

export function impactBySurface(db: Db, scope: Scope): SurfaceImpact[] {
  const { sql, params } = scopeCondition(scope);
  return db.all(
    `SELECT i.surface, count(*) AS injections, count(DISTINCT coalesce(s.parent_session_db_id, s.id)) AS sessions,
       sum(json_array_length(i.item_ids)) AS items,
       sum(i.cited > 0) AS used, sum(i.cited) AS items_used, sum(i.tokens) AS tokens
     FROM injections i JOIN sessions s ON s.id = i.session_db_id
     WHERE i.surface <> 'holdout' AND ${sql} GROUP BY i.surface ORDER BY tokens DESC`,
    ...params,
  );
}

export interface GroupImpact {
  group: "with" | "without";
  sessions: number;
  /** Means per session. */
  turns: number;
  rereads: number;
  failures: number;
}

/** Only since the first session that was held out: before that there is nothing to compare with. */
export function compareHoldout(db: Db, scope: Scope): GroupImpact[] {
  const { sql, params } = scopeCondition(scope);
  return db.all(
    `WITH first AS (SELECT min(created_at) AS at FROM injections WHERE surface = 'holdout'),
     told AS (
       SELECT s.id, s.prompt_count, max(i.surface = 'holdout') AS held FROM injections i JOIN sessions s ON s.id = i.session_db_id, first
       WHERE ${isSession()} AND i.created_at >= first.at AND ${sql} GROUP BY s.id)
     SELECT iif(held, 'without', 'with') AS "group", count(*) AS sessions, avg(prompt_count) AS turns,
       avg((SELECT count(*) - count(DISTINCT path) FROM file_touches f WHERE f.session_db_id = told.id AND f.kind = 'read')) AS rereads,
       avg((SELECT count(*) FROM tool_uses t WHERE t.session_db_id = told.id AND t.is_error = 1)) AS failures
     FROM told GROUP BY held ORDER BY held`,
    ...params,
  );
}
