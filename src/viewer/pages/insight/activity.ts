// Days as columns, one part for each agent; days on which nothing happened stand there, too.
import type { Column } from "../../components/bars.tsx";
import { localDay } from "../../format.ts";
import type { DayShare } from "../../wire.ts";

/** More would be thinner than a pixel on a small screen. */
const MAX_COLUMNS = 120;
const DAY_MS = 86_400_000;

export function activityByDay(days: readonly DayShare[]): { series: string[]; columns: Column[] } {
  const series = [...new Set(days.map(({ agent }) => agent))].sort();
  const byDay = Map.groupBy(days, ({ day }) => day);
  const known = [...byDay.keys()].sort();
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return { series, columns: [] };
  const columns = daysBetween(first, last).map((day) => ({
    label: day,
    parts: series.map((agent) => total(byDay.get(day) ?? [], agent)),
  }));
  return { series, columns: columns.slice(-MAX_COLUMNS) };
}

function total(shares: readonly DayShare[], agent: string): number {
  return shares.filter((share) => share.agent === agent).reduce((sum, share) => sum + share.prompts, 0);
}

function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  // At noon: no change of the clock makes a day of it twice.
  for (let at = Date.parse(`${first}T12:00`); localDay(at) <= last; at += DAY_MS) days.push(localDay(at));
  return days;
}
