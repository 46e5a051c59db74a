// Turns and sessions that wait for a model.
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";
import { OVER_BUDGET } from "../tables/ledger.ts";

export interface ModelWork {
  /** Turns whose notes the model has not written yet. */
  turns: number;
  /** Sessions that wait for their summary. */
  sessions: number;
  /** Of these, those that wait for tomorrow because a daily limit is reached. */
  postponedTurns: number;
  postponedSessions: number;
}

export function modelWork(db: Db): ModelWork {
  const over = sql`j.status = 'pending' AND j.last_error LIKE ${`${OVER_BUDGET}%`}`;
  return db.get(sql`SELECT
    (SELECT count(*) FROM model_turns WHERE failed_at IS NULL) AS turns,
    (SELECT count(*) FROM jobs j WHERE j.key GLOB 'handover:*' AND j.status IN ('pending', 'running')) AS sessions,
    (SELECT count(*) FROM model_turns w JOIN prompts p ON p.id = w.prompt_db_id
      JOIN jobs j ON j.key = 'enrich:' || p.session_db_id WHERE w.failed_at IS NULL AND ${over}) AS postponedTurns,
    (SELECT count(*) FROM jobs j WHERE j.key GLOB 'handover:*' AND ${over}) AS postponedSessions`) as ModelWork;
}
