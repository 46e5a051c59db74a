// A command that meets a damaged database repairs it before it goes on, unless a worker is there to do it.
import { withLockNow } from "../config/take-lock.ts";
import type { Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { VERSION } from "../core/version.ts";
import { type Repair, repairStore } from "../memory/repair.ts";
import type { Report } from "../store/set-aside.ts";
import { count, say } from "./output.ts";

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

export function repairText(repair: Repair): string {
  if (repair.kind === "whole") return "Nothing was wrong with it.";
  if (repair.kind === "indexed") return "Only its search index was; that was made anew.";
  return `${reportText(repair.report)} The damaged file is kept in ${repair.setAside}.`;
}

/** What a damaged database was replaced by. */
export function reportText({ backup, recovered = {}, lost = 0 }: Report): string {
  const rows = Object.values(recovered).reduce((sum, number) => sum + number, 0);
  const parts = [
    backup === undefined ? "It was built anew" : `The backup ${backup} was restored`,
    `${count(rows, "row")} ${rows === 1 ? "was" : "were"} read out of the damaged file`,
    ...(lost > 0 ? [`some ${count(lost, "row")} could not be read`] : []),
  ];
  return `${parts.join(", ")}. What the transcripts hold comes back by itself, or now with: c-mem sync --force.`;
}
