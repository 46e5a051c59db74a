// A moment, as long ago as it is now; the whole date is in its title.
import { signal } from "@preact/signals";
import { clock, fullTime, howLongAgo } from "../format.ts";

const TICK_MS = 30_000;

/** The time of day for everything that says how long ago something was. */
export const now = signal(Date.now());
setInterval(() => {
  if (document.visibilityState === "visible") now.value = Date.now();
}, TICK_MS);

export function Time({ at, as = "ago" }: { at: string | number; as?: "ago" | "clock" }) {
  const ms = typeof at === "number" ? at : Date.parse(at);
  return (
    <time dateTime={new Date(ms).toISOString()} title={fullTime(ms)}>
      {as === "clock" ? clock(ms) : howLongAgo(ms, Math.max(now.value, ms))}
    </time>
  );
}
