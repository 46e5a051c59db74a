// commits: the git commits that a session made.
import type { Db } from "../db/driver.ts";
import { and, anyOf, sql } from "../db/sql.ts";
import type { TurnKey } from "./prompts.ts";

export interface Commit extends TurnKey {
  sha: string;
  branch?: string | undefined;
  subject: string;
  at: number;
}

export function insertCommit(db: Db, { sessionDbId, promptNumber, sha, branch, subject, at }: Commit): void {
  db.run(sql`INSERT OR IGNORE INTO commits (session_db_id, prompt_number, sha, branch, subject, created_at)
    VALUES (${sessionDbId}, ${promptNumber}, ${sha}, ${branch}, ${subject}, ${at})`);
}

export interface CommitRow {
  id: number;
  prompt_number: number;
  sha: string;
  branch: string | null;
  subject: string;
  created_at: number;
}

/** The commits of a session, or of one of its turns. */
export function commitsOf(db: Db, sessionDbId: number, promptNumber?: number): CommitRow[] {
  return db.all(sql`SELECT * FROM commits WHERE session_db_id = ${sessionDbId}
    AND ${and(promptNumber !== undefined && sql`prompt_number = ${promptNumber}`)} ORDER BY created_at, id`);
}

export function commitsByIds(db: Db, ids: readonly number[]): CommitRow[] {
  return db.all(sql`SELECT * FROM commits WHERE id IN ${anyOf(ids)}`);
}
