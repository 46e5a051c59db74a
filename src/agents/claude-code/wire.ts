// The answers that Claude Code accepts from hooks, and two payloads that other parts read.
import type { Activity } from "../../core/event.ts";
import { asObject, asString } from "../../core/json.ts";
import { type HookOutput, hookSpecificAnswer } from "../hook-wire.ts";

const GO_ON = { continue: true, suppressOutput: true };

/** The event that an answer with text must name. */
const EVENT_NAMES: Readonly<Partial<Record<Activity["kind"], string>>> = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  "tool-use": "PostToolUseFailure",
  "tool-start": "PreToolUse",
  "subagent-start": "SubagentStart",
};

export function hookAnswer(command: string, activity: Activity | undefined, output: HookOutput) {
  // Claude Code takes the output of a PreCompact hook for instructions on how to summarize.
  if (activity?.kind === "checkpoint") return undefined;
  if (activity === undefined || (output.text === undefined && output.message === undefined))
    return command === "context" ? {} : GO_ON;
  const answer = hookSpecificAnswer(EVENT_NAMES[activity.kind], output);
  return activity.kind === "session-start" ? answer : { ...GO_ON, ...answer };
}

/** The folder in the payload of a status line. */
export function statusLineFolder(payload: unknown): string | undefined {
  const fields = asObject(payload);
  return asString(asObject(fields?.["workspace"])?.["current_dir"] ?? fields?.["cwd"]);
}

/** What the Agent tool (Task in older versions) asks a subagent to do. */
export function subagentTask(input: unknown): { type: string | undefined; text: string } | undefined {
  const fields = asObject(input);
  const prompt = asString(fields?.["prompt"]);
  if (prompt === undefined) return undefined;
  return { type: asString(fields?.["subagent_type"]), text: `${asString(fields?.["description"]) ?? ""}\n${prompt}` };
}
