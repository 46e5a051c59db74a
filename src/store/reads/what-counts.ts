// What counts as a session and as a project, once for every list and number.
//
//   session   a conversation with at least one prompt; one that was only opened is stored and not counted
//   subagent  a session that another session started; counted apart, shown inside its conversation
//   project   a code base with at least one session
import type { Db } from "../db/driver.ts";
import { type Scope, scopeCondition } from "./scope.ts";

/** SQL: whether a row of `sessions` counts as a session. */
export function isSession(session = "s"): string {
  return `(${session}.parent_session_db_id IS NULL AND ${session}.prompt_count > 0)`;
}

/** SQL: whether a row of `sessions` is a subagent's. */
export function isSubagent(session = "s"): string {
  return `(${session}.parent_session_db_id IS NOT NULL)`;
}

export interface SessionCounts {
  sessions: number;
  subagents: number;
  projects: number;
  /** Of any session in scope; null where there is none. */
  lastAt: number | null;
}

export function countSessions(db: Db, scope: Scope = {}): SessionCounts {
  const { sql, params } = scopeCondition(scope);
  return db.get<SessionCounts>(
    `SELECT count(*) FILTER (WHERE ${isSession()}) AS sessions, count(*) FILTER (WHERE ${isSubagent()}) AS subagents,
       count(DISTINCT s.project_id) FILTER (WHERE ${isSession()}) AS projects,
       max(s.last_at) FILTER (WHERE ${isSession()}) AS lastAt
     FROM sessions s WHERE ${sql}`,
    ...params,
  ) as SessionCounts;
}
