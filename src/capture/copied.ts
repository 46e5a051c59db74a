// What a fork has copied is told by the session it happened in, also when that one's transcript is gone.
import type { CapturedEvent } from "../core/event.ts";
import { isTouched } from "../store/buried.ts";
import type { Db } from "../store/driver.ts";
import { isPurged } from "../store/purge.ts";
import { findSession } from "../store/sessions.ts";

export function isToldElsewhere(db: Db, { copiedFrom, sessionId, at }: CapturedEvent): boolean {
  if (copiedFrom === undefined || copiedFrom === sessionId) return false;
  if (isTouched(db, copiedFrom) || isPurged(db, copiedFrom, at)) return true;
  const first = findSession(db, copiedFrom);
  // What happened before anything was known of it, nobody else tells.
  return first !== undefined && first.prompt_count > 0 && at >= first.started_at;
}
