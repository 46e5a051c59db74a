// Keeps activity.json true: written when what it says has changed.
import { type Activity, writeActivity } from "../config/activity.ts";
import { localDay } from "../core/time.ts";
import type { Db } from "../store/driver.ts";
import { countJobs } from "../store/jobs.ts";
import { spentOn } from "../store/ledger.ts";
import { countSessions } from "../store/sessions.ts";

/** Takes what was written last and returns what is written now. */
export function refreshActivity(db: Db, path: string, before: string, now: number): string {
  const { sessions, lastAt } = countSessions(db);
  const day = localDay(now);
  const { tokens, microUsd } = spentOn(db, day);
  const activity: Omit<Activity, "at"> = {
    sessions,
    last_activity: lastAt === null ? null : new Date(lastAt).toISOString(),
    queue: countJobs(db),
    spent: { day, tokens, usd: microUsd / 1_000_000 },
  };
  const text = JSON.stringify(activity);
  if (text !== before) writeActivity(path, { at: new Date(now).toISOString(), ...activity });
  return text;
}
