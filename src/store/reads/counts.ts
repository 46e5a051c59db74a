// How much there is, for `status` and for reporting what a sync added.
import type { Db } from "../db/driver.ts";
import { raw, sql } from "../db/sql.ts";
import { isSession, isSubagent } from "../tables/sessions.ts";
import { type Scope, scopeCondition } from "./scope.ts";

export interface SessionCounts {
  sessions: number;
  subagents: number;
  projects: number;
  /** The last activity of any session in scope; null without sessions. */
  lastAt: number | null;
}

export function countSessions(db: Db, scope: Scope = {}): SessionCounts {
  return db.get(sql`SELECT count(*) FILTER (WHERE ${isSession()}) AS sessions,
      count(*) FILTER (WHERE ${isSubagent()}) AS subagents,
      count(DISTINCT s.project_id) FILTER (WHERE ${isSession()}) AS projects,
      max(s.last_at) FILTER (WHERE ${isSession()}) AS lastAt
    FROM sessions s WHERE ${scopeCondition(scope)}`) as SessionCounts;
}

export type Counts = Omit<SessionCounts, "lastAt"> &
  Record<"prompts" | "messages" | "tool_uses" | "file_touches" | "injections" | "jobs_pending" | "jobs_failed", number>;

export function counts(db: Db): Counts {
  const { projects, sessions, subagents } = countSessions(db);
  const rows = db.get<Omit<Counts, keyof SessionCounts>>(sql`SELECT
    (SELECT count(*) FROM prompts) AS prompts,
    (SELECT count(*) FROM messages) AS messages,
    (SELECT count(*) FROM tool_uses) AS tool_uses,
    (SELECT count(*) FROM file_touches) AS file_touches,
    (SELECT count(*) FROM injections) AS injections,
    (SELECT count(*) FROM jobs WHERE status = 'pending') AS jobs_pending,
    (SELECT count(*) FROM jobs WHERE status = 'failed') AS jobs_failed`);
  return { projects, sessions, subagents, ...rows } as Counts;
}

/** The newest row of each table, to tell later what was added. Counting all rows takes longer the more there are. */
export type Newest = Record<"sessions" | "prompts" | "messages" | "tool_uses", number>;

export function newestRows(db: Db): Newest {
  const newest = (table: keyof Newest) => sql`(SELECT coalesce(max(id), 0) FROM ${raw(table)}) AS ${raw(table)}`;
  return db.get(sql`SELECT ${newest("sessions")}, ${newest("prompts")}, ${newest("messages")},
    ${newest("tool_uses")}`) as Newest;
}

/** Subagents are not counted as sessions. */
export function countSince(db: Db, { sessions, prompts, messages, tool_uses }: Newest): Newest {
  return db.get(sql`SELECT (SELECT count(*) FROM sessions s WHERE id > ${sessions} AND ${isSession()}) AS sessions,
    (SELECT count(*) FROM prompts WHERE id > ${prompts}) AS prompts,
    (SELECT count(*) FROM messages WHERE id > ${messages}) AS messages,
    (SELECT count(*) FROM tool_uses WHERE id > ${tool_uses}) AS tool_uses`) as Newest;
}

export function sqliteVersion(db: Db): string {
  return db.value(sql`SELECT sqlite_version()`) as string;
}
