// Formats numbers and times.
import { ago } from "../core/text.ts";

export { count, oneLine, withCommas } from "../core/text.ts";
export { localDay } from "../core/time.ts";

export function bytes(total: number): string {
  const unit = total < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(total) / 10));
  const value = total / 1024 ** unit;
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${["B", "KB", "MB", "GB"][unit]}`;
}

/** "3 min ago"; the date if it is a week ago or more. */
export function howLongAgo(at: number, now: number): string {
  return now - at < 7 * 86_400_000 ? ago(at, now) : dayName(at, now);
}

/** "Today", "Yesterday", "Sat, Feb 21", "Feb 21, 2025". */
export function dayName(at: number, now: number): string {
  const startOfDay = (time: number): number => new Date(time).setHours(0, 0, 0, 0);
  const days = Math.round((startOfDay(now) - startOfDay(at)) / 86_400_000);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Date(at).toLocaleDateString("en", {
    month: "short",
    day: "numeric",
    ...(isThisYear ? { weekday: "short" } : { year: "numeric" }),
  });
}

/** "14:05" */
export function clock(at: number): string {
  return new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

/** "Saturday, 21 February 2026 at 14:05:09", for tooltips. */
export function fullTime(at: number): string {
  return new Date(at).toLocaleString("en-GB", { dateStyle: "full", timeStyle: "medium" });
}

/** "420 ms", "1.5 s", "12 s", "3 min 20 s", "2 h 5 min", "3 d 4 h" */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${ms < 10_000 ? (ms / 1000).toFixed(1).replace(/\.0$/, "") : seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return twoUnits(minutes, "min", seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? twoUnits(hours, "h", minutes % 60, "min")
    : twoUnits(Math.floor(hours / 24), "d", hours % 24, "h");
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
