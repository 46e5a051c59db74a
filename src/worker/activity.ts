// Keeps activity.json true: written when what it says has changed.
import { type Activity, writeActivity } from "../platform/state/activity.ts";
import { localDay } from "../core/time.ts";
import type { Db } from "../store/db/driver.ts";
import { countJobs } from "../store/tables/jobs.ts";
import { spentOn } from "../store/tables/ledger.ts";
import { runningProject } from "../store/tables/session-status.ts";
import { countSessions } from "../store/reads/what-counts.ts";

interface Moment {
  now: number;
  /** Transcripts that are still to be read. */
  toRead: number;
}

/** Takes what was written last and returns what is written now. */
export function refreshActivity(db: Db, path: string, before: string, { now, toRead }: Moment): string {
  const { sessions, lastAt } = countSessions(db);
  const day = localDay(now);
  const { tokens, microUsd } = spentOn(db, day);
  const project = runningProject(db);
  const activity: Omit<Activity, "at"> = {
    active: project !== undefined,
    project: project ?? null,
    sessions,
    last_activity: lastAt === null ? null : new Date(lastAt).toISOString(),
    to_read: toRead,
    queue: countJobs(db),
    spent: { day, tokens, usd: microUsd / 1_000_000 },
  };
  const text = JSON.stringify(activity);
  if (text !== before) writeActivity(path, { at: new Date(now).toISOString(), ...activity });
  return text;
}
