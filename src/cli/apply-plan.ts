// Shows a plan, asks, and runs it step by step.
import type { Step } from "../agents/setup.ts";
import { EXIT, printJson, say } from "./output.ts";
import { askYesNo } from "./prompts.ts";

export interface PlanOptions {
  command: string;
  steps: Step[];
  question: string;
  /** Deletes data for good: Enter alone means no. */
  isDestructive?: boolean;
  yes: boolean;
  dryRun: boolean;
  json: boolean;
  /** Printed if there are no steps. */
  nothing: string;
  /** Runs after the last step. */
  after?: () => void;
  /** Printed at the end; a function if it depends on the result of the steps. */
  done: string | (() => string);
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
  if (!plan.yes && !(await askYesNo(plan.question, plan))) {
    say("Nothing was changed.");
    report(false);
    return EXIT.failure;
  }
  for (const step of steps) {
    if (step.progress !== undefined) say(step.progress);
    await step.run();
  }
  plan.after?.();
  say(typeof plan.done === "string" ? plan.done : plan.done());
  report(true);
  return EXIT.ok;
}
