// Forgets what was chosen: shows it, asks, takes it out, says whether that is proven.
import type { Asked } from "../answers/asked.ts";
import { carryOutForget, type Plan } from "../answers/forget.ts";
import { AppError } from "../core/error.ts";
import { ask } from "./apply-plan.ts";
import { planText, receiptText } from "./forget-text.ts";
import { EXIT, print, printAnswer, say } from "./output.ts";

interface HowToForget {
  json: boolean;
  command: string;
  /** A file that names what is forgotten on purpose. */
  namedIn?: string;
}

export async function runForget(asked: Asked, plan: Plan, how: HowToForget): Promise<number> {
  const { json, command, namedIn } = how;
  if (asked.flags["dryRun"] === true) {
    if (json) printAnswer(command, plan);
    else print(planText(plan.rows, "This would go:"));
    return EXIT.ok;
  }
  if (asked.flags["yes"] !== true) {
    say(planText(plan.rows, "This will go, for good:"));
    const answer = await ask({ question: "Forget it?", isDestructive: true });
    if (answer !== true) {
      say("Nothing was changed.");
      return answer === false ? EXIT.failure : EXIT.interrupted;
    }
  }
  const answer = carryOutForget(asked, plan, namedIn);
  const { trouble, isProven } = answer.receipt;
  if (trouble !== undefined)
    say(trouble instanceof AppError ? `${trouble.message} ${trouble.hint ?? ""}` : String(trouble));
  if (json) printAnswer(command, answer);
  else print(receiptText(answer.receipt, plan.rows));
  return isProven ? EXIT.ok : EXIT.failure;
}
