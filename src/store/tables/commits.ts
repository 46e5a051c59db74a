// commits: the git commits that a session made, or that carry its work.
import type { Db } from "../db/driver.ts";
import { and, anyOf, raw, sql } from "../db/sql.ts";
import type { TurnKey } from "./prompts.ts";
import { markTurnWordsStale } from "./stale-turns.ts";
import { commitTombstones, hasTombstone, hasTombstones } from "./tombstones.ts";

export interface Commit extends TurnKey {
  sha: string;
  branch?: string | undefined;
  subject: string;
  at: number;
}

/** A commit that git printed in the session, often with a short hash. It may have been linked by its full hash before. */
export function insertCommit(db: Db, { sessionDbId, promptNumber, sha, branch, subject, at }: Commit): void {
  const known = db.value<number>(sql`SELECT id FROM commits
    WHERE session_db_id = ${sessionDbId} AND sha >= ${sha} AND sha < ${`${sha}g`} LIMIT 1`);
  if (known !== undefined) {
    db.run(sql`UPDATE commits SET basis = 'output', confidence = 1, prompt_number = ${promptNumber}, branch = ${branch},
        created_at = ${at}
      WHERE id = ${known} AND basis <> 'output'`);
    return;
  }
  db.run(sql`INSERT INTO commits (session_db_id, prompt_number, sha, branch, subject, created_at)
    VALUES (${sessionDbId}, ${promptNumber}, ${sha}, ${branch}, ${subject}, ${at})`);
}

/**
 * Why a commit belongs to a session: git printed it there, a trailer names the session, it replaces such a commit, it
 * has lines or files that the session changed, the session names it, or the session opened its pull request.
 */
export const COMMIT_BASES = ["output", "trailer", "rewritten", "lines", "files", "mention", "pull-request"] as const;
export type CommitBasis = (typeof COMMIT_BASES)[number];

export interface LinkedCommit extends Commit {
  author: string;
  pullRequest: number | undefined;
  basis: CommitBasis;
  confidence: number;
}

/**
 * Returns whether the session did not have the commit yet. git prints short hashes: one of these is completed. A commit
 * that was forgotten in the session is not linked again.
 */
export function linkCommit(db: Db, commit: LinkedCommit): boolean {
  const { sessionDbId, promptNumber, sha, subject, at, author, pullRequest, basis, confidence } = commit;
  const known = db.value<number>(sql`SELECT id FROM commits
    WHERE session_db_id = ${sessionDbId} AND sha IN ${anyOf(abbreviations(sha))}`);
  if (known !== undefined) {
    db.run(sql`UPDATE commits SET author = ${author}, pull_request = ${pullRequest}
      WHERE id = ${known} AND (author IS NOT ${author} OR pull_request IS NOT ${pullRequest})`);
    return false;
  }
  const sessionId = db.value<string>(sql`SELECT session_id FROM sessions WHERE id = ${sessionDbId}`) ?? "";
  if (isForgotten(db, { session_id: sessionId, sha, subject })) return false;
  // The session may have been forgotten meanwhile.
  const { changes } = db.run(sql`INSERT INTO commits
      (session_db_id, prompt_number, sha, subject, created_at, basis, confidence, author, pull_request)
    SELECT id, ${promptNumber}, ${sha}, ${subject}, ${at}, ${basis}, ${confidence}, ${author}, ${pullRequest}
    FROM sessions WHERE id = ${sessionDbId}`);
  return changes === 1;
}

const SHORTEST_SHA = 7;

/** All forms in which a commit's hash may be stored: git prints from 7 characters on. */
export function abbreviations(sha: string): string[] {
  return Array.from({ length: Math.max(1, sha.length - SHORTEST_SHA + 1) }, (_, index) =>
    sha.slice(0, SHORTEST_SHA + index),
  );
}

export interface CommitRow {
  id: number;
  prompt_number: number;
  sha: string;
  branch: string | null;
  subject: string;
  basis: CommitBasis;
  confidence: number;
  author: string | null;
  pull_request: number | null;
  created_at: number;
}

