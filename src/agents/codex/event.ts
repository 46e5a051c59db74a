// Reduces what Codex CLI's hooks send to our event. Recorded from Codex CLI 0.166; its subagents' hooks were not.
import type { Activity, AgentEvent } from "../../core/event.ts";
import type { HookCall, HookWire } from "../hook-wire.ts";
import {
  asId,
  asInteger,
  asObject,
  asString,
  type JsonObject,
  parseJson,
  present,
  payloadTime,
} from "../../core/json.ts";
import { typedText } from "./prompt.ts";
import { codexResult, codexTool } from "./tool.ts";

const EVENTS: Readonly<Record<string, string>> = {
  context: "SessionStart",
  new: "UserPromptSubmit",
  recall: "PreToolUse",
  save: "PostToolUse",
  summary: "Stop",
  cleanup: "SessionEnd",
};

export const codexWire: HookWire = {
  event(call) {
    const payload = asObject(call.payload) ?? {};
    const sessionId = asId(payload["session_id"]);
    const isOurs = EVENTS[call.command] === payload["hook_event_name"];
    const activity = isOurs ? activityOf(call, payload) : undefined;
    if (sessionId === undefined || activity === undefined) return undefined;
    return header(call, payload, sessionId, activity);
  },
  // Codex refuses an answer with anything else in it, and "suppressOutput" as well.
  answer(command, activity, { text, message }) {
    if (activity === undefined) return {};
    return {
      ...present("systemMessage", message),
      ...(text !== undefined && {
        hookSpecificOutput: { hookEventName: EVENTS[command], additionalContext: text },
      }),
    };
  },
};

function header(call: HookCall, payload: JsonObject, sessionId: string, activity: Activity): AgentEvent {
  return {
    agent: "codex",
    sessionId,
    cwd: asString(payload["cwd"]) || call.cwd(),
    ...present("transcriptPath", asString(payload["transcript_path"])),
    at: payloadTime(payload["timestamp"], call.at),
    activity,
  };
}

/** Old versions named turns by counting them; such a number names nothing. */
const MIN_UUID_CHARS = 32;

function activityOf(call: HookCall, payload: JsonObject): Activity | undefined {
  const turn = asId(payload["turn_id"]);
  const promptId = present("promptId", turn !== undefined && turn.length >= MIN_UUID_CHARS ? turn : undefined);
  switch (payload["hook_event_name"]) {
    case "SessionStart":
      return {
        kind: "session-start",
        source: asString(payload["source"]) ?? "startup",
        ...present("model", asString(payload["model"])),
      };
    case "UserPromptSubmit": {
      const text = typedText(asString(payload["prompt"]) ?? "");
      return text === undefined ? undefined : { kind: "prompt", ...promptId, text };
    }
    case "PreToolUse": {
      const { name, input, files } = toolOf(call, payload);
      return { kind: "tool-start", ...promptId, name, input, ...present("path", files[0]?.path) };
    }
    case "PostToolUse":
      return toolUse(call, payload, promptId);
    case "Stop":
      return { kind: "turn-end", ...promptId, ...present("response", asString(payload["last_assistant_message"])) };
    case "SessionEnd":
      return { kind: "session-end", reason: asString(payload["reason"]) ?? "other" };
    default:
      return undefined;
  }
}

/** The shell is called Bash here, and a patch stands where its command would. */
function toolOf(call: HookCall, payload: JsonObject) {
  const name = asId(payload["tool_name"]) ?? "unknown";
  const input = asObject(payload["tool_input"]) ?? {};
  const cwd = asString(payload["cwd"]) || call.cwd();
  if (name === "Bash") return codexTool("exec_command", undefined, input, cwd);
  return codexTool(name, undefined, name === "apply_patch" ? (input["command"] ?? input) : input, cwd);
}

/** Only where it is known how it ended: what is recorded first stays, and the transcript tells of the rest. */
function toolUse(call: HookCall, payload: JsonObject, promptId: { promptId?: string }): Activity | undefined {
  const toolUseId = asId(payload["tool_use_id"]);
  const tool = toolOf(call, payload);
  const result = codexResult(payload["tool_response"]);
  const exitCode = result.exitCode ?? notedExit(call, payload, toolUseId);
  if (toolUseId === undefined || exitCode === undefined) return undefined;
  const isError = result.failed || exitCode !== 0;
  return {
    kind: "tool-use",
    toolUseId,
    ...promptId,
    name: tool.name,
    input: tool.input,
    ...present("output", result.output),
    isError,
    exitCode,
    ...present("durationMs", result.durationMs),
    // A tool that failed touched nothing.
    files: isError ? [] : tool.files,
  };
}

/** The hook is given a command's output alone; the line the client wrote before it has the exit code. */
function notedExit({ readEnd }: HookCall, payload: JsonObject, id: string | undefined): number | undefined {
  const path = asString(payload["transcript_path"]);
  if (path === undefined || id === undefined) return undefined;
  const lines = (readEnd(path) ?? "").split("\n");
  const line = lines.findLast((each) => each.includes('"exit_code"') && each.includes(JSON.stringify(id)));
  const noted = asObject(asObject(parseJson(line))?.["payload"]);
  const item = asObject(noted?.["item"]);
  const isThis = item?.["id"] === id || noted?.["call_id"] === id;
  return isThis ? asInteger((item ?? noted)?.["exit_code"]) : undefined;
}
