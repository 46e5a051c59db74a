// Repairs a damaged database for a command, unless a worker is repairing it.
import { tryWithLock } from "../platform/take-lock.ts";
import type { Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { VERSION } from "../core/version.ts";
import { type Repair, type RepairPhase, repairStore, repairText } from "../upkeep/backup/repair.ts";
import { say } from "./output.ts";
import { count } from "../core/text.ts";
import { startProgress, type Step } from "./progress.ts";

export function repairNow(paths: Paths): void {
  say("The database is damaged. Repairing it …");
  const repair = tryWithLock(paths, VERSION, () => repairWithProgress(paths));
  if (repair === undefined) {
    throw new AppError("store_damaged", `${paths.database} is damaged. The worker is repairing it.`, {
      hint: "Try again in a moment. Hooks keep recording into the spool.",
    });
  }
  say(repairText(repair));
}

function repairWithProgress(paths: Paths): Repair {
  const progress = startProgress(false, (rows) => count(rows, "row"));
  let step: Step = { done: 0, total: 0 };
  const onStep = (phase: RepairPhase, rows: number): void => {
    step = { phase, done: (phase === step.phase ? step.done : 0) + rows, total: 0 };
    progress.show(step);
  };
  try {
    return repairStore(paths, Date.now(), { onStep });
  } finally {
    progress.end();
  }
}
