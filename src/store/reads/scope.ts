// The scope of a list or search: a project, an agent, a time span.
import { and, sql, type Sql } from "../db/sql.ts";

export interface Scope {
  projectId?: number | undefined;
  agent?: string | undefined;
  since?: number | undefined;
  before?: number | undefined;
}

/** SQL: a condition on a sessions table aliased `s`. */
export function scopeCondition({ projectId, agent, since, before }: Scope): Sql {
  return and(
    projectId !== undefined && sql`s.project_id = ${projectId}`,
    agent !== undefined && sql`s.agent = ${agent}`,
    since !== undefined && sql`s.last_at >= ${since}`,
    before !== undefined && sql`s.started_at < ${before}`,
  );
}

/** SQL: whether a time is within the time span of the scope. */
export function isWithin(time: Sql, { since = 0, before = Number.MAX_SAFE_INTEGER }: Scope): Sql {
  return sql`${time} >= ${since} AND ${time} < ${before}`;
}

/** SQL: whether the column is this path or ends in it. "a.ts" matches "src/a.ts" and not "data.ts". */
export function isPathOrTail(column: Sql, path: string): Sql {
  return sql`${column} = ${path} OR ${column} LIKE ${`%/${escapeLike(path)}`} ESCAPE '\\'`;
}

/** Escapes the wildcards of LIKE, for LIKE ... ESCAPE '\\'. */
export function escapeLike(text: string): string {
  return text.replace(/[%_\\]/g, "\\$&");
}
