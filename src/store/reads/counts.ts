// How much there is, for `status` and for telling what a sync brought.
import type { Db } from "../db/driver.ts";
import { countSessions, isSession } from "./what-counts.ts";

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
  const { projects, sessions, subagents } = countSessions(db);
  const rows = db.get<Omit<Counts, "projects" | "sessions" | "subagents">>(
    `SELECT (SELECT count(*) FROM prompts) AS prompts,
       (SELECT count(*) FROM messages) AS messages,
       (SELECT count(*) FROM tool_uses) AS tool_uses,
       (SELECT count(*) FROM file_touches) AS file_touches,
       (SELECT count(*) FROM injections) AS injections,
       (SELECT count(*) FROM jobs WHERE status = 'pending') AS jobs_pending,
       (SELECT count(*) FROM jobs WHERE status = 'failed') AS jobs_failed`,
  );
  return { projects, sessions, subagents, ...rows } as Counts;
}

/** The newest row of each table, to tell later what has come since. Counting all rows would take as long as there are many. */
export interface Newest {
  sessions: number;
  prompts: number;
  messages: number;
  tool_uses: number;
}

export function newestRows(db: Db): Newest {
  return db.get<Newest>(
    `SELECT (SELECT coalesce(max(id), 0) FROM sessions) AS sessions,
       (SELECT coalesce(max(id), 0) FROM prompts) AS prompts,
       (SELECT coalesce(max(id), 0) FROM messages) AS messages,
       (SELECT coalesce(max(id), 0) FROM tool_uses) AS tool_uses`,
  ) as Newest;
}

/** Subagents are not counted as sessions. */
export function countSince(db: Db, before: Newest): Newest {
  return db.get<Newest>(
    `SELECT (SELECT count(*) FROM sessions s WHERE id > ? AND ${isSession()}) AS sessions,
       (SELECT count(*) FROM prompts WHERE id > ?) AS prompts,
       (SELECT count(*) FROM messages WHERE id > ?) AS messages,
       (SELECT count(*) FROM tool_uses WHERE id > ?) AS tool_uses`,
    before.sessions,
    before.prompts,
    before.messages,
    before.tool_uses,
  ) as Newest;
}

export function sqliteVersion(db: Db): string {
  return (db.get<{ version: string }>("SELECT sqlite_version() AS version") as { version: string }).version;
}
