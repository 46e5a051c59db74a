// Reduces what Gemini CLI's hooks send to our event. Recorded from Gemini CLI 0.61.
import type { Activity } from "../../core/event.ts";
import type { HookCall, HookWire } from "../hook-wire.ts";
import { asId, asObject, asString, type JsonObject, payloadTime, present } from "../../core/json.ts";
import { withoutHookContext } from "./text.ts";
import { geminiToolUse } from "./tool.ts";

const EVENTS: Readonly<Record<string, string>> = {
  context: "SessionStart",
  new: "BeforeAgent",
  save: "AfterTool",
  summary: "AfterAgent",
  cleanup: "SessionEnd",
};

/** Hooks are told no id of a tool use: the chat on disk has one. */
export const geminiWire: HookWire = {
  toolsFromTranscript: true,
  event(call) {
    const payload = asObject(call.payload) ?? {};
    const sessionId = asId(payload["session_id"]);
    const isOurs = EVENTS[call.command] === payload["hook_event_name"];
    const activity = isOurs ? activityOf(call, payload) : undefined;
    if (sessionId === undefined || activity === undefined) return undefined;
    return {
      agent: "gemini-cli",
      sessionId,
      cwd: asString(payload["cwd"]) || call.cwd(),
      ...present("transcriptPath", asString(payload["transcript_path"])),
      at: payloadTime(payload["timestamp"], call.at),
      activity,
    };
  },
  answer(command, _activity, { text, message }) {
    return {
      ...present("systemMessage", message),
      ...(text !== undefined && { hookSpecificOutput: { hookEventName: EVENTS[command], additionalContext: text } }),
    };
  },
};

function activityOf(call: HookCall, payload: JsonObject): Activity | undefined {
  switch (payload["hook_event_name"]) {
    case "SessionStart":
      return { kind: "session-start", source: asString(payload["source"]) ?? "startup" };
    case "BeforeAgent": {
      // Without a terminal what was told at the start stands before the prompt.
      const text = withoutHookContext(asString(payload["prompt"]) ?? "");
      return text.trim() === "" ? undefined : { kind: "prompt", text };
    }
    case "AfterTool":
      return afterTool(call, payload);
    case "AfterAgent":
      return { kind: "turn-end", ...present("response", asString(payload["prompt_response"])) };
    case "SessionEnd":
      return { kind: "session-end", reason: asString(payload["reason"]) ?? "other" };
    default:
      return undefined;
  }
}

/** No hook before a tool can tell the model anything: what is known of a file comes with its text. */
function afterTool(call: HookCall, payload: JsonObject): Activity | undefined {
  const response = asObject(payload["tool_response"]);
  const failed = response?.["error"] !== undefined && response["error"] !== null;
  const use = geminiToolUse(
    {
      name: payload["tool_name"],
      args: payload["tool_input"],
      status: failed ? "error" : "success",
      result: response?.["llmContent"],
      resultDisplay: response?.["returnDisplay"],
    },
    asString(payload["cwd"]) || call.cwd(),
  );
  if (use === undefined || use.isError) return use;
  const [file] = use.files;
  return file === undefined ? use : { kind: "tool-start", name: use.name, input: use.input, path: file.path };
}
