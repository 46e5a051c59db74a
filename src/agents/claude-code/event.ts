// Reduces a hook payload to our event, or to undefined when there is nothing in it for us.
import type { Activity, AgentEvent } from "../../core/event.ts";
import type { HookCall } from "../hook-wire.ts";
import { asId, asInteger, asObject, asString, type JsonObject, present, payloadTime } from "../../core/json.ts";
import { toolOutput, touchedFiles } from "./tool.ts";

/** The event a hook command stands for when the payload does not name one. */
const DEFAULT_EVENT: Readonly<Record<string, string>> = {
  context: "SessionStart",
  new: "UserPromptSubmit",
  save: "PostToolUse",
  recall: "PreToolUse",
  summary: "Stop",
  cleanup: "SessionEnd",
};

/** The events each hook command listens to; anything else it is sent is well-formed but foreign. */
const EVENTS: Readonly<Record<string, readonly string[]>> = {
  context: ["SessionStart"],
  new: ["UserPromptSubmit"],
  save: ["PostToolUse", "PostToolUseFailure"],
  recall: ["PreToolUse", "SubagentStart"],
  summary: ["Stop", "SubagentStop", "PreCompact"],
  cleanup: ["SessionEnd"],
};

export function hookEvent(call: Omit<HookCall, "readEnd">): AgentEvent | undefined {
  const payload = asObject(call.payload) ?? {};
  // Cursor runs the hooks it finds in Claude Code's settings as well; its sessions are told by hooks of their own.
  if (payload["cursor_version"] !== undefined) return undefined;
  const name = asString(payload["hook_event_name"]) ?? DEFAULT_EVENT[call.command] ?? "";
  if (!EVENTS[call.command]?.includes(name)) return undefined;
  const sessionId = asId(payload["session_id"]) ?? asId(call.env["CLAUDE_CODE_SESSION_ID"]);
  const activity = sessionId === undefined ? undefined : hookActivity(name, payload);
  if (sessionId === undefined || activity === undefined) return undefined;
  return {
    agent: "claude-code",
    sessionId,
    ...present("agentId", asId(payload["agent_id"])),
    ...present("agentType", asString(payload["agent_type"])),
    cwd: asString(payload["cwd"]) || call.cwd(),
    ...present("transcriptPath", asString(payload["transcript_path"])),
    at: payloadTime(payload["timestamp"], call.at),
    activity,
  };
}

function hookActivity(name: string, payload: JsonObject): Activity | undefined {
  const promptId = present("promptId", asId(payload["prompt_id"]));
  switch (name) {
    case "SessionStart":
      return {
        kind: "session-start",
        source: asString(payload["source"]) ?? "startup",
        ...present("model", asString(payload["model"])),
      };
    case "UserPromptSubmit": {
      const text = asString(payload["prompt"]);
      if (text === undefined || text.trim() === "") return undefined;
      return isMachinePrompt(text) ? { kind: "machine-prompt" } : { kind: "prompt", ...promptId, text };
    }
    case "PostToolUse":
    case "PostToolUseFailure":
      return toolActivity(payload, name === "PostToolUseFailure");
    case "PreToolUse":
      return toolStart(payload);
    case "SubagentStart":
      return payload["agent_type"] ? { kind: "subagent-start", ...promptId } : undefined;
    case "Stop":
      return { kind: "turn-end", ...promptId, ...present("response", asString(payload["last_assistant_message"])) };
    case "SubagentStop":
      // Compaction runs as a nameless agent: nobody's work ended.
      if (!payload["agent_type"]) return undefined;
      return { kind: "turn-end", ...promptId, ...present("response", asString(payload["last_assistant_message"])) };
    case "PreCompact":
      return { kind: "checkpoint", ...promptId };
    case "SessionEnd":
      return { kind: "session-end", reason: asString(payload["reason"]) ?? "other" };
    default:
      return undefined;
  }
}

function toolActivity(payload: JsonObject, failed: boolean): Activity | undefined {
  const name = asId(payload["tool_name"]);
  if (name === undefined) return undefined;
  const output = failed ? asString(payload["error"]) : toolOutput(name, payload["tool_response"]);
  return {
    kind: "tool-use",
    ...present("toolUseId", asId(payload["tool_use_id"])),
    ...present("promptId", asId(payload["prompt_id"])),
    name,
    input: payload["tool_input"] ?? {},
    ...present("output", output),
    isError: failed,
    ...present("exitCode", name === "Bash" ? exitCode(output, failed) : undefined),
    ...present("durationMs", asInteger(payload["duration_ms"])),
    // A tool that failed touched nothing.
    files: failed ? [] : touchedFiles(name, payload["tool_input"], payload["tool_response"]),
  };
}

function toolStart(payload: JsonObject): Activity | undefined {
  const name = asId(payload["tool_name"]);
  if (name === undefined) return undefined;
  const input = payload["tool_input"] ?? {};
  const path = asString(asObject(input)?.["file_path"]);
  return {
    kind: "tool-start",
    ...present("promptId", asId(payload["prompt_id"])),
    name,
    input,
    ...present("path", path === "" ? undefined : path),
  };
}

/** A failed command's text starts with "Exit code N"; without it (a timeout, an interrupt) there was none. */
export function exitCode(output: string | undefined, failed: boolean): number | undefined {
  if (!failed) return 0;
  const code = /^Exit code (\d{1,3})\b/.exec(output ?? "")?.[1];
  return code === undefined ? undefined : Number(code);
}

/** The client submits prompts of its own when background work ends or a teammate writes. */
export function isMachinePrompt(text: string): boolean {
  return /^\s*<(?:task-notification|teammate-message|local-command-stdout|bash-input|bash-stdout)\b/.test(text);
}
