// activity.json: what there is to show of C-Mem without opening the database. The worker writes it, the status line reads it.
import { renameSync, writeFileSync } from "node:fs";
import { readText } from "./read.ts";

export interface Activity {
  /** When the numbers were true. */
  at: string;
  sessions: number;
  /** Of any session; null where there is none. */
  last_activity: string | null;
  queue: { pending: number; running: number; failed: number };
  /** What models have taken today (`day`, local). */
  spent: { day: string; tokens: number; usd: number };
}

export function readActivity(path: string): Activity | undefined {
  try {
    const value = JSON.parse(readText(path) ?? "") as Activity | null;
    return typeof value?.sessions === "number" ? value : undefined;
  } catch {
    return undefined;
  }
}

export function writeActivity(path: string, activity: Activity): void {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(activity, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}
