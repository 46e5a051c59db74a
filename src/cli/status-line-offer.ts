// Asks, once and only on a terminal, whether C-Mem may use the status line.
import type { ClaudeSite } from "../agents/claude-code/site.ts";
import { AppError } from "../core/error.ts";
import { askYesNo, canAsk } from "./prompts.ts";

interface StatusLineInput {
  statusline: boolean;
  noStatusline: boolean;
  yes: boolean;
  dryRun: boolean;
}

/** True: add it, or keep it up to date. Never overwrites another tool's. */
export async function wantsStatusLine(site: ClaudeSite, input: StatusLineInput): Promise<boolean> {
  const wanted = input.statusline ? true : input.noStatusline ? false : undefined;
  if (site.statusLine === "other") {
    if (wanted !== true) return false;
    throw new AppError(
      "status_line_taken",
      `${site.settingsPath} already has another status line; it was not changed.`,
      {
        hint: "Have your own script call `c-mem statusline` with its stdin, or remove it first.",
      },
    );
  }
  if (wanted !== undefined) return wanted;
  if (site.statusLine === "ours") return true;
  const isAsked = canAsk() && !input.yes && !input.dryRun;
  return isAsked && askYesNo("Show C-Mem in Claude Code's status line?");
}
