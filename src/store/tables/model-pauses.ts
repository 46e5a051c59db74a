// model_pauses: providers that are not called for a while, and why.
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";

export interface ModelPause {
  kind: string;
  message: string;
  times: number;
  /** Null: until the settings or the key change, or a person resumes it. */
  until: number | null;
  created_at: number;
}

/** The last pause of this provider, also one that ended: the next one will be longer. */
export function findPause(db: Db, fingerprint: string): ModelPause | undefined {
  return db.get(
    sql`SELECT kind, message, times, until, created_at FROM model_pauses WHERE fingerprint = ${fingerprint}`,
  );
}

/** A pause created in the future was written while the clock was ahead: its end is not known, so it does not count. */
export function isPausing(pause: ModelPause, now: number): boolean {
  return pause.until === null || (pause.until > now && pause.created_at <= now);
}

/** Deletes the pauses of other settings: returning to them starts over. */
export function pauseModel(db: Db, fingerprint: string, pause: ModelPause): void {
  db.run(sql`DELETE FROM model_pauses WHERE fingerprint <> ${fingerprint}`);
  db.run(sql`INSERT OR REPLACE INTO model_pauses (fingerprint, kind, message, times, until, created_at)
    VALUES (${fingerprint}, ${pause.kind}, ${pause.message}, ${pause.times}, ${pause.until}, ${pause.created_at})`);
}

/** Deletes all pauses, or that of a provider that answered. Returns how many there were. */
export function clearPauses(db: Db, fingerprint?: string): number {
  return db.run(sql`DELETE FROM model_pauses WHERE ${fingerprint} IS NULL OR fingerprint = ${fingerprint}`).changes;
}
