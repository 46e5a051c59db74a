// Parses and prints times: ISO dates and times, or how long ago ("3d", "2w", "12h", "30m").
import { AppError } from "./error.ts";

export const DAY_MS = 86_400_000;
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS };

export function parseTime(text: string, now: number): number {
  const ago = /^(\d{1,5})\s*([mhdw])$/.exec(text.trim());
  if (ago !== null) return now - Number(ago[1]) * (UNITS[ago[2] ?? ""] ?? 0);
  const at = parseDate(text.trim());
  if (!Number.isNaN(at)) return at;
  throw new AppError("usage", `"${text}" is not a time.`, {
    hint: "Use 2026-01-31, 2026-01-31T12:00, or 3d, 2w, 12h.",
  });
}

/** Returns the span; throws unless it ends after it starts. */
export function validSpan<T extends { since: number | undefined; before: number | undefined }>(span: T): T {
  if (span.since === undefined || span.before === undefined || span.since < span.before) return span;
  throw new AppError("usage", "before must be later than since.", {
    hint: "before is exclusive: give a later time.",
  });
}

/** "2026-01-31" is local midnight, not UTC as in Date.parse. NaN for February 31. */
function parseDate(text: string): number {
  const [, month = "", day = "01", time = ""] = /^(\d{4}-\d{2})(?:-(\d{2}))?([Tt ].*)?$/.exec(text) ?? [];
  const date = `${month}-${day}`;
  const isDay = new Date(Date.parse(`${date}T00:00Z`) || 0).toISOString().startsWith(date);
  return isDay ? Date.parse(time === "" ? `${date}T00:00` : text) : Number.NaN;
}

/** The end of the year 9999. `Date` fails after the year 275760. */
const MAX_TIME_MS = Date.UTC(10_000, 0) - 1;

/** False for times before 1970 or after 9999. */
export function isTime(at: number): boolean {
  return at >= 0 && at <= MAX_TIME_MS;
}

export function iso(at: number): string;
export function iso(at: number | null | undefined): string | null;
export function iso(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : new Date(at).toISOString();
}

/** "2026-02-19 14:05", in local time. */
export function localMinute(at: number): string {
  const date = new Date(at);
  return `${localDay(at)} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** "2026-02-19 14:05:09" */
export function localSecond(at: number): string {
  return `${localMinute(at)}:${two(new Date(at).getSeconds())}`;
}

/** The next local midnight. */
export function nextDay(at: number): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
}

/** The local date, YYYY-MM-DD: budgets reset at local midnight. */
export function localDay(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
