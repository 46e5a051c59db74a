// Asks, once and only on a terminal, whether C-Mem may use the status line.
import type { ClaudeSite } from "../agents/claude-code/site.ts";
import { AppError } from "../core/error.ts";
import { askYesNo, canAsk } from "./prompts.ts";

/** True: to be added, or kept up to date. Another's is never overwritten. */
export async function wantsStatusLine(site: ClaudeSite, flags: Record<string, unknown>): Promise<boolean> {
  const flag = flags["statusline"];
  if (site.statusLine === "other") {
    if (flag !== true) return false;
    throw new AppError(
      "status_line_taken",
      `There is another status line in ${site.settingsPath}; it was left alone.`,
      {
        hint: "Have your own script call `c-mem statusline` with its stdin, or take it out first.",
      },
    );
  }
  if (typeof flag === "boolean") return flag;
  if (site.statusLine === "ours") return true;
  const isAsked = canAsk() && flags["yes"] !== true && flags["dryRun"] !== true;
  return isAsked && askYesNo("Show in Claude Code's status line what C-Mem remembers and spends?");
}
