// How much a surface says: one whose lines nobody uses grows quieter on its own, and louder again when they are used.
import type { Surface } from "../../core/event.ts";
import type { Db } from "../../store/db/driver.ts";
import { recentUse } from "../../store/tables/injections.ts";

const JUDGED = 40;
/** Fewer say nothing. */
const ENOUGH = 20;
const SELDOM = 0.15;
const HARDLY_EVER = 0.05;

/** 0: as usual; 1: less; 2: only what is certain. */
export function throttleLevel(db: Db, surface: Surface, now: number): 0 | 1 | 2 {
  const { shown, used } = recentUse(db, surface, now, JUDGED);
  if (shown < ENOUGH) return 0;
  const share = used / shown;
  if (share < HARDLY_EVER) return 2;
  return share < SELDOM ? 1 : 0;
}
