// Filters sessions by their observations, their files or their id.
import type { Db } from "../db/driver.ts";
import { and, sql, type Sql } from "../db/sql.ts";
import { isPathOrTail, type Scope, scopeCondition } from "./scope.ts";

export interface SessionFilter extends Scope {
  /** The type of an observation in the session. */
  type?: string | undefined;
  /** A concept of an observation in the session. */
  concept?: string | undefined;
  /** A path, or the end of one. */
  file?: string | undefined;
  /** An id, or the beginning of one. */
  session?: string | undefined;
}

const hasObservation = (condition: Sql): Sql =>
  sql`EXISTS (SELECT 1 FROM observations o WHERE o.session_db_id = s.id AND o.is_current = 1 AND ${condition})`;

/** The sessions that match. Undefined if the filter has only a project, or nothing. */
export function filteredSessions(db: Db, filter: SessionFilter): Set<number> | undefined {
  const { agent, since, before, type, concept, file, session } = filter;
  if ([agent, since, before, type, concept, file, session].every((value) => value === undefined)) return undefined;
  const condition = and(
    scopeCondition(filter),
    type !== undefined && hasObservation(sql`o.type = ${type}`),
    concept !== undefined && hasObservation(sql`EXISTS (SELECT 1 FROM json_each(o.concepts) WHERE value = ${concept})`),
    file !== undefined &&
      sql`s.id IN (SELECT coalesce(t.parent_session_db_id, t.id) FROM file_touches f JOIN sessions t ON t.id = f.session_db_id
        WHERE ${isPathOrTail(sql`f.path`, file)})`,
    session !== undefined && sql`substr(s.session_id, 1, length(${session})) = ${session}`,
  );
  return new Set(db.column<number>(sql`SELECT s.id FROM sessions s WHERE ${condition}`));
}

/** Returns a function that checks if a turn ran in the time span: a session may last for weeks. */
export function turnsWithin(
  db: Db,
  { since = 0, before = Number.MAX_SAFE_INTEGER, ...rest }: Scope,
): ((session: number, promptNumber: number) => boolean) | undefined {
  if (since === 0 && before === Number.MAX_SAFE_INTEGER) return undefined;
  // Reads only turns of sessions that are partly outside the span.
  const outside = db.column<string>(sql`SELECT session || ' ' || turn FROM (
      SELECT s.id AS session, p.prompt_number AS turn, p.created_at AS began,
        coalesce(p.ended_at, lead(p.created_at) OVER (PARTITION BY s.id ORDER BY p.prompt_number), s.last_at) AS ended
      FROM sessions s JOIN prompts p ON p.session_db_id = s.id
      WHERE ${scopeCondition({ ...rest, since, before })} AND (s.started_at < ${since} OR s.last_at >= ${before})
    ) WHERE ended < ${since} OR began >= ${before}`);
  const turns = new Set(outside);
  return (session, promptNumber) => !turns.has(`${session} ${promptNumber}`);
}
