// c-mem forget: removes something for good, and shows that it is gone.
import type { Asked } from "../../answers/asked.ts";
import { planForget } from "../../answers/forget.ts";
import { AppError } from "../../core/error.ts";
import { clearCopies } from "../../memory/forget-again.ts";
import { isUnclean, overwriteDeleted, scrub } from "../../store/erase.ts";
import { runForget } from "../forget-run.ts";
import type { CommandOptions } from "../table.ts";
import { EXIT, print, printJson } from "../output.ts";
import { askAsync } from "../question.ts";

export function run({ args, flags, json }: CommandOptions): Promise<number> {
  return askAsync(flags, async (asked) => {
    if (args.length === 0) return finish(asked, json);
    return runForget(asked, planForget(asked, args), { json, command: "forget" });
  });
}

/** After a run that was killed, or that met a reader it had to wait for too long. */
function finish({ db, paths }: Asked, json: boolean): number {
  overwriteDeleted(db);
  if (!isUnclean(db)) throw new AppError("usage", "What shall be forgotten?", { hint: "c-mem forget <id or words>" });
  clearCopies(db, paths, { pieces: [], sessions: [] });
  if (!scrub(db)) {
    throw new AppError("store_busy", "Another program is reading the database.", { hint: "Try again in a moment." });
  }
  if (json) printJson("forget", { applied: true, finished: true });
  else print("What was forgotten before is now gone from the files as well.");
  return EXIT.ok;
}
