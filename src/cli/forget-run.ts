// Forgets what was selected: shows it, asks, deletes it, and reports whether that is verified.
import type { QueryContext } from "../queries/query.ts";
import { carryOutForget, type Plan } from "../queries/forget.ts";
import { AppError } from "../core/error.ts";
import { shortIds } from "../store/reads/short-ids.ts";
import { planText, receiptText } from "./forget-text.ts";
import { EXIT, print, printAnswer, say } from "./output.ts";
import { askYesNo } from "./prompts.ts";

interface HowToForget {
  json: boolean;
  yes: boolean;
  dryRun: boolean;
  command: string;
  /** A file that may keep naming what is forgotten. */
  namedIn?: string;
  /** Runs after the question is answered, yes or no. */
  beforehand?: () => void;
}

export async function runForget(context: QueryContext, plan: Plan, how: HowToForget): Promise<number> {
  const { json, command, namedIn, beforehand } = how;
  const shortId = shortIds(
    context.db,
    plan.rows.sessions.map((row) => row.item),
  );
  if (how.dryRun) {
    if (json) printAnswer(command, plan);
    else print(planText(plan.rows, "This would go:", shortId));
    return EXIT.ok;
  }
  if (!how.yes) {
    say(planText(plan.rows, "This will go, for good:", shortId));
    if (!(await askYesNo("Forget it?", { isDestructive: true }))) {
      beforehand?.();
      say("Nothing was forgotten.");
      return EXIT.failure;
    }
  }
  beforehand?.();
  const answer = carryOutForget(context, plan, namedIn);
  const { trouble, isProven } = answer.receipt;
  if (trouble !== undefined)
    say(trouble instanceof AppError ? `${trouble.message} ${trouble.hint ?? ""}` : String(trouble));
  if (json) printAnswer(command, answer);
  else print(receiptText(answer.receipt, plan.rows));
  return isProven ? EXIT.ok : EXIT.failure;
}
