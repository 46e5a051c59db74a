// Converts Copilot CLI's hook payloads to events. Tested with Copilot CLI 1.0.102, except a tool that could not run.
import { join } from "node:path";
import type { Activity } from "../../core/event.ts";
import { asId, asObject, asString, type JsonObject, parseJson } from "../../core/json.ts";
import type { Loose } from "../fields.ts";
import { type HookCall, hookWire, promptActivity, readSessionEnd } from "../hook-wire.ts";
import { toolUse } from "../tool-use.ts";
import { copilotHome } from "./discover.ts";
import { copilotCall, copilotResult, FILE_TOOLS } from "./tool.ts";

export const copilotWire = hookWire({
  agent: "copilot-cli",
  // Only the transcript has the ids of tool uses.
  toolsFromTranscript: true,
  events: {
    context({ source }) {
      return { kind: "session-start", source: source === "new" ? "startup" : (asString(source) ?? "startup") };
    },
    new: (payload) => promptActivity(asString(payload["prompt"])),
    recall: readToolStart,
    save: readToolUse,
    summary: () => ({ kind: "turn-end" }),
    cleanup: readSessionEnd,
  },
  header(payload, { env }) {
    const sessionId = asId(payload["sessionId"]);
    const ownPath = () => join(copilotHome(env), "session-state", sessionId ?? "", "events.jsonl");
    const transcriptPath = asString(payload["transcriptPath"]) ?? ownPath();
    return { sessionId, transcriptPath };
  },
  textField: "additionalContext",
});

/** Copilot runs this hook for every tool. Undefined unless the tool has a file or a command. */
function readToolStart(payload: JsonObject, call: HookCall): Loose<Activity> | undefined {
  const { name, input } = toolOf(payload, call);
  const path = FILE_TOOLS.has(name) ? asString(asObject(input)?.["file_path"]) : undefined;
  return path === undefined && name !== "Bash" ? undefined : { kind: "tool-start", name, input, path };
}

function readToolUse(payload: JsonObject, call: HookCall, cwd: string): Loose<Activity> {
  const tool = toolOf(payload, call);
  const result = asObject(payload["toolResult"]);
  const text = asString(result?.["textResultForLlm"]) ?? asString(payload["error"]);
  const hasFailed = payload["error"] !== undefined || (result !== undefined && result["resultType"] !== "success");
  const data = { success: !hasFailed, result: { content: text }, error: { message: text } };
  return toolUse({ name: tool.name, input: tool.input, ...copilotResult(tool, data, cwd), hasFailed });
}

function toolOf(payload: JsonObject, { at }: HookCall) {
  const args = payload["toolArgs"];
  // Some versions send the arguments as JSON text.
  const parsed = typeof args === "string" ? (parseJson(args) ?? args) : args;
  return copilotCall("", at, { toolName: payload["toolName"], arguments: parsed });
}
