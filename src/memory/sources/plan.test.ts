import { describe, expect, it } from "vitest";
import { turn, used } from "../../../test/evidence.ts";
import { approvedPlans, planInPrompt, proposedPlan } from "./plan.ts";

const PLAN = `# Plan: Retry uploads after a lost connection

## Context

Uploads fail for good if the connection drops once. Users then select every file again. The cases are:

## Changes

### 1. Add \`retry()\`

**File:** \`src/retry.ts\`

- Waits 200 ms, then twice as long

### 2. Use it in \`upload()\`

Replace the single call.

## Verification

1. Run the tests
2. Unplug the cable`;

const READ = {
  title: "Retry uploads after a lost connection",
  why: "Uploads fail for good if the connection drops once. Users then select every file again.",
  steps: ["Add `retry()`", "Use it in `upload()`"],
};

describe("approvedPlans", () => {
  it.each<[string, Record<string, unknown>, string, string]>([
    ["the call", { plan: PLAN }, "", "ExitPlanMode"],
    [
      "the reply, which has the user's edits",
      { plan: "# Another\n\nText" },
      `User has approved your plan. You can now start coding.\n\n## Approved Plan (edited by user):\n${PLAN}`,
      "ExitPlanMode",
    ],
    [
      "a structured reply",
      {},
      JSON.stringify({ plan: PLAN, filePath: "/home/user/.claude/plans/a.md" }),
      "ExitPlanMode",
    ],
    ["Copilot's call", { summary: PLAN, actions: ["autopilot"] }, "Plan approved!", "exit_plan_mode"],
  ])("reads the plan from %s", (_, input, output, name) => {
    expect(approvedPlans(turn("plan it", used(name, input, { output })))).toEqual([
      { ...READ, id: "t1", approvedIn: "dialog" },
    ]);
  });

  it("does not read rejected plans", () => {
    const evidence = turn(
      "plan it",
      used("ExitPlanMode", { plan: PLAN }, { output: "The user doesn't want to proceed", isError: true }),
      used("exit_plan_mode", { summary: PLAN }, { output: "Plan rejected by the user" }),
    );
    expect(approvedPlans(evidence)).toEqual([]);
  });

  it.each(["Implement the following plan:", "PLEASE IMPLEMENT THIS PLAN:"])("reads a prompt: %s", (preamble) => {
    expect(approvedPlans(turn(`${preamble}\n\n${PLAN}`))).toEqual([{ ...READ, id: "p1", approvedIn: "prompt" }]);
  });

  it("does not read a plan in a prompt that does not ask for it to be implemented", () => {
    expect(planInPrompt(`What do you think of this plan?\n\n${PLAN}`)).toBeUndefined();
  });
});

describe("steps", () => {
  it("are the list of the section about the work, without headings of steps", () => {
    const text =
      "# Add a filter\n\n## Goal\nFind todos.\n\n## Approach\n1. Parse the flag\n2. Filter the list\n\n## Risks\n- None";
    expect(planInPrompt(`Implement this plan:\n${text}`)).toEqual({
      title: "Add a filter",
      why: "Find todos.",
      steps: ["Parse the flag", "Filter the list"],
    });
  });
});

describe("proposedPlan", () => {
  it("reads the plan in a message of Codex", () => {
    expect(proposedPlan(`Here it is.\n<proposed_plan>\n${PLAN}\n</proposed_plan>`)).toEqual(READ);
    expect(proposedPlan("Here it is.")).toBeUndefined();
  });
});
