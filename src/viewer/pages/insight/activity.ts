// Turns activity per day into chart columns. Days without activity get a column, too.
import type { stats } from "../../../queries/stats.ts";
import type { DataOf } from "../../api.ts";
import type { Column } from "../../components/bars.tsx";
import { localDay } from "../../format.ts";

type DayShare = DataOf<typeof stats>["by_day"][number];

/** More columns would be thinner than a pixel on a small screen. */
const MAX_COLUMNS = 120;
const MIN_COLUMNS = 14;
const DAY_MS = 86_400_000;

/** Prompts per day, one series per agent. */
export function activityByDay(shares: readonly DayShare[]): { series: string[]; columns: Column[] } {
  const series = [...new Set(shares.map(({ agent }) => agent))].sort();
  const columns = days(shares).map(([label, ofDay]) => ({
    label,
    parts: series.map((agent) =>
      ofDay.filter((share) => share.agent === agent).reduce((sum, { prompts }) => sum + prompts, 0),
    ),
  }));
  return { series, columns: columns.slice(-MAX_COLUMNS) };
}

/** The total of bytes recorded until the end of each day. */
export function growthByDay(shares: readonly DayShare[]): Column[] {
  let total = 0;
  const columns = days(shares).map(([label, ofDay]) => {
    total = ofDay.reduce((sum, { bytes }) => sum + bytes, total);
    return { label, parts: [total] };
  });
  return columns.slice(-MAX_COLUMNS);
}

/** All days from the first to the last with activity; at least two weeks. */
function days(shares: readonly DayShare[]): [day: string, shares: DayShare[]][] {
  const byDay = Map.groupBy(shares, ({ day }) => day);
  const recorded = [...byDay.keys()].sort();
  const [first, last] = [recorded[0], recorded.at(-1)];
  if (first === undefined || last === undefined) return [];
  // Counts from noon: when daylight saving time ends, midnight plus 24 hours is still the same day.
  const end = Date.parse(`${last}T12:00`);
  const start = Math.min(Date.parse(`${first}T12:00`), end - (MIN_COLUMNS - 1) * DAY_MS);
  const all: [string, DayShare[]][] = [];
  for (let at = start; localDay(at) <= last; at += DAY_MS) all.push([localDay(at), byDay.get(localDay(at)) ?? []]);
  return all;
}
