// Reads the recorded edits of files, and what stands behind the turns that made them.
import type { ObservationType } from "../../core/memory.ts";
import type { Db } from "../db/driver.ts";
import { anyOf, sql } from "../db/sql.ts";
import type { ObservationRow } from "../tables/observations.ts";
import { outputOf } from "../tables/tool-uses.ts";
import { isNotWrong } from "../tables/wrong-items.ts";

export interface RecordedUse {
  path: string;
  tool_use_db_id: number;
  /** The conversation, also if a subagent made the edit. */
  session_db_id: number;
  /** The subagent's session if one made the edit. */
  own_session_db_id: number;
  /** Where the session began. */
  cwd: string;
  prompt_number: number;
  name: string;
  input: string;
  output: string | null;
  at: number;
}

const MAX_EDITS = 2_000;

/** The last edits of the files of a project up to a time, oldest first. CROSS JOIN keeps the order: by path first. */
export function recordedEdits(db: Db, projectId: number, paths: readonly string[], until: number): RecordedUse[] {
  const rows = db.all<RecordedUse>(sql`SELECT f.path, t.id AS tool_use_db_id, s.id AS own_session_db_id, s.cwd,
      coalesce(s.parent_session_db_id, s.id) AS session_db_id, t.prompt_number, t.name, t.input,
      ${outputOf("t")} AS output, f.created_at AS at
    FROM (SELECT f.* FROM file_touches f CROSS JOIN sessions s ON s.id = f.session_db_id
      WHERE f.path IN ${anyOf(paths)} AND f.kind <> 'read' AND f.created_at <= ${until} AND s.project_id = ${projectId}
      ORDER BY f.created_at DESC, f.id DESC LIMIT ${MAX_EDITS}) f
    CROSS JOIN tool_uses t ON t.id = f.tool_use_db_id CROSS JOIN sessions s ON s.id = f.session_db_id
    ORDER BY f.created_at DESC, f.id DESC`);
  return rows.toReversed();
}

const MAX_SHELL_USES = 200;

/** Shell commands that name a file of the project and may have written text into it, within a time. */
export function shellWrites(
  db: Db,
  projectId: number,
  path: string,
  { from = 0, until }: { from?: number; until: number },
): RecordedUse[] {
  const name = path.slice(path.lastIndexOf("/") + 1).replaceAll('"', " ");
  return db.all(sql`SELECT ${path} AS path, t.id AS tool_use_db_id, s.id AS own_session_db_id, s.cwd,
      coalesce(s.parent_session_db_id, s.id) AS session_db_id, t.prompt_number, t.name, t.input, NULL AS output,
      t.created_at AS at
    FROM (SELECT rowid FROM tool_uses_fts WHERE tool_uses_fts MATCH ${`input : "${name}"`}
      ORDER BY rowid DESC LIMIT ${MAX_SHELL_USES}) f
    CROSS JOIN tool_uses t ON t.id = f.rowid CROSS JOIN sessions s ON s.id = t.session_db_id
    WHERE t.name = 'Bash' AND t.is_error = 0 AND s.project_id = ${projectId}
      AND t.created_at BETWEEN ${from} AND ${until} AND instr(t.input, '<<') > 0`);
}

export interface TurnKeyRow {
  session_db_id: number;
  prompt_number: number;
}

export interface TurnReason extends TurnKeyRow {
  session_id: string;
  agent: string;
  title: string | null;
  prompt_db_id: number | null;
  prompt: string | null;
  response: string | null;
  completed: string | null;
  at: number;
}

/** What was asked in a turn, and what came of it. */
export function turnReason(db: Db, { session_db_id, prompt_number }: TurnKeyRow): TurnReason | undefined {
  return db.get(sql`SELECT s.id AS session_db_id, ${prompt_number} AS prompt_number, s.session_id, s.agent, s.title,
      p.id AS prompt_db_id, p.text AS prompt, p.response, u.completed, coalesce(p.created_at, s.started_at) AS at
    FROM sessions s LEFT JOIN prompts p ON p.session_db_id = s.id AND p.prompt_number = ${prompt_number}
    LEFT JOIN summaries u ON u.session_db_id = s.id AND u.prompt_number = ${prompt_number} AND u.is_current = 1
    WHERE s.id = ${session_db_id} LIMIT 1`);
}

export interface TurnFinding {
  id: number;
  type: ObservationType;
  title: string;
}

