// For live views: reads the rows with higher ids than the last ones read.
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";
import type { SummaryRow } from "../tables/summaries.ts";
import { outputOf, type ToolUseRow } from "../tables/tool-uses.ts";

export interface AddedSession {
  id: number;
  session_id: string;
  parent_session_id: string | null;
  agent: string;
  project: string;
  title: string | null;
  at: number;
}

const SESSION = sql`s.session_id, parent.session_id AS parent_session_id, s.agent, p.name AS project, s.title`;
const JOINED = sql`JOIN projects p ON p.id = s.project_id LEFT JOIN sessions parent ON parent.id = s.parent_session_db_id`;

export function newSessions(db: Db, after: number, limit: number): AddedSession[] {
  return db.all(sql`SELECT s.id, ${SESSION}, s.started_at AS at FROM sessions s ${JOINED}
    WHERE s.id > ${after} ORDER BY s.id LIMIT ${limit}`);
}

/** Live views show only the beginning of a text. */
const TEXT_CHARS = 600;

export interface AddedPrompt extends AddedSession {
  prompt_number: number;
  text: string;
}

export function newPrompts(db: Db, after: number, limit: number): AddedPrompt[] {
  return db.all(sql`SELECT q.id, ${SESSION}, q.prompt_number, substr(q.text, 1, ${TEXT_CHARS}) AS text, q.created_at AS at
    FROM prompts q JOIN sessions s ON s.id = q.session_db_id ${JOINED} WHERE q.id > ${after} ORDER BY q.id LIMIT ${limit}`);
}

export interface AddedToolUse extends AddedSession, Omit<ToolUseRow, "created_at"> {
  cwd: string;
}

/** Leaves out long inputs and shortens outputs, because live views show one line for each tool use. */
export function newToolUses(db: Db, after: number, limit: number): AddedToolUse[] {
  return db.all(sql`SELECT t.id, ${SESSION}, s.cwd, t.prompt_number, t.name,
      CASE WHEN octet_length(t.input) <= 4000 THEN t.input ELSE '{}' END AS input,
      substr(${outputOf("t")}, 1, ${TEXT_CHARS}) AS output, t.is_error, t.exit_code, t.duration_ms, t.created_at AS at
    FROM tool_uses t JOIN sessions s ON s.id = t.session_db_id ${JOINED} WHERE t.id > ${after} ORDER BY t.id LIMIT ${limit}`);
}

export function newObservationIds(db: Db, after: number, limit: number): number[] {
  return db.column(sql`SELECT id FROM observations WHERE id > ${after} ORDER BY id LIMIT ${limit}`);
}

/** `prompt_number` is 0 for a whole session. */
export type AddedSummary = AddedSession &
  Pick<SummaryRow, "prompt_number" | "request" | "learned" | "completed" | "next_steps">;

export function newSummaries(db: Db, after: number, limit: number): AddedSummary[] {
  return db.all(sql`SELECT m.id, ${SESSION}, m.prompt_number, m.request, m.learned, m.completed, m.next_steps, m.created_at AS at
    FROM summaries m JOIN sessions s ON s.id = m.session_db_id ${JOINED}
    WHERE m.id > ${after} AND m.is_current = 1 ORDER BY m.id LIMIT ${limit}`);
}

export interface EndedSession extends AddedSession {
  status: string;
  end_reason: string | null;
}

/** Ordered by end time. The end is recorded a little later, so callers pass a `since` before their last read. */
export function endedSessions(db: Db, since: number, limit: number): EndedSession[] {
  return db.all(sql`SELECT s.id, ${SESSION}, s.status, s.end_reason, s.ended_at AS at FROM sessions s ${JOINED}
    WHERE s.last_at >= ${since} AND s.ended_at >= ${since} AND s.status <> 'active' ORDER BY s.ended_at LIMIT ${limit}`);
}
