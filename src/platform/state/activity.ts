// activity.json: what there is to show of C-Mem without opening the database. The worker writes it, the status line reads it.
import { replaceFile } from "../replace-file.ts";
import { readText } from "../read-file.ts";

export interface Activity {
  /** When the numbers were true. */
  at: string;
  /** A turn is running; `project` is the one that was heard of last. */
  active: boolean;
  project: string | null;
  sessions: number;
  /** Of any session; null where there is none. */
  last_activity: string | null;
  /** Transcripts of earlier sessions that the worker has still to read. */
  to_read: number;
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
  replaceFile(path, `${JSON.stringify(activity, null, 2)}\n`, { isDurable: false });
}
