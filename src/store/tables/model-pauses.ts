// model_pauses: providers that are left alone for the time being, and why.
import type { Db } from "../db/driver.ts";

export interface ModelPause {
  kind: string;
  message: string;
  times: number;
  /** Null: until settings or key change, or a person says so. */
  until: number | null;
  created_at: number;
}

/** The last trouble with this provider, also where its time is over: the next pause is longer for it. */
export function findPause(db: Db, fingerprint: string): ModelPause | undefined {
  return db.get("SELECT kind, message, times, until, created_at FROM model_pauses WHERE fingerprint = ?", fingerprint);
}

/** A pause from the future was written while the clock was ahead: nobody knows how long it was to be. */
export function isPausing(pause: ModelPause, now: number): boolean {
  return pause.until === null || (pause.until > now && pause.created_at <= now);
}

/** Of other settings nothing is kept: coming back to them is a new beginning. */
export function pauseModel(db: Db, fingerprint: string, pause: ModelPause): void {
  db.run("DELETE FROM model_pauses WHERE fingerprint <> ?", fingerprint);
  db.run(
    "INSERT OR REPLACE INTO model_pauses (fingerprint, kind, message, times, until, created_at) VALUES (?, ?, ?, ?, ?, ?)",
    fingerprint,
    pause.kind,
    pause.message,
    pause.times,
    pause.until,
    pause.created_at,
  );
}

/** All of them, or the one of a provider that has answered. Returns how many there were. */
export function clearPauses(db: Db, fingerprint?: string): number {
  if (fingerprint === undefined) return db.run("DELETE FROM model_pauses").changes;
  return db.run("DELETE FROM model_pauses WHERE fingerprint = ?", fingerprint).changes;
}
