// Writes activity.json, which other programs read, whenever its content changes.
import { localDay } from "../core/time.ts";
import { replaceJson } from "../platform/replace-file.ts";
import type { Activity } from "../platform/state/activity.ts";
import type { Db } from "../store/db/driver.ts";
import { countSessions } from "../store/reads/counts.ts";
import { countJobs } from "../store/tables/jobs.ts";
import { spentOn } from "../store/tables/ledger.ts";
import { runningProject } from "../store/tables/session-status.ts";

/** Returns the content. `previous`: what the last call returned. `toRead`: the number of unread transcripts. */
export function writeActivityIfChanged(
  db: Db,
  path: string,
  previous: string,
  { now, toRead }: { now: number; toRead: number },
): string {
  const { sessions, lastAt } = countSessions(db);
  const day = localDay(now);
  const { tokens, microUsd } = spentOn(db, day);
  const project = runningProject(db) ?? null;
  const activity: Omit<Activity, "at"> = {
    active: project !== null,
    project,
    sessions,
    last_activity: lastAt === null ? null : new Date(lastAt).toISOString(),
    to_read: toRead,
    queue: countJobs(db),
    spent: { day, tokens, usd: microUsd / 1_000_000 },
  };
  const text = JSON.stringify(activity);
  if (text !== previous) replaceJson(path, { at: new Date(now).toISOString(), ...activity }, { isDurable: false });
  return text;
}
