// Converts Gemini CLI's hook payloads to events. Tested with Gemini CLI 0.61.
import type { Activity } from "../../core/event.ts";
import { asId, asObject, asString, type JsonObject } from "../../core/json.ts";
import type { Loose } from "../fields.ts";
import { type HookCall, hookWire, promptActivity, readSessionEnd, readSessionStart } from "../hook-wire.ts";
import { withoutHookContext } from "./chat.ts";
import { geminiToolUse } from "./tool.ts";

export const geminiWire = hookWire({
  agent: "gemini-cli",
  // Only the chat file has the ids of tool uses.
  toolsFromTranscript: true,
  events: {
    context: { SessionStart: readSessionStart },
    // In headless mode, the prompt begins with the context that was injected at the start.
    new: { BeforeAgent: (payload) => promptActivity(withoutHookContext(asString(payload["prompt"]) ?? "")) },
    save: { AfterTool: readToolUse },
    summary: { AfterAgent: (payload) => ({ kind: "turn-end", response: asString(payload["prompt_response"]) }) },
    cleanup: { SessionEnd: readSessionEnd },
  },
  header: (payload) => ({ sessionId: asId(payload["session_id"]) }),
});

/** Gemini CLI accepts no text from a hook before a tool, so context about a file is injected after the tool. */
function readToolUse(payload: JsonObject, _call: HookCall, cwd: string): Loose<Activity> | undefined {
  const response = asObject(payload["tool_response"]);
  const call = {
    name: payload["tool_name"],
    args: payload["tool_input"],
    status: (response?.["error"] ?? null) === null ? "success" : "error",
    result: response?.["llmContent"],
    resultDisplay: response?.["returnDisplay"],
  };
  const use = geminiToolUse(call, cwd);
  const [file] = use?.files ?? [];
  return use === undefined || use.isError || file === undefined
    ? use
    : { kind: "tool-start", name: use.name, input: use.input, path: file.path };
}
