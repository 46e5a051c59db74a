// Days as columns, one part for each agent; days on which nothing happened stand there, too.
import type { Column } from "../../components/bars.tsx";
import { localDay } from "../../format.ts";
import type { DayShare } from "../../wire.ts";

/** More would be thinner than a pixel on a small screen. */
const MAX_COLUMNS = 120;
/** Fewer would be as broad as a wall. */
const MIN_COLUMNS = 14;
const DAY_MS = 86_400_000;

export function activityByDay(days: readonly DayShare[]): { series: string[]; columns: Column[] } {
  const series = [...new Set(days.map(({ agent }) => agent))].sort();
  const byDay = Map.groupBy(days, ({ day }) => day);
  const columns = daysOf(byDay).map((day) => ({
    label: day,
    parts: series.map((agent) =>
      total(
        byDay.get(day)?.filter((share) => share.agent === agent),
        "prompts",
      ),
    ),
  }));
  return { series, columns: columns.slice(-MAX_COLUMNS) };
}

/** How much had been recorded by the end of each day, in bytes. */
export function growthByDay(days: readonly DayShare[]): Column[] {
  const byDay = Map.groupBy(days, ({ day }) => day);
  let bytes = 0;
  const columns = daysOf(byDay).map((day) => ({ label: day, parts: [(bytes += total(byDay.get(day), "bytes"))] }));
  return columns.slice(-MAX_COLUMNS);
}

function total(shares: readonly DayShare[] | undefined, what: "prompts" | "bytes"): number {
  return (shares ?? []).reduce((sum, share) => sum + share[what], 0);
}

/** From the first to the last, and some before where that is not long. */
function daysOf(byDay: ReadonlyMap<string, unknown>): string[] {
  const known = [...byDay.keys()].sort();
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return [];
  const earlier = localDay(Date.parse(`${last}T12:00`) - (MIN_COLUMNS - 1) * DAY_MS);
  return daysBetween(first < earlier ? first : earlier, last);
}

function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  // At noon: no change of the clock makes a day of it twice.
  for (let at = Date.parse(`${first}T12:00`); localDay(at) <= last; at += DAY_MS) days.push(localDay(at));
  return days;
}