/** The commits of a session, or of one of its turns. */
export function commitsOf(db: Db, sessionDbId: number, promptNumber?: number): CommitRow[] {
  return db.all(sql`SELECT * FROM commits WHERE session_db_id = ${sessionDbId}
    AND ${and(promptNumber !== undefined && sql`prompt_number = ${promptNumber}`)} ORDER BY created_at, id`);
}

/** Without the commits that were made outside of the session. */
export function commitsMade(db: Db, sessionDbId: number, promptNumber?: number): CommitRow[] {
  return commitsOf(db, sessionDbId, promptNumber).filter(({ basis }) => basis === "output");
}

export function commitsByIds(db: Db, ids: readonly number[]): CommitRow[] {
  return db.all(sql`SELECT * FROM commits WHERE id IN ${anyOf(ids)}`);
}

export interface CommitSubject {
  session_db_id: number;
  prompt_number: number;
  id: number;
  session_id: string;
  sha: string;
  subject: string;
}

/** Commits with what their sessions are called. */
export function commitSubjects(db: Db, ids: readonly number[]): CommitSubject[] {
  return db.all(sql`SELECT c.id, s.session_id, c.session_db_id, c.prompt_number, c.sha, c.subject
    FROM commits c JOIN sessions s ON s.id = c.session_db_id WHERE c.id IN ${anyOf(ids)}`);
}

/** Commits that were forgotten in their sessions, e.g. of a backup. */
export function forgottenCommits(db: Db, sessionDbId: number, sessionId: string): number[] {
  return commitsOf(db, sessionDbId).flatMap((commit) =>
    isForgotten(db, { ...commit, session_id: sessionId }) ? [commit.id] : [],
  );
}

function isForgotten(db: Db, commit: Pick<CommitSubject, "session_id" | "sha" | "subject">): boolean {
  return hasTombstones(db) && commitTombstones(commit).some((tombstone) => hasTombstone(db, tombstone));
}

/** Their subjects are no longer words of the turns. */
export function deleteCommits(db: Db, commits: readonly CommitSubject[]): void {
  for (const { id, session_db_id, prompt_number } of commits) {
    db.run(sql`DELETE FROM commits WHERE id = ${id}`);
    markTurnWordsStale(db, session_db_id, prompt_number);
  }
}

export interface CommitSession extends CommitRow {
  session_db_id: number;
}

/** The project's sessions behind these commits. `shas`: full hashes. CROSS JOIN keeps the order: by hash first. */
export function sessionsOfCommits(db: Db, projectId: number, shas: readonly string[]): CommitSession[] {
  return db.all(sql`SELECT c.* FROM commits c CROSS JOIN sessions s ON s.id = c.session_db_id
    WHERE s.project_id = ${projectId} AND c.sha IN ${anyOf(shas.flatMap(abbreviations))}
    ORDER BY c.confidence DESC, c.created_at, c.id`);
}

/** Deletes the commits that were linked to a turn, whose edits are being deleted. What is left of it may be linked again. */
export function unlinkTurn(db: Db, sessionDbId: number, promptNumber: number): void {
  const main = sql`(SELECT coalesce(parent_session_db_id, id) FROM sessions WHERE id = ${sessionDbId})`;
  db.run(
    sql`DELETE FROM commits WHERE session_db_id = ${main} AND prompt_number = ${promptNumber} AND basis <> 'output'`,
  );
  for (const table of ["read_commits", "repository_reads"].map(raw))
    db.run(sql`DELETE FROM ${table} WHERE project_id = (SELECT project_id FROM sessions WHERE id = ${sessionDbId})`);
}

/** The key of a project with a session behind this commit. */
export function projectOfCommit(db: Db, sha: string): string | undefined {
  return db.value(sql`SELECT p.key FROM commits c JOIN sessions s ON s.id = c.session_db_id JOIN projects p ON p.id = s.project_id
    WHERE c.sha IN ${anyOf(abbreviations(sha))} LIMIT 1`);
}
