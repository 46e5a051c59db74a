// Lists turns across sessions by time, with the changed files and failed commands of a turn.
import type { Db } from "../db/driver.ts";
import { and, sql, type Sql } from "../db/sql.ts";
import type { ChangedFile } from "../tables/file-touches.ts";
import type { PromptRow } from "../tables/prompts.ts";
import { endedAt, turnState } from "../tables/session-status.ts";
import { family } from "../tables/sessions.ts";
import { HAS_COMMAND, outputOf } from "../tables/tool-uses.ts";
import { isWithin, type Scope, scopeCondition } from "./scope.ts";

export interface TurnEntry extends Omit<PromptRow, "response"> {
  session_db_id: number;
  session_id: string;
  agent: string;
  project: string;
  title: string | null;
}

const TURN = sql`SELECT q.id, q.session_db_id, s.session_id, s.agent, p.name AS project, s.title, q.prompt_number, q.text, q.created_at,
    ${endedAt("q")} AS ended_at, ${turnState("q")} AS state
  FROM prompts q JOIN sessions s ON s.id = q.session_db_id JOIN projects p ON p.id = s.project_id`;

export interface TurnScope extends Scope {
  /** Only turns with an observation of this type. */
  type?: string | undefined;
}

/** The time span applies to the turns, not to their sessions. */
function inScope({ projectId, agent, type, ...span }: TurnScope): Sql {
  return and(
    scopeCondition({ projectId, agent }),
    isWithin(sql`q.created_at`, span),
    type !== undefined &&
      sql`EXISTS (SELECT 1 FROM observations o WHERE o.session_db_id = q.session_db_id
        AND o.prompt_number = q.prompt_number AND o.is_current = 1 AND o.type = ${type})`,
  );
}

export function turnsOfSession(db: Db, sessionDbId: number): TurnEntry[] {
  return db.all(sql`${TURN} WHERE q.session_db_id = ${sessionDbId} ORDER BY q.prompt_number`);
}

/** The turns before a time, nearest first. */
export function turnsBefore(db: Db, scope: TurnScope, at: number, limit: number): TurnEntry[] {
  return db.all(sql`${TURN} WHERE ${inScope(scope)} AND q.created_at < ${at}
    ORDER BY q.created_at DESC, q.id DESC LIMIT ${limit}`);
}

/** The turns after a time, nearest first. */
export function turnsAfter(db: Db, scope: TurnScope, at: number, limit: number): TurnEntry[] {
  return db.all(sql`${TURN} WHERE ${inScope(scope)} AND q.created_at > ${at}
    ORDER BY q.created_at, q.id LIMIT ${limit}`);
}

/** The turns in a time span, including both ends, oldest first. */
export function turnsBetween(db: Db, scope: TurnScope, span: { from: number; to: number }, limit: number): TurnEntry[] {
  return db.all(sql`${TURN} WHERE ${inScope(scope)} AND q.created_at BETWEEN ${span.from} AND ${span.to}
    ORDER BY q.created_at, q.id LIMIT ${limit}`);
}

type Turn = Pick<TurnEntry, "session_db_id" | "prompt_number">;

export type TurnFile = Omit<ChangedFile, "last_at">;

export function filesChangedInTurn(db: Db, { session_db_id, prompt_number }: Turn): TurnFile[] {
  return db.all(sql`SELECT f.path, max(f.kind = 'create') AS created, coalesce(sum(f.added), 0) AS added,
      coalesce(sum(f.removed), 0) AS removed
    FROM tool_uses t JOIN file_touches f ON f.tool_use_db_id = t.id
    WHERE t.session_db_id IN (${family(session_db_id)}) AND t.prompt_number = ${prompt_number} AND f.kind <> 'read'
    GROUP BY f.path ORDER BY min(f.created_at)`);
}

export interface FailedCommand {
  id: number;
  command: string;
  exit_code: number;
  output: string | null;
}

export function failedCommandsInTurn(db: Db, { session_db_id, prompt_number }: Turn): FailedCommand[] {
  return db.all(sql`SELECT id, json_extract(input, '$.command') AS command, exit_code, substr(${outputOf()}, 1, 2000) AS output
    FROM tool_uses
    WHERE session_db_id IN (${family(session_db_id)}) AND prompt_number = ${prompt_number} AND name = 'Bash' AND is_error
      AND exit_code IS NOT NULL AND ${HAS_COMMAND}
    ORDER BY created_at, id`);
}
