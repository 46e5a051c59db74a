// Repairs a damaged database for a command, unless a worker is doing it.
import { withLockNow } from "../platform/take-lock.ts";
import type { Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { VERSION } from "../core/version.ts";
import { repairText } from "../health/repair-text.ts";
import { type Repair, type RepairPhase, repairStore } from "../upkeep/backup/repair.ts";
import { say } from "./output.ts";
import { count } from "../core/text.ts";
import { type Progress, startProgress } from "./progress.ts";

/** Reports what was done. */
export function repairNow(paths: Paths): void {
  say("The database is damaged. Repairing it …");
  const repair = withLockNow(paths, VERSION, () => repairWithProgress(paths));
  if (repair === undefined) {
    throw new AppError("store_damaged", `${paths.database} is damaged, and the worker is about to repair it.`, {
      hint: "Try again in a moment. What agents do meanwhile waits in the spool.",
    });
  }
  say(repairText(repair));
}

function repairWithProgress(paths: Paths): Repair {
  let shown: { progress: Progress; phase: RepairPhase } | undefined;
  const onStep = (phase: RepairPhase, rows: number): void => {
    if (shown?.phase !== phase) {
      shown?.progress.end();
      shown = { progress: startProgress(0, false, { about: phase, show: (read) => count(read, "row") }), phase };
    }
    shown.progress.add(rows);
  };
  try {
    return repairStore(paths, Date.now(), { onStep });
  } finally {
    shown?.progress.end();
  }
}
