// Shows a plan, asks, carries it out step by step.
import { confirm, isCancel } from "@clack/prompts";
import type { Step } from "../agents/step.ts";
import { AppError } from "../core/error.ts";
import { EXIT, printJson, say } from "./output.ts";

export interface PlanOptions {
  command: string;
  steps: Step[];
  question: string;
  /** Something is deleted for good: "no" is the answer somebody gives who only presses return. */
  isDestructive?: boolean;
  yes: boolean;
  dryRun: boolean;
  json: boolean;
  /** Said (and in JSON) when there is nothing to do. */
  nothing: string;
  /** Runs when every step has. */
  after?: () => void;
  done: string;
}

export async function applyPlan(plan: PlanOptions): Promise<number> {
  const { steps, command, json } = plan;
  const report = (applied: boolean) => {
    if (json) printJson(command, { steps: steps.map((step) => step.about), applied });
  };
  if (steps.length === 0) {
    say(plan.nothing);
    report(false);
    return EXIT.ok;
  }
  say(plan.dryRun ? "This would:" : "This will:");
  for (const step of steps) say(`  - ${step.about}`);
  if (plan.dryRun) {
    report(false);
    return EXIT.ok;
  }
  const answer = plan.yes ? true : await ask(plan);
  if (answer !== true) {
    say("Nothing was changed.");
    report(false);
    return answer === false ? EXIT.failure : EXIT.interrupted;
  }
  for (const step of steps) {
    if (step.progress !== undefined) say(step.progress);
    await step.run();
  }
  plan.after?.();
  say(plan.done);
  report(true);
  return EXIT.ok;
}

/** Undefined when the person has left with Ctrl-C. */
export async function ask({
  question,
  isDestructive = false,
}: Pick<PlanOptions, "question" | "isDestructive">): Promise<boolean | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new AppError("usage", "This changes files and there is no terminal to ask on.", {
      hint: "Add --yes to go ahead, or --dry-run to see the changes.",
    });
  }
  const answer = await confirm({ message: question, output: process.stderr, initialValue: !isDestructive });
  return isCancel(answer) ? undefined : answer;
}
