// Turns across sessions: a project's prompts in the order of time, and what happened in each.
import type { Db, Param } from "../db/driver.ts";
import { outputOf } from "../tables/packed.ts";
import { endedAt, turnState, type TurnState } from "../tables/session-status.ts";
import { type Scope, scopeCondition } from "./scope.ts";

export interface TurnEntry {
  /** The prompt's. */
  id: number;
  session_db_id: number;
  session_id: string;
  agent: string;
  project: string;
  title: string | null;
  prompt_number: number;
  text: string;
  created_at: number;
  ended_at: number | null;
  state: TurnState;
}

const TURN = `SELECT q.id, q.session_db_id, s.session_id, s.agent, p.name AS project, s.title, q.prompt_number, q.text, q.created_at,
    ${endedAt("q")} AS ended_at, ${turnState("q")} AS state
  FROM prompts q JOIN sessions s ON s.id = q.session_db_id JOIN projects p ON p.id = s.project_id`;

export interface TurnScope extends Scope {
  /** Only turns with an observation of this type. */
  type?: string | undefined;
}

const HAS_TYPE = `EXISTS (SELECT 1 FROM observations o WHERE o.session_db_id = q.session_db_id
  AND o.prompt_number = q.prompt_number AND o.is_current = 1 AND o.type = ?)`;

/** The time of a scope is the turns' own here, not their sessions'. */
function turnCondition({ since, before, type, ...scope }: TurnScope): { sql: string; params: Param[] } {
  const { sql, params } = scopeCondition(scope);
  const typed = type === undefined ? "1" : HAS_TYPE;
  return {
    sql: `${sql} AND q.created_at >= ? AND q.created_at < ? AND ${typed}`,
    params: [...params, since ?? 0, before ?? Number.MAX_SAFE_INTEGER, ...(type === undefined ? [] : [type])],
  };
}

export function turnsOfSession(db: Db, sessionDbId: number): TurnEntry[] {
  return db.all(`${TURN} WHERE q.session_db_id = ? ORDER BY q.prompt_number`, sessionDbId);
}

/** The turns before a moment, the nearest first. */
export function turnsBefore(db: Db, scope: TurnScope, at: number, limit: number): TurnEntry[] {
  const { sql, params } = turnCondition(scope);
  return db.all(
    `${TURN} WHERE ${sql} AND q.created_at < ? ORDER BY q.created_at DESC, q.id DESC LIMIT ?`,
    ...params,
    at,
    limit,
  );
}

/** The turns after a moment, the nearest first. */
export function turnsAfter(db: Db, scope: TurnScope, at: number, limit: number): TurnEntry[] {
  const { sql, params } = turnCondition(scope);
  return db.all(`${TURN} WHERE ${sql} AND q.created_at > ? ORDER BY q.created_at, q.id LIMIT ?`, ...params, at, limit);
}

/** The turns from one moment to another, both included, oldest first. */
export function turnsBetween(db: Db, scope: TurnScope, span: { from: number; to: number }, limit: number): TurnEntry[] {
  const { sql, params } = turnCondition(scope);
  return db.all(
    `${TURN} WHERE ${sql} AND q.created_at BETWEEN ? AND ? ORDER BY q.created_at, q.id LIMIT ?`,
    ...params,
    span.from,
    span.to,
    limit,
  );
}

/** A turn's rows are the session's own and those of its subagents. */
const FAMILY = "(SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1)";

export function filesChangedInTurn(db: Db, turn: { session_db_id: number; prompt_number: number }): TurnFile[] {
  return db.all(
    `SELECT f.path, max(f.kind = 'create') AS created, coalesce(sum(f.added), 0) AS added, coalesce(sum(f.removed), 0) AS removed
     FROM tool_uses t JOIN file_touches f ON f.tool_use_db_id = t.id
     WHERE t.session_db_id IN ${FAMILY} AND t.prompt_number = ?2 AND f.kind <> 'read'
     GROUP BY f.path ORDER BY min(f.created_at)`,
    turn.session_db_id,
    turn.prompt_number,
  );
}

export interface TurnFile {
  path: string;
  created: number;
  added: number;
  removed: number;
}

export interface FailedCommand {
  id: number;
  command: string;
  exit_code: number;
  output: string | null;
}

export function failedCommandsInTurn(db: Db, turn: { session_db_id: number; prompt_number: number }): FailedCommand[] {
  return db.all(
    `SELECT id, json_extract(input, '$.command') AS command, exit_code, substr(${outputOf()}, 1, 2000) AS output FROM tool_uses
     WHERE session_db_id IN ${FAMILY} AND prompt_number = ?2 AND name = 'Bash' AND is_error AND exit_code IS NOT NULL
       AND json_valid(input) AND json_type(input, '$.command') = 'text'
     ORDER BY created_at, id`,
    turn.session_db_id,
    turn.prompt_number,
  );
}
