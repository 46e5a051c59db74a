// model_pauses: providers that are not called for a while, and why.
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";

export interface ModelPause {
  kind: string;
  message: string;
  times: number;
  /** Null if the pause lasts until the settings or the key change, or the user resumes it. */
  until: number | null;
  created_at: number;
}

/** The last pause of this provider, even if it has ended: the length of the next pause depends on it. */
export function findPause(db: Db, fingerprint: string): ModelPause | undefined {
  return db.get(
    sql`SELECT kind, message, times, until, created_at FROM model_pauses WHERE fingerprint = ${fingerprint}`,
  );
}

/** Whether the pause has not ended. If it was created in the future, its end has no effect: the clock was wrong. */
export function isActivePause(pause: ModelPause, now: number): boolean {
  return pause.until === null || (pause.until > now && pause.created_at <= now);
}

/** Saves the pause and deletes those of other fingerprints, which are from earlier settings. */
export function pauseModel(db: Db, fingerprint: string, pause: ModelPause): void {
  db.run(sql`DELETE FROM model_pauses WHERE fingerprint <> ${fingerprint}`);
  db.run(sql`INSERT OR REPLACE INTO model_pauses (fingerprint, kind, message, times, until, created_at)
    VALUES (${fingerprint}, ${pause.kind}, ${pause.message}, ${pause.times}, ${pause.until}, ${pause.created_at})`);
}

/** Deletes all pauses, or only the one with this fingerprint. Returns how many were deleted. */
export function clearPauses(db: Db, fingerprint?: string): number {
  return db.run(sql`DELETE FROM model_pauses WHERE ${fingerprint} IS NULL OR fingerprint = ${fingerprint}`).changes;
}
