// stale_links: sessions whose links must be derived again before they are read.
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";

/** A session is compared with sessions up to this much older: older ones are seldom continued. */
export const LINK_WINDOW_MS = 30 * 86_400_000;

/** Marks a session whose evidence changed: from the given turn on, or anywhere. */
export function markLinksStale(db: Db, sessionDbId: number, promptNumber?: number): void {
  db.run(sql`INSERT INTO stale_links VALUES (${sessionDbId}, coalesce(
      (SELECT created_at FROM prompts WHERE session_db_id = ${sessionDbId} AND prompt_number = ${promptNumber}), 0))
    ON CONFLICT (session_db_id) DO UPDATE
      SET changed_from = min(coalesce(changed_from, excluded.changed_from), excluded.changed_from)`);
}

export function markAllLinksStale(db: Db, projectId: number | undefined): void {
  db.run(sql`INSERT OR IGNORE INTO stale_links SELECT id, NULL FROM sessions
    WHERE parent_session_db_id IS NULL AND prompt_count > 0 AND (${projectId} IS NULL OR project_id = ${projectId})`);
}

/** Marks the links of later sessions: they depend on this session, which changed or will be deleted. */
export function markLaterLinksStale(db: Db, sessionDbId: number): void {
  const session = db.get<Span>(sql`SELECT project_id, started_at AS first, last_at AS last
    FROM sessions WHERE id = ${sessionDbId}`);
  if (session !== undefined) markBetween(db, session);
}

/** Marks the links of all sessions that are later than a changed one, with one statement per project. */
export function markLaterThanStale(db: Db): void {
  const spans = db.all<Span>(sql`
    SELECT s.project_id, min(max(s.started_at, d.changed_from)) AS first, max(s.last_at) AS last
    FROM stale_links d JOIN sessions s ON s.id = d.session_db_id WHERE d.changed_from IS NOT NULL GROUP BY s.project_id`);
  for (const span of spans) markBetween(db, span);
  if (spans.length > 0) db.run(sql`UPDATE stale_links SET changed_from = NULL WHERE changed_from IS NOT NULL`);
}

interface Span {
  project_id: number;
  first: number;
  last: number;
}

function markBetween(db: Db, { project_id, first, last }: Span): void {
  db.run(sql`INSERT OR IGNORE INTO stale_links SELECT id, NULL FROM sessions WHERE project_id = ${project_id}
    AND started_at BETWEEN ${first} AND ${last + LINK_WINDOW_MS} AND parent_session_db_id IS NULL AND prompt_count > 0`);
}

export function hasStaleLinks(db: Db): boolean {
  return db.has(sql`SELECT 1 FROM stale_links LIMIT 1`);
}

/** Oldest first, so that a session is linked after those it may continue. */
export function staleLinks(db: Db, limit: number): number[] {
  return db.column(sql`SELECT s.id FROM stale_links d JOIN sessions s ON s.id = d.session_db_id
    ORDER BY s.started_at, s.session_id LIMIT ${limit}`);
}

/** Keeps the mark if the session changed again after markLaterThanStale. */
export function clearStaleLinks(db: Db, sessionDbId: number): void {
  db.run(sql`DELETE FROM stale_links WHERE session_db_id = ${sessionDbId} AND changed_from IS NULL`);
}
