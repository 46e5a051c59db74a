// Counts rows, for `status` and to report the rows that a sync added.
import type { Db } from "../db/driver.ts";
import { and, list, raw, sql } from "../db/sql.ts";
import { isSession, isSubagent } from "../tables/sessions.ts";
import { type Scope, scopeCondition } from "./scope.ts";

export interface SessionCounts {
  sessions: number;
  subagents: number;
  projects: number;
  /** The last activity of any session in scope. Null if there are no sessions. */
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
  const tables = ["prompts", "messages", "tool_uses", "file_touches", "injections"].map(
    (table) => sql`(SELECT count(*) FROM ${raw(table)}) AS ${raw(table)}`,
  );
  const rows = db.get<Omit<Counts, keyof SessionCounts>>(sql`SELECT ${list(tables)},
    (SELECT count(*) FROM jobs WHERE status = 'pending') AS jobs_pending,
    (SELECT count(*) FROM jobs WHERE status = 'failed') AS jobs_failed`);
  return { projects, sessions, subagents, ...rows } as Counts;
}

const SYNCED = ["sessions", "prompts", "messages", "tool_uses"] as const;

export type AddedRows = Record<(typeof SYNCED)[number], number>;

/** Counts the rows that a sync added. Subagents are not counted as sessions. */
export function countSince(db: Db, newest: NewestIds): AddedRows {
  const added = SYNCED.map((table) => {
    const isNew = and(sql`x.id > ${newest[table]}`, table === "sessions" && isSession("x"));
    return sql`(SELECT count(*) FROM ${raw(table)} x WHERE ${isNew}) AS ${raw(table)}`;
  });
  return db.get(sql`SELECT ${list(added)}`) as AddedRows;
}

export type NewestIds = AddedRows & Record<"observations" | "summaries", number>;

/** The highest id of each table. */
export function newestIds(db: Db): NewestIds {
  const ids = [...SYNCED, "observations", "summaries"].map(
    (table) => sql`(SELECT coalesce(max(id), 0) FROM ${raw(table)}) AS ${raw(table)}`,
  );
  return db.get(sql`SELECT ${list(ids)}`) as NewestIds;
}

export function sqliteVersion(db: Db): string {
  return db.value(sql`SELECT sqlite_version()`) as string;
}
