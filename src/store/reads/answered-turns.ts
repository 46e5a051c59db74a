// Reads earlier turns with the agent's last message, to answer a prompt with it.
import type { Db } from "../db/driver.ts";
import { anyOf, sql } from "../db/sql.ts";

export interface AnsweredTurn {
  /** The id of the prompt. */
  id: number;
  sessionDbId: number;
  promptNumber: number;
  /** Of the session. */
  title: string | null;
  prompt: string;
  response: string;
  at: number;
}

/** The turns with a last message among these ids of prompts, in the order of `ids`. Leaves out one session. */
export function answeredTurns(db: Db, ids: readonly number[], withoutSession: number | undefined): AnsweredTurn[] {
  const rows = db.all<AnsweredTurn>(sql`SELECT p.id, p.session_db_id AS sessionDbId, p.prompt_number AS promptNumber,
      s.title, p.text AS prompt, p.response, coalesce(p.ended_at, p.created_at) AS at
    FROM prompts p JOIN sessions s ON s.id = p.session_db_id
    WHERE p.id IN ${anyOf(ids)} AND p.response IS NOT NULL AND p.session_db_id IS NOT ${withoutSession}`);
  return rows.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}
