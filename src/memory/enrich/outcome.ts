// What can come of asking a model about a turn, and what that means for the job.
import type { Dropped } from "./check-reply.ts";

export type Enriched =
  /** The model's version stands; the job is done. */
  | { kind: "saved"; observations: number; dropped: Dropped }
  /** The extractor's version stands; the job is done. */
  | { kind: "kept"; why: KeptBecause; message: string }
  /**
   * Not before `afterMs`. `counts`: this turn itself may be to blame, so it is a failed attempt and may not go on for
   * ever; otherwise nobody was asked (a pause, a stopped worker) or nobody could be (no connection, a rate limit).
   */
  | { kind: "later"; afterMs: number; counts: boolean; message: string };

export type KeptBecause =
  | "gone"
  | "excluded"
  | "nothing-to-say"
  | "answered-before"
  | "over-budget"
  | "changed-meanwhile"
  | "unusable";

export function kept(why: KeptBecause, message: string): Enriched {
  return { kind: "kept", why, message };
}

/**
 * However long a server says to wait, jobs look again this often; they ask nobody while the pause holds. The queue takes
 * a longer wait for one written while the clock was wrong, and would do the job at once, again and again.
 */
export const LONGEST_MS = 60 * 60_000;

export function later(afterMs: number, counts: boolean, message: string): Enriched {
  return { kind: "later", afterMs: Math.min(afterMs, LONGEST_MS), counts, message };
}
