// Converts Claude Code's hook payloads to events.
import type { Activity } from "../../core/event.ts";
import { asId, asInteger, asObject, asString, type JsonObject } from "../../core/json.ts";
import type { Loose } from "../fields.ts";
import {
  type HookOutput,
  hookSpecificAnswer,
  hookWire,
  promptActivity,
  readSessionEnd,
  readSessionStart,
} from "../hook-wire.ts";
import { toolUse } from "../tool-use.ts";
import { toolOutput, touchedFiles } from "./tool.ts";

export const claudeCodeWire = hookWire({
  agent: "claude-code",
  isFirstEventAssumed: true,
  events: {
    context: { SessionStart: readSessionStart },
    new: { UserPromptSubmit: readPrompt },
    save: {
      PostToolUse: (payload) => readToolUse(payload, false),
      PostToolUseFailure: (payload) => readToolUse(payload, true),
    },
    recall: {
      PreToolUse: readToolStart,
      SubagentStart: (payload) =>
        payload["agent_type"] ? { kind: "subagent-start", promptId: asId(payload["prompt_id"]) } : undefined,
    },
    summary: {
      Stop: readTurnEnd,
      // Claude Code runs compaction as a subagent without a type, which is not recorded.
      SubagentStop: (payload) => (payload["agent_type"] ? readTurnEnd(payload) : undefined),
      PreCompact: (payload) => ({ kind: "checkpoint", promptId: asId(payload["prompt_id"]) }),
    },
    cleanup: { SessionEnd: readSessionEnd },
  },
  header(payload, { env }) {
    // Cursor also runs the hooks in Claude Code's settings. Cursor's own hooks record these sessions.
    if (payload["cursor_version"] !== undefined) return {};
    return {
      sessionId: asId(payload["session_id"]) ?? asId(env["CLAUDE_CODE_SESSION_ID"]),
      agentId: asId(payload["agent_id"]),
      agentType: asString(payload["agent_type"]),
    };
  },
  answer: hookAnswer,
});

const CONTINUE = { continue: true, suppressOutput: true };

/** Claude Code accepts text only in an answer that names the hook's event. */
const EVENT_NAMES: Readonly<Partial<Record<Activity["kind"], string>>> = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  "tool-use": "PostToolUseFailure",
  "tool-start": "PreToolUse",
  "subagent-start": "SubagentStart",
};

function hookAnswer(command: string, activity: Activity | undefined, output: HookOutput) {
  // Claude Code would take output of a PreCompact hook as instructions for the summary.
  if (activity?.kind === "checkpoint") return undefined;
  if (activity === undefined || (output.text === undefined && output.message === undefined))
    return command === "context" ? {} : CONTINUE;
  const answer = hookSpecificAnswer(EVENT_NAMES[activity.kind], output);
  return activity.kind === "session-start" ? answer : { ...CONTINUE, ...answer };
}

function readPrompt(payload: JsonObject): Loose<Activity> | undefined {
  const text = asString(payload["prompt"]) ?? "";
  return isMachinePrompt(text) ? { kind: "machine-prompt" } : promptActivity(text, asId(payload["prompt_id"]));
}

function readTurnEnd(payload: JsonObject): Loose<Activity> {
  const response = asString(payload["last_assistant_message"]);
  return { kind: "turn-end", promptId: asId(payload["prompt_id"]), response };
}

function readToolUse(payload: JsonObject, hasFailed: boolean): Loose<Activity> | undefined {
  const name = asId(payload["tool_name"]);
  if (name === undefined) return undefined;
  const { tool_input: input, tool_response: response } = payload;
  const output = hasFailed ? asString(payload["error"]) : toolOutput(name, response);
  return toolUse({
    toolUseId: asId(payload["tool_use_id"]),
    promptId: asId(payload["prompt_id"]),
    name,
    input: input ?? {},
    output,
    hasFailed,
    exitCode: name === "Bash" ? exitCode(output, hasFailed) : undefined,
    durationMs: asInteger(payload["duration_ms"]),
    files: touchedFiles(name, input, response),
  });
}

function readToolStart(payload: JsonObject): Loose<Activity> | undefined {
  const name = asId(payload["tool_name"]);
  if (name === undefined) return undefined;
  const input = payload["tool_input"] ?? {};
  const path = asString(asObject(input)?.["file_path"]) || undefined;
  return { kind: "tool-start", promptId: asId(payload["prompt_id"]), name, input, path };
}

/** The text of a failed command starts with "Exit code N", unless it timed out or was interrupted. */
export function exitCode(output: string | undefined, hasFailed: boolean): number | undefined {
  if (!hasFailed) return 0;
  const code = /^Exit code (\d{1,3})\b/.exec(output ?? "")?.[1];
  return code === undefined ? undefined : Number(code);
}

/** True for a prompt that Claude Code itself writes: background work ended, a teammate wrote, a command was run. */
export function isMachinePrompt(text: string): boolean {
  return /^\s*<(?:task-notification|teammate-message|local-command-stdout|bash-input|bash-stdout)\b/.test(text);
}
