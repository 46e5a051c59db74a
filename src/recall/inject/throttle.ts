// Injects less if injected context is seldom used, and more again once it is used more often.
import type { Surface } from "../../core/event.ts";
import type { Db } from "../../store/db/driver.ts";
import { countUsedInjections } from "../../store/tables/injections.ts";

/** 0: no throttle; 1: inject less; 2: inject least. */
export type ThrottleLevel = 0 | 1 | 2;

/** Based on the used share of the surface's last 40 injections. With fewer than 20, there is no throttle. */
const MAX_INJECTIONS = 40;
const MIN_INJECTIONS = 20;
const SELDOM = 0.15;
const HARDLY_EVER = 0.05;

export function throttleLevel(db: Db, surface: Surface, now: number): ThrottleLevel {
  const { shown, used } = countUsedInjections(db, surface, now, MAX_INJECTIONS);
  if (shown < MIN_INJECTIONS) return 0;
  if (used / shown < HARDLY_EVER) return 2;
  return used / shown < SELDOM ? 1 : 0;
}
