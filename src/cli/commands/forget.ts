// c-mem forget: removes something for good, and shows that it is gone.
import type { Asked } from "../../answers/asked.ts";
import { carryOutForget, planForget } from "../../answers/forget.ts";
import { AppError } from "../../core/error.ts";
import { clearCopies } from "../../memory/forget-again.ts";
import { isUnclean, overwriteDeleted, scrub } from "../../store/erase.ts";
import { ask as confirm } from "../apply-plan.ts";
import { planText, receiptText } from "../forget-text.ts";
import type { CommandOptions } from "../table.ts";
import { EXIT, print, printAnswer, printJson, say } from "../output.ts";
import { askAsync } from "../question.ts";

export function run({ args, flags, json }: CommandOptions): Promise<number> {
  return askAsync(flags, async (asked) => {
    if (args.length === 0) return finish(asked, json);
    const plan = planForget(asked, args);
    if (flags["dryRun"] === true) {
      if (json) printAnswer("forget", plan);
      else print(planText(plan.rows, "This would go:"));
      return EXIT.ok;
    }
    if (flags["yes"] !== true) {
      say(planText(plan.rows, "This will go, for good:"));
      const answer = await confirm({ question: "Forget it?", isDestructive: true });
      if (answer !== true) {
        say("Nothing was changed.");
        return answer === false ? EXIT.failure : EXIT.interrupted;
      }
    }
    const answer = carryOutForget(asked, plan);
    const { trouble, isProven } = answer.receipt;
    if (trouble !== undefined)
      say(trouble instanceof AppError ? `${trouble.message} ${trouble.hint ?? ""}` : String(trouble));
    if (json) printAnswer("forget", answer);
    else print(receiptText(answer.receipt, plan.rows));
    return isProven ? EXIT.ok : EXIT.failure;
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
