// Shows a plan, asks, carries it out step by step.
import { confirm, isCancel } from "@clack/prompts";
import type { Step } from "../agents/step.ts";
import { AppError } from "../core/error.ts";
import { EXIT, printJson, say } from "./output.ts";

export interface PlanOptions {
  command: string;
  steps: Step[];
  question: string;
  yes: boolean;
  dryRun: boolean;
  json: boolean;
  /** Said (and in JSON) when there is nothing to do. */
  nothing: string;
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
  if (!plan.yes && !(await ask(plan.question))) {
    say("Nothing was changed.");
    report(false);
    return EXIT.failure;
  }
  for (const step of steps) {
    if (step.progress !== undefined) say(step.progress);
    await step.run();
  }
  say(plan.done);
  report(true);
  return EXIT.ok;
}

async function ask(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new AppError("usage", "This changes files and there is no terminal to ask on.", {
      hint: "Add --yes to go ahead, or --dry-run to see the changes.",
    });
  }
  const answer = await confirm({ message: question, output: process.stderr });
  return !isCancel(answer) && answer;
}
