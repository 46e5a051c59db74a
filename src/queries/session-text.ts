// How a session is named and dated wherever one is printed.

import { localMinute } from "../core/time.ts";

/** Of a time in milliseconds or as in JSON. */
export function when(at: number | string): string {
  return localMinute(typeof at === "string" ? Date.parse(at) : at);
}

export function titleText(session: { title: string | null; subtitle: string | null }): string {
  return session.title ?? session.subtitle ?? "(untitled)";
}

export function howLong(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return `${Math.max(0, Math.round(ms / 1000))} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.round(hours / 24)} days`;
}

/** " +3 -1" after a file's name, or nothing. */
export function changeText(change: { added: number; removed: number }): string {
  const parts = [change.added > 0 && `+${change.added}`, change.removed > 0 && `-${change.removed}`].filter(Boolean);
  return parts.length === 0 ? "" : ` ${parts.join(" ")}`;
}
