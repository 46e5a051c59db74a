// commits: which session made which git commit.
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";

export interface Commit {
  sessionDbId: number;
  promptNumber: number;
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
  prompt_number: number;
  sha: string;
  subject: string;
}

export function commitsOf(db: Db, sessionDbId: number): CommitRow[] {
  return db.all(sql`SELECT prompt_number, sha, subject FROM commits
    WHERE session_db_id = ${sessionDbId} ORDER BY created_at, id`);
}

export function commitsInTurn(db: Db, turn: { session_db_id: number; prompt_number: number }): CommitRow[] {
  return db.all(sql`SELECT prompt_number, sha, subject FROM commits
    WHERE session_db_id = ${turn.session_db_id} AND prompt_number = ${turn.prompt_number} ORDER BY created_at, id`);
}