/** The decision, fix or finding nearest to a turn: of the turn itself, else of an earlier one of its session. */
export function findingOf(
  db: Db,
  { session_db_id, prompt_number }: TurnKeyRow,
  path: string | undefined,
): TurnFinding | undefined {
  return db.get(sql`SELECT o.id, o.type, o.title FROM observations o
    WHERE o.session_db_id = ${session_db_id} AND o.prompt_number <= ${prompt_number} AND o.is_current = 1
      AND o.superseded_by IS NULL AND ${isNotWrong("o")} AND o.type IN ('decision', 'bugfix', 'discovery')
    ORDER BY o.prompt_number DESC,
      EXISTS (SELECT 1 FROM json_each(o.files) WHERE value = ${path}) DESC,
      o.type = 'decision' DESC, o.type = 'bugfix' DESC, o.id DESC LIMIT 1`);
}

/** How many of the last edits of a file are checked before it is edited again. */
const MAX_RECENT = 24;

export interface DecidedEdit extends Omit<RecordedUse, "output" | "own_session_db_id" | "cwd"> {
  /** "create" or another way to change the file. */
  kind: string;
}

/**
 * For the hook: the last edits of a file in turns with a decision or fix. Reads no outputs: old ones are compressed.
 */
export function decidedEdits(
  db: Db,
  { path, projectId, except }: { path: string; projectId: number; except: number | undefined },
): DecidedEdit[] {
  return db.all(sql`SELECT f.path, f.kind, t.id AS tool_use_db_id, coalesce(s.parent_session_db_id, s.id) AS session_db_id,
      t.prompt_number, t.name, t.input, f.created_at AS at
    FROM file_touches f CROSS JOIN sessions s ON s.id = f.session_db_id CROSS JOIN tool_uses t ON t.id = f.tool_use_db_id
    WHERE f.path = ${path} AND f.kind <> 'read' AND s.project_id = ${projectId}
      AND coalesce(s.parent_session_db_id, s.id) IS NOT ${except}
      AND EXISTS (SELECT 1 FROM observations o WHERE o.session_db_id = coalesce(s.parent_session_db_id, s.id)
        AND o.prompt_number = t.prompt_number AND o.is_current = 1 AND o.superseded_by IS NULL
        AND o.type IN ('decision', 'bugfix'))
    ORDER BY f.created_at DESC, f.id DESC LIMIT ${MAX_RECENT}`);
}

/** The decisions and fixes of a turn, decisions first. */
export function decisionsOfTurn(db: Db, { session_db_id, prompt_number }: TurnKeyRow): ObservationRow[] {
  return db.all(sql`SELECT o.* FROM observations o
    WHERE o.session_db_id = ${session_db_id} AND o.prompt_number = ${prompt_number} AND o.is_current = 1
      AND o.superseded_by IS NULL AND ${isNotWrong("o")} AND o.type IN ('decision', 'bugfix')
    ORDER BY o.pinned DESC, o.type = 'decision' DESC, o.id DESC`);
}

const MAX_NAMING = 500;

export interface NamingUse extends TurnKeyRow {
  name: string;
  input: string;
  at: number;
}

/** The last commands and requests to subagents of these sessions that name a file, before a time; newest first. */
export function usesNaming(
  db: Db,
  { path, sessionDbIds, until }: { path: string; sessionDbIds: readonly number[]; until: number },
): NamingUse[] {
  const phrase = `input : "${path.replaceAll('"', " ")}"`;
  return db.all(sql`SELECT coalesce(s.parent_session_db_id, s.id) AS session_db_id, t.prompt_number, t.name, t.input,
      t.created_at AS at
    FROM (SELECT rowid FROM tool_uses_fts WHERE tool_uses_fts MATCH ${phrase} ORDER BY rowid DESC LIMIT ${MAX_NAMING}) f
    CROSS JOIN tool_uses t ON t.id = f.rowid CROSS JOIN sessions s ON s.id = t.session_db_id
    WHERE t.name IN ('Bash', 'Agent', 'Task') AND t.is_error = 0 AND t.created_at <= ${until}
      AND coalesce(s.parent_session_db_id, s.id) IN ${anyOf(sessionDbIds)}
    ORDER BY t.created_at DESC, t.id DESC`);
}

/** When each of these sessions began. */
export function sessionStarts(db: Db, sessionDbIds: readonly number[]): Map<number, number> {
  const rows = db.all<{ id: number; started_at: number }>(
    sql`SELECT id, started_at FROM sessions WHERE id IN ${anyOf(sessionDbIds)}`,
  );
  return new Map(rows.map(({ id, started_at }) => [id, started_at]));
}
