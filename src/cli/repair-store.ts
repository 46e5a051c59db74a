// A command that meets a damaged database repairs it before it goes on, unless a worker is there to do it.
import { withLockNow } from "../config/take-lock.ts";
import type { Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { VERSION } from "../core/version.ts";
import { repairText } from "../answers/repair-text.ts";
import { repairStore } from "../memory/repair.ts";
import { say } from "./output.ts";

/** Says what was done. */
export function repairNow(paths: Paths): void {
  say("The database is damaged. Repairing it …");
  const repair = withLockNow(paths, VERSION, () => repairStore(paths, Date.now()));
  if (repair === undefined) {
    throw new AppError("store_damaged", `${paths.database} is damaged, and the worker is about to repair it.`, {
      hint: "Try again in a moment. What agents do meanwhile waits in the spool.",
    });
  }
  say(repairText(repair));
}
