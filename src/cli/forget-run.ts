// Forgets what was chosen: shows it, asks, takes it out, says whether that is proven.
import type { Asked } from "../queries/legacy.ts";
import { carryOutForget, type Plan } from "../queries/forget.ts";
import { AppError } from "../core/error.ts";
import { shortIds } from "../store/reads/short-ids.ts";
import { planText, receiptText } from "./forget-text.ts";
import { EXIT, print, printAnswer, say } from "./output.ts";
import { askYesNo } from "./prompts.ts";

interface HowToForget {
  json: boolean;
  command: string;
  /** A file that names what is forgotten on purpose. */
  namedIn?: string;
  /** Done once the question is answered, whether with yes or no. */
  beforehand?: () => void;
}

export async function runForget(asked: Asked, plan: Plan, how: HowToForget): Promise<number> {
  const { json, command, namedIn, beforehand } = how;
  const shortId = shortIds(
    asked.db,
    plan.rows.sessions.map((row) => row.item),
  );
  if (asked.flags["dryRun"] === true) {
    if (json) printAnswer(command, plan);
    else print(planText(plan.rows, "This would go:", shortId));
    return EXIT.ok;
  }
  if (asked.flags["yes"] !== true) {
    say(planText(plan.rows, "This will go, for good:", shortId));
    if (!(await askYesNo("Forget it?", { isDestructive: true }))) {
      beforehand?.();
      say("Nothing was forgotten.");
      return EXIT.failure;
    }
  }
  beforehand?.();
  const answer = carryOutForget(asked, plan, namedIn);
  const { trouble, isProven } = answer.receipt;
  if (trouble !== undefined)
    say(trouble instanceof AppError ? `${trouble.message} ${trouble.hint ?? ""}` : String(trouble));
  if (json) printAnswer(command, answer);
  else print(receiptText(answer.receipt, plan.rows));
  return isProven ? EXIT.ok : EXIT.failure;
}
