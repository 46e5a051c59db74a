// repository_reads and read_commits: how far the repository of each project was compared with its sessions.
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";

export interface RepositoryRead {
  refs_hash: string;
  last_touch_id: number;
  read_at: number;
}

export function repositoryRead(db: Db, projectId: number): RepositoryRead | undefined {
  return db.get(sql`SELECT refs_hash, last_touch_id, read_at FROM repository_reads WHERE project_id = ${projectId}`);
}

export function saveRepositoryRead(db: Db, projectId: number, read: RepositoryRead): void {
  db.run(sql`INSERT OR REPLACE INTO repository_reads (project_id, refs_hash, last_touch_id, read_at)
    VALUES (${projectId}, ${read.refs_hash}, ${read.last_touch_id}, ${read.read_at})`);
}

export function markCommitRead(db: Db, projectId: number, commit: { sha: string; committedAt: number }): void {
  db.run(sql`INSERT OR IGNORE INTO read_commits (project_id, sha, committed_at)
    VALUES (${projectId}, ${commit.sha}, ${commit.committedAt})`);
}

export function readCommitShas(db: Db, projectId: number): Set<string> {
  return new Set(db.column<string>(sql`SELECT sha FROM read_commits WHERE project_id = ${projectId}`));
}

/** Forgets that these commits were read: sessions that arrived later may explain them. */
export function readAgainFrom(db: Db, projectId: number, from: number): void {
  db.run(sql`DELETE FROM read_commits WHERE project_id = ${projectId} AND committed_at >= ${from}`);
}

/**
 * The newest row of all projects, and the time of the project's first file change after `lastTouchId`. CROSS JOIN keeps
 * the order: only the new rows are read.
 */
export function newTouches(db: Db, projectId: number, lastTouchId: number): { last: number; from: number | undefined } {
  const row = db.get<{
    last: number | null;
    from: number | null;
  }>(sql`SELECT (SELECT max(id) FROM file_touches) AS last, min(f.created_at) AS "from"
    FROM file_touches f CROSS JOIN sessions s ON s.id = f.session_db_id
    WHERE f.id > ${lastTouchId} AND f.kind <> 'read' AND s.project_id = ${projectId}`);
  return { last: row?.last ?? lastTouchId, from: row?.from ?? undefined };
}

/** When the project's first recorded session began. */
export function firstSessionAt(db: Db, projectId: number): number | undefined {
  return db.value(sql`SELECT min(started_at) FROM sessions WHERE project_id = ${projectId}`);
}

/** The projects with a session since a time whose repository was last read before another time. */
export function projectsToRead(
  db: Db,
  { activeSince, readBefore }: { activeSince: number; readBefore: number },
): { id: number; root: string }[] {
  return db.all(sql`SELECT p.id, p.root FROM projects p LEFT JOIN repository_reads r ON r.project_id = p.id
    WHERE coalesce(r.read_at, 0) < ${readBefore}
      AND EXISTS (SELECT 1 FROM sessions s WHERE s.project_id = p.id AND s.last_at >= ${activeSince})
    ORDER BY p.id`);
}

/** Those of these commits that were not compared with the project's sessions. */
export function unreadCommits(db: Db, projectId: number, shas: readonly string[]): string[] {
  return db.column(sql`SELECT value FROM json_each(${shas})
    WHERE value NOT IN (SELECT sha FROM read_commits WHERE project_id = ${projectId})`);
}
