// What a fork has copied is told by the session it happened in, also when that one's transcript is gone.
import type { CapturedEvent } from "../../core/event.ts";
import { hasForgottenParts } from "../../store/tables/tombstone-checks.ts";
import type { Db } from "../../store/db/driver.ts";
import { isPurged } from "../../store/tables/purge.ts";
import { findSession, getOrigin } from "../../store/tables/sessions.ts";

export function isForkDuplicate(db: Db, { copiedFrom: said, sessionId, at }: CapturedEvent): boolean {
  // Where only the store can know whose it was: that was noted when the fork was read for the first time.
  const copiedFrom = said === "" ? getOrigin(db, sessionId) : said;
  if (copiedFrom === undefined || copiedFrom === sessionId) return false;
  // Where nothing is left of it, because it was forgotten or took up room, the copy does not bring it back.
  if (hasForgottenParts(db, copiedFrom) || isPurged(db, copiedFrom, at)) return true;
  const first = findSession(db, copiedFrom);
  // What happened before anything was known of it, nobody else tells.
  return first !== undefined && first.prompt_count > 0 && at >= first.started_at;
}
