// Reads the parts of an effort: sessions that continue each other, their decisions and their outcomes.
import type { Db } from "../db/driver.ts";
import { anyOf, sql } from "../db/sql.ts";
import type { ObservationRow } from "../tables/observations.ts";
import type { SummaryRow } from "../tables/summaries.ts";
import type { SessionEntry } from "./session-list.ts";

/** Links from a session (source) to the one it continues (target), with at least this weight. */
export function effortEdges(db: Db, minWeight: number): { source: number; target: number }[] {
  return db.all(sql`SELECT x.id AS source, y.id AS target
    FROM links l JOIN sessions x ON x.session_id = l.source_id JOIN sessions y ON y.session_id = l.target_id
    WHERE l.relationship = 'continues' AND l.source_type = 'session' AND l.target_type = 'session'
      AND l.weight >= ${minWeight} AND x.parent_session_db_id IS NULL AND y.parent_session_db_id IS NULL`);
}

export type EffortMember = Pick<SessionEntry, "id" | "session_id" | "project_id" | "agent" | "started_at" | "last_at">;

/** Ordered by their start. */
export function effortMembers(db: Db, ids: readonly number[]): EffortMember[] {
  return db.all(sql`SELECT id, session_id, project_id, agent, started_at, last_at FROM sessions
    WHERE id IN ${anyOf(ids)} ORDER BY started_at, session_id`);
}

export function countSubagents(db: Db, ids: readonly number[]): number {
  return db.value(sql`SELECT count(*) FROM sessions
    WHERE parent_session_db_id IN ${anyOf(ids)}`) as number;
}

export interface Decision extends Pick<ObservationRow, "id" | "title" | "narrative" | "valid_from"> {
  session_id: string;
}

/** Decisions that were not superseded, newest first. */
export function currentDecisions(db: Db, ids: readonly number[], limit: number): Decision[] {
  return db.all(sql`SELECT o.id, s.session_id, o.title, o.narrative, o.valid_from
    FROM observations o JOIN sessions s ON s.id = o.session_db_id
    WHERE o.session_db_id IN ${anyOf(ids)} AND o.type = 'decision' AND o.is_current = 1
      AND o.superseded_by IS NULL
    ORDER BY o.valid_from DESC, o.id DESC LIMIT ${limit}`);
}

export type SessionOutcome = Pick<SummaryRow, "session_db_id" | "request" | "completed" | "next_steps">;

export function outcomesOf(db: Db, ids: readonly number[]): SessionOutcome[] {
  return db.all(sql`SELECT session_db_id, request, completed, next_steps FROM summaries
    WHERE session_db_id IN ${anyOf(ids)} AND prompt_number = 0 AND is_current = 1`);
}
