// Statistics about the sessions of a scope.
import type { Db } from "../db/driver.ts";
import { raw, sql, type Sql } from "../db/sql.ts";
import { type Scope, scopeCondition } from "./scope.ts";
import { isSession, isSubagent } from "../tables/sessions.ts";

type Counted = "sessions" | "subagents" | "prompts" | "messages" | "tool_uses" | "failed_tool_uses" | "commits";
type Changed = "files_changed" | "lines_added" | "lines_removed";
type Tokens = "input_tokens" | "output_tokens" | "cache_read_tokens" | "cache_write_tokens";

export type Totals = Record<Counted | Changed, number> & Record<Tokens | "first_at" | "last_at", number | null>;

export function totals(db: Db, scope: Scope): Totals {
  // The + prevents SQLite from using the index by path, which is ten times slower: it reads the table in random order.
  return db.get(sql`WITH chosen AS (SELECT s.* FROM sessions s WHERE ${scopeCondition(scope)})
    SELECT * FROM
      (SELECT count(*) FILTER (WHERE ${isSession("c")}) AS sessions,
         count(*) FILTER (WHERE ${isSubagent("c")}) AS subagents,
         min(started_at) FILTER (WHERE ${isSession("c")}) AS first_at,
         max(last_at) FILTER (WHERE ${isSession("c")}) AS last_at FROM chosen c),
      (SELECT count(*) AS prompts FROM prompts WHERE session_db_id IN (SELECT id FROM chosen)),
      (SELECT count(*) AS messages, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
         sum(cache_read_tokens) AS cache_read_tokens, sum(cache_write_tokens) AS cache_write_tokens
       FROM messages WHERE session_db_id IN (SELECT id FROM chosen)),
      (SELECT count(*) AS tool_uses, coalesce(sum(is_error), 0) AS failed_tool_uses
       FROM tool_uses WHERE session_db_id IN (SELECT id FROM chosen)),
      (SELECT count(DISTINCT c.project_id || ':' || f.path) AS files_changed, coalesce(sum(f.added), 0) AS lines_added,
         coalesce(sum(f.removed), 0) AS lines_removed
       FROM file_touches f JOIN chosen c ON c.id = f.session_db_id WHERE +f.kind <> 'read'),
      (SELECT count(DISTINCT sha) AS commits FROM commits WHERE session_db_id IN (SELECT id FROM chosen))`) as Totals;
}

export interface GroupTotals {
  name: string;
  /** Unique, unlike `name`: two projects may have the same name. */
  key: string;
  sessions: number;
  prompts: number;
  tool_uses: number;
}

/** In the local time zone. */
const MONTH = "strftime('%Y-%m', s.started_at / 1000, 'unixepoch', 'localtime')";
const GROUP_BY = {
  agent: { name: "s.agent", key: "s.agent" },
  project: { name: "p.name", key: "p.key" },
  month: { name: MONTH, key: MONTH },
} as const;

/** Counts by agent, project or month. Tool uses of subagents are included; subagents are not counted as sessions. */
export function totalsBy(db: Db, scope: Scope, by: keyof typeof GROUP_BY): GroupTotals[] {
  const [name, key] = [raw(GROUP_BY[by].name), raw(GROUP_BY[by].key)];
  return db.all(sql`SELECT ${name} AS name, ${key} AS key, count(*) FILTER (WHERE ${isSession()}) AS sessions,
      sum((SELECT count(*) FROM prompts q WHERE q.session_db_id = s.id)) AS prompts,
      sum((SELECT count(*) FROM tool_uses t WHERE t.session_db_id = s.id)) AS tool_uses
    FROM sessions s JOIN projects p ON p.id = s.project_id WHERE ${scopeCondition(scope)} GROUP BY ${key}
    ${by === "month" ? sql`ORDER BY ${key}` : sql`HAVING sessions > 0 ORDER BY sessions DESC, ${key}`}`);
}

export interface ToolTotals {
  name: string;
  uses: number;
  failed: number;
}

export function totalsByTool(db: Db, scope: Scope): ToolTotals[] {
  return db.all(sql`SELECT t.name, count(*) AS uses, sum(t.is_error) AS failed
    FROM sessions s JOIN tool_uses t ON t.session_db_id = s.id
    WHERE ${scopeCondition(scope)} GROUP BY t.name ORDER BY uses DESC, t.name`);
}

export interface DayActivity {
  /** In the local time zone. */
  day: string;
  project: string;
  project_key: string;
  agent: string;
  sessions: number;
  prompts: number;
  tool_uses: number;
  /** Stored evidence, without indexes and derived rows. */
  bytes: number;
}

/** Offsets of time zones are multiples of 15 minutes, so times in the same quarter hour are on the same day. */
const QUARTER_S = 15 * 60;

/** Prompts and tool uses count on their own day, not on the day of the session's start. Includes those of subagents. */
export function activityByDay(db: Db, scope: Scope): DayActivity[] {
  const quarterOf = (column: string): Sql => sql`${raw(column)} / ${raw(QUARTER_S * 1000)}`;
  // Groups by quarter hour first: computing the local day of every row would make the query four times slower.
  return db.all(sql`WITH chosen AS MATERIALIZED (
      SELECT s.id, s.project_id, s.agent, s.started_at, s.parent_session_db_id, s.prompt_count FROM sessions s WHERE ${scopeCondition(scope)}),
    happened AS (
      SELECT ${quarterOf("c.started_at")} AS quarter, c.project_id, c.agent, count(*) AS sessions, 0 AS prompts, 0 AS tool_uses, 0 AS bytes
      FROM chosen c WHERE ${isSession("c")} GROUP BY 1, 2, 3
      UNION ALL SELECT ${quarterOf("q.created_at")}, c.project_id, c.agent, 0, count(*), 0,
        sum(octet_length(q.text) + coalesce(octet_length(q.response), 0))
      FROM chosen c JOIN prompts q ON q.session_db_id = c.id GROUP BY 1, 2, 3
      UNION ALL SELECT ${quarterOf("m.created_at")}, c.project_id, c.agent, 0, 0, 0,
        sum(octet_length(m.text) + coalesce(octet_length(m.thinking), 0))
      FROM chosen c JOIN messages m ON m.session_db_id = c.id GROUP BY 1, 2, 3
      UNION ALL SELECT ${quarterOf("t.created_at")}, c.project_id, c.agent, 0, 0, count(*),
        sum(octet_length(t.input) + coalesce(octet_length(t.output), 0) + coalesce(octet_length(t.packed), 0))
      FROM chosen c JOIN tool_uses t ON t.session_db_id = c.id GROUP BY 1, 2, 3)
    SELECT strftime('%Y-%m-%d', h.quarter * ${raw(QUARTER_S)}, 'unixepoch', 'localtime') AS day, p.name AS project,
      p.key AS project_key, h.agent,
      sum(h.sessions) AS sessions, sum(h.prompts) AS prompts, sum(h.tool_uses) AS tool_uses, sum(h.bytes) AS bytes
    FROM happened h JOIN projects p ON p.id = h.project_id GROUP BY 1, h.project_id, h.agent ORDER BY 1, p.key, h.agent`);
}
