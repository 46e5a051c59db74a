// commits: which session made which git commit.
import type { Db } from "../db/driver.ts";

export interface CommitSeed {
  sessionDbId: number;
  promptNumber: number;
  sha: string;
  branch?: string | undefined;
  subject: string;
  at: number;
}

export function insertCommit(db: Db, seed: CommitSeed): void {
  db.run(
    `INSERT OR IGNORE INTO commits (session_db_id, prompt_number, sha, branch, subject, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
    seed.sessionDbId,
    seed.promptNumber,
    seed.sha,
    seed.branch ?? null,
    seed.subject,
    seed.at,
  );
}

export interface CommitRow {
  prompt_number: number;
  sha: string;
  subject: string;
}

export function commitsOf(db: Db, sessionDbId: number): CommitRow[] {
  return db.all(
    "SELECT prompt_number, sha, subject FROM commits WHERE session_db_id = ? ORDER BY created_at, id",
    sessionDbId,
  );
}

export function commitsInTurn(db: Db, turn: { session_db_id: number; prompt_number: number }): CommitRow[] {
  return db.all(
    "SELECT prompt_number, sha, subject FROM commits WHERE session_db_id = ? AND prompt_number = ? ORDER BY created_at, id",
    turn.session_db_id,
    turn.prompt_number,
  );
}
