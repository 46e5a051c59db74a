// How much there is, for `status` and for telling what a sync brought.
import type { Db } from "./driver.ts";

export interface Counts {
  projects: number;
  sessions: number;
  subagents: number;
  prompts: number;
  messages: number;
  tool_uses: number;
  file_touches: number;
  injections: number;
  jobs_pending: number;
  jobs_failed: number;
}

export function counts(db: Db): Counts {
  return db.get<Counts>(
    `SELECT (SELECT count(*) FROM projects) AS projects,
       (SELECT count(*) FROM sessions WHERE parent_session_db_id IS NULL) AS sessions,
       (SELECT count(*) FROM sessions WHERE parent_session_db_id IS NOT NULL) AS subagents,
       (SELECT count(*) FROM prompts) AS prompts,
       (SELECT count(*) FROM messages) AS messages,
       (SELECT count(*) FROM tool_uses) AS tool_uses,
       (SELECT count(*) FROM file_touches) AS file_touches,
       (SELECT count(*) FROM injections) AS injections,
       (SELECT count(*) FROM jobs WHERE status = 'pending') AS jobs_pending,
       (SELECT count(*) FROM jobs WHERE status = 'failed') AS jobs_failed`,
  ) as Counts;
}

export function sqliteVersion(db: Db): string {
  return (db.get<{ version: string }>("SELECT sqlite_version() AS version") as { version: string }).version;
}
