// stale_links: sessions whose links are made anew, by whoever needs them next.
import type { Db } from "../db/driver.ts";

/** How far back a session is compared with others. It bounds the work, and what was longer ago is seldom gone on with. */
export const LINK_WINDOW_MS = 30 * 86_400_000;

/** Its evidence has changed, from the given turn on or as a whole. */
export function markLinksStale(db: Db, sessionDbId: number, promptNumber?: number): void {
  db.run(
    `INSERT INTO stale_links VALUES (?1, coalesce((SELECT created_at FROM prompts WHERE session_db_id = ?1 AND prompt_number = ?2), 0))
     ON CONFLICT (session_db_id) DO UPDATE SET changed_from = min(coalesce(changed_from, excluded.changed_from), excluded.changed_from)`,
    sessionDbId,
    promptNumber ?? null,
  );
}

export function markAllLinksStale(db: Db, projectId: number | undefined): void {
  db.run(
    `INSERT OR IGNORE INTO stale_links SELECT id, NULL FROM sessions
     WHERE parent_session_db_id IS NULL AND prompt_count > 0 AND (?1 IS NULL OR project_id = ?1)`,
    projectId ?? null,
  );
}

/** A session's links go by what was there when it began: where an earlier one is another or goes, it is looked at again. */
export function markLaterSessions(db: Db, sessionDbId: number): void {
  const session = db.get<Span>(
    "SELECT project_id, started_at AS first, last_at AS last FROM sessions WHERE id = ?",
    sessionDbId,
  );
  if (session !== undefined) markBetween(db, session);
}

/** Marks those that come after the changed ones, in one statement for each project, however many have changed. */
export function spreadStaleLinks(db: Db): void {
  const spans = db.all<Span>(
    `SELECT s.project_id, min(max(s.started_at, d.changed_from)) AS first, max(s.last_at) AS last
     FROM stale_links d JOIN sessions s ON s.id = d.session_db_id WHERE d.changed_from IS NOT NULL GROUP BY s.project_id`,
  );
  for (const span of spans) markBetween(db, span);
  if (spans.length > 0) db.run("UPDATE stale_links SET changed_from = NULL WHERE changed_from IS NOT NULL");
}

interface Span {
  project_id: number;
  first: number;
  last: number;
}

function markBetween(db: Db, { project_id, first, last }: Span): void {
  db.run(
    `INSERT OR IGNORE INTO stale_links SELECT id, NULL FROM sessions
     WHERE project_id = ? AND started_at BETWEEN ? AND ? AND parent_session_db_id IS NULL AND prompt_count > 0`,
    project_id,
    first,
    last + LINK_WINDOW_MS,
  );
}

export function hasStaleLinks(db: Db): boolean {
  return db.get("SELECT 1 FROM stale_links LIMIT 1") !== undefined;
}

/** Oldest first: what a session goes on with has been looked at before it. */
export function staleLinks(db: Db, limit: number): number[] {
  const rows = db.all<{ id: number }>(
    `SELECT s.id FROM stale_links d JOIN sessions s ON s.id = d.session_db_id ORDER BY s.started_at, s.session_id LIMIT ?`,
    limit,
  );
  return rows.map(({ id }) => id);
}

/** What has changed since it was spread stays marked. */
export function clearStaleLinks(db: Db, sessionDbId: number): void {
  db.run("DELETE FROM stale_links WHERE session_db_id = ? AND changed_from IS NULL", sessionDbId);
}
