// Sessions by what is in them: kinds of observations, files, or one session by its id.
import type { Db, Param } from "../db/driver.ts";
import { type Scope, scopeCondition } from "./scope.ts";

export interface SessionFilter extends Scope {
  /** Of an observation. */
  type?: string | undefined;
  concept?: string | undefined;
  /** A path, or the end of one. */
  file?: string | undefined;
  /** An id, or the beginning of one. */
  session?: string | undefined;
}

const OBSERVED = "EXISTS (SELECT 1 FROM observations o WHERE o.session_db_id = s.id AND o.is_current = 1 AND";

/** The sessions that fit; undefined where every session of the project would. */
export function filteredSessions(db: Db, filter: SessionFilter): Set<number> | undefined {
  const { agent, since, before, type, concept, file, session } = filter;
  if ([agent, since, before, type, concept, file, session].every((value) => value === undefined)) return undefined;
  const scope = scopeCondition(filter);
  const parts: [sql: string, params: (Param | undefined)[]][] = [
    [`${OBSERVED} o.type = ?)`, [type]],
    [`${OBSERVED} EXISTS (SELECT 1 FROM json_each(o.concepts) WHERE value = ?))`, [concept]],
    [
      `s.id IN (SELECT coalesce(t.parent_session_db_id, t.id) FROM file_touches f JOIN sessions t ON t.id = f.session_db_id
         WHERE f.path = ? OR f.path LIKE ? ESCAPE '\\')`,
      [file, file === undefined ? undefined : `%/${file.replace(/[%_\\]/g, "\\$&")}`],
    ],
    ["substr(s.session_id, 1, length(?)) = ?", [session, session]],
  ];
  const given = parts.filter(([, params]) => params[0] !== undefined);
  const rows = db.all<{ id: number }>(
    `SELECT s.id FROM sessions s WHERE ${[scope.sql, ...given.map(([sql]) => sql)].join(" AND ")}`,
    ...scope.params,
    ...given.flatMap(([, params]) => params as Param[]),
  );
  return new Set(rows.map(({ id }) => id));
}

/** Whether a turn was going on in the span of time that is asked for: a session may go on for weeks. Undefined where no span is. */
export function turnsWithin(
  db: Db,
  { since = 0, before = Number.MAX_SAFE_INTEGER, ...rest }: Scope,
): ((session: number, promptNumber: number) => boolean) | undefined {
  if (since === 0 && before === Number.MAX_SAFE_INTEGER) return undefined;
  const fitting = scopeCondition({ ...rest, since, before });
  // Of a session that lies wholly within it, so do all turns.
  const rows = db.all<{ session: number; turn: number }>(
    `SELECT session, turn FROM (
       SELECT s.id AS session, p.prompt_number AS turn, p.created_at AS began,
         coalesce(p.ended_at, lead(p.created_at) OVER (PARTITION BY s.id ORDER BY p.prompt_number), s.last_at) AS ended
       FROM sessions s JOIN prompts p ON p.session_db_id = s.id
       WHERE ${fitting.sql} AND (s.started_at < ? OR s.last_at >= ?)
     ) WHERE ended < ? OR began >= ?`,
    ...fitting.params,
    since,
    before,
    since,
    before,
  );
  const outside = new Set(rows.map(({ session, turn }) => `${session} ${turn}`));
  return (session, promptNumber) => !outside.has(`${session} ${promptNumber}`);
}
