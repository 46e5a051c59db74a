// What a project knows before a turn: its decisions in force and what its sessions left open.
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";
import type { ObservationRow } from "../tables/observations.ts";
import { isNotWrong } from "../tables/wrong-items.ts";

const MAX_DECISIONS = 200;

/** Newest first: decisions of the project, and those for every project. */
export function decisionsInForce(db: Db, projectId: number): ObservationRow[] {
  return db.all(sql`SELECT o.* FROM observations o
    WHERE o.type = 'decision' AND o.is_current = 1 AND o.superseded_by IS NULL AND ${isNotWrong("o")}
      AND (o.project_id = ${projectId} OR o.project_id IS NULL)
    ORDER BY o.pinned DESC, o.valid_from DESC, o.id DESC LIMIT ${MAX_DECISIONS}`);
}

const MAX_SESSIONS = 20;
/** A later turn that says nothing about a step has not done it. */
const MAX_OWN_TURNS = 8;

/**
 * The session's own next steps before a turn, then those of the project's latest other sessions that were last active
 * until `at`: an old turn that is sent again did no step of a newer session.
 */
export function openSteps(
  db: Db,
  projectId: number,
  { sessionDbId, before, at }: { sessionDbId: number; before: number; at: number },
): { sessionDbId: number; step: string }[] {
  const own = sql`SELECT session_db_id AS sessionDbId, next_steps FROM summaries
    WHERE session_db_id = ${sessionDbId} AND prompt_number BETWEEN 1 AND ${before - 1} AND is_current = 1
      AND next_steps <> ''
    ORDER BY prompt_number DESC LIMIT ${MAX_OWN_TURNS}`;
  const others = sql`SELECT u.session_db_id AS sessionDbId, u.next_steps FROM sessions s
      JOIN summaries u ON u.session_db_id = s.id AND u.prompt_number = 0 AND u.is_current = 1
    WHERE s.project_id = ${projectId} AND s.id <> ${sessionDbId} AND s.last_at <= ${at}
    ORDER BY s.last_at DESC LIMIT ${MAX_SESSIONS}`;
  const rows = [own, others].flatMap((query) => db.all<{ sessionDbId: number; next_steps: string }>(query));
  return rows.flatMap(({ sessionDbId: id, next_steps: steps }) =>
    steps
      .split("\n")
      .filter((step) => step.trim() !== "")
      .map((step) => ({ sessionDbId: id, step })),
  );
}
