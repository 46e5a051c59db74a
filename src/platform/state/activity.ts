// activity.json: numbers for the status line, which must not open the database. The worker writes it.
import { count } from "../../core/text.ts";
import { localDay } from "../../core/time.ts";
import type { Paths } from "../../config/paths.ts";
import { listFolder, readJson } from "../read-file.ts";

export interface Activity {
  at: string;
  /** True while a turn is running. `project`: the project of the running turn with the latest activity, else null. */
  active: boolean;
  project: string | null;
  sessions: number;
  last_activity: string | null;
  /** How many transcripts the worker still has to read. */
  to_read: number;
  queue: { pending: number; running: number; failed: number };
  /** Model usage on `day` (local time). */
  spent: { day: string; tokens: number; usd: number };
}

export function readActivity(path: string): Activity | undefined {
  const value = readJson<Activity>(path);
  return typeof value?.sessions === "number" ? (value as Activity) : undefined;
}

export function activityLine(paths: Paths, now: number): string {
  const activity = readActivity(paths.activity);
  if (activity === undefined) return "C-Mem: ready";
  const waiting = activity.queue.pending + activity.queue.running + countDrops(paths.spool);
  return [
    `C-Mem: ${count(activity.sessions, "session")}`,
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ...(activity.queue.failed > 0 ? [`${activity.queue.failed} failed`] : []),
    ...spentToday(activity, now),
  ].join(" · ");
}

function countDrops(spool: string): number {
  return listFolder(spool).filter((name) => name.endsWith(".json")).length;
}

function spentToday({ spent: { day, tokens, usd } }: Activity, now: number): string[] {
  if (day !== localDay(now) || tokens === 0) return [];
  // 0: the price is unknown.
  if (usd === 0) return [`${Math.ceil(tokens / 1000)}k tokens today`];
  return [`${usd < 0.01 ? "<$0.01" : `$${usd.toFixed(2)}`} today`];
}
