// What a fork has copied is told by the session it happened in, also when that one's transcript is gone.
import type { CapturedEvent } from "../core/event.ts";
import { isForgottenSession } from "../store/buried.ts";
import type { Db } from "../store/driver.ts";
import { findSession } from "../store/sessions.ts";

export function isToldElsewhere(db: Db, { copiedFrom, sessionId }: CapturedEvent): boolean {
  if (copiedFrom === undefined || copiedFrom === sessionId) return false;
  return isForgottenSession(db, copiedFrom) || (findSession(db, copiedFrom)?.prompt_count ?? 0) > 0;
}
