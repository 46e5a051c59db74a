// What there is to say of C-Mem in one line.
import { localDay } from "../../core/time.ts";
import { type Activity, readActivity } from "./activity.ts";
import type { Paths } from "../../config/paths.ts";
import { listFolder } from "../read-file.ts";

export function activityLine(paths: Paths, now: number): string {
  const activity = readActivity(paths.activity);
  if (activity === undefined) return "C-Mem: ready";
  const waiting = activity.queue.pending + activity.queue.running + drops(paths.spool);
  return [
    `C-Mem: ${activity.sessions.toLocaleString("en")} session${activity.sessions === 1 ? "" : "s"}`,
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ...(activity.queue.failed > 0 ? [`${activity.queue.failed} failed`] : []),
    ...spentToday(activity, now),
  ].join(" · ");
}

function drops(spool: string): number {
  return listFolder(spool).filter((name) => name.endsWith(".json")).length;
}

function spentToday({ spent: { day, tokens, usd } }: Activity, now: number): string[] {
  if (day !== localDay(now) || tokens === 0) return [];
  // Without a price: what is known.
  if (usd === 0) return [`${Math.ceil(tokens / 1000)}k tokens today`];
  return [`${usd < 0.01 ? "<$0.01" : `$${usd.toFixed(2)}`} today`];
}
