// Points in time, relative to now; the full date is in the title.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { clock, dayName, fullTime, howLongAgo, localDay } from "../format.ts";

const TICK_MS = 30_000;

const now = signal(Date.now());
setInterval(() => {
  if (document.visibilityState === "visible") now.value = Date.now();
}, TICK_MS);

export function Time({ at, as = "ago" }: { at: string | number; as?: "ago" | "clock" | "day" }) {
  const ms = typeof at === "number" ? at : Date.parse(at);
  const text = { ago: howLongAgo, clock, day: dayName }[as](ms, Math.max(now.value, ms));
  return (
    <time dateTime={new Date(ms).toISOString()} title={fullTime(ms)}>
      {text}
    </time>
  );
}

interface DaysProps<Row> {
  rows: readonly Row[];
  timeOf: (row: Row) => string;
  children: (row: Row) => ComponentChildren;
}

/** Rows under a heading for each day: "Today", "Yesterday", "Sat, Feb 21". */
export function Days<Row>({ rows, timeOf, children }: DaysProps<Row>) {
  return [...Map.groupBy(rows, (row) => localDay(Date.parse(timeOf(row))))].map(([day, list]) => (
    <section key={day} class="day">
      <h2>
        <Time at={`${day}T12:00`} as="day" />
      </h2>
      <ul>{list.map(children)}</ul>
    </section>
  ));
}
