// Reduces what Copilot CLI's hooks send to our event. Recorded from Copilot CLI 1.0.102; a tool that failed altogether was not.
import type { Activity } from "../../core/event.ts";
import type { HookCall, HookWire } from "../hook-wire.ts";
import {
  asId,
  asObject,
  asString,
  type Json,
  type JsonObject,
  parseJson,
  payloadTime,
  present,
} from "../../core/json.ts";
import { copilotTranscriptPath } from "./discover.ts";
import { copilotCall, copilotResult } from "./tool.ts";

/** Payloads do not name their event, and tool uses no id: the session's own file has one. */
export const copilotWire: HookWire = {
  toolsFromTranscript: true,
  event(call) {
    const payload = asObject(call.payload) ?? {};
    const sessionId = asId(payload["sessionId"]);
    const activity = sessionId === undefined ? undefined : activityOf(call, payload);
    if (sessionId === undefined || activity === undefined) return undefined;
    return {
      agent: "copilot-cli",
      sessionId,
      cwd: asString(payload["cwd"]) || call.cwd(),
      transcriptPath: asString(payload["transcriptPath"]) ?? copilotTranscriptPath(call.env, sessionId),
      at: payloadTime(payload["timestamp"], call.at),
      activity,
    };
  },
  answer: (_command, _activity, { text }) => present("additionalContext", text),
};

function activityOf(call: HookCall, payload: JsonObject): Activity | undefined {
  switch (call.command) {
    case "context": {
      const source = asString(payload["source"]);
      return { kind: "session-start", source: source === undefined || source === "new" ? "startup" : source };
    }
    case "new": {
      const text = asString(payload["prompt"]) ?? "";
      return text.trim() === "" ? undefined : { kind: "prompt", text };
    }
    case "recall": {
      const { name, input } = toolOf(call, payload);
      const path = pathOf(name, input);
      // Hooks run for every tool; only files and commands have a past.
      return path === undefined && name !== "Bash"
        ? undefined
        : { kind: "tool-start", name, input, ...present("path", path) };
    }
    case "save":
      return toolUse(call, payload);
    case "summary":
      return { kind: "turn-end" };
    case "cleanup":
      return { kind: "session-end", reason: asString(payload["reason"]) ?? "other" };
    default:
      return undefined;
  }
}

function toolOf(call: HookCall, payload: JsonObject) {
  const args = payload["toolArgs"];
  // Some versions send them as the text the model wrote.
  const parsed = typeof args === "string" ? (parseJson(args) ?? args) : args;
  return copilotCall("", call.at, { toolName: payload["toolName"], arguments: parsed });
}

function pathOf(name: string, input: Json): string | undefined {
  return ["Read", "Write", "Edit"].includes(name) ? asString(asObject(input)?.["file_path"]) : undefined;
}

function toolUse(call: HookCall, payload: JsonObject): Activity {
  const tool = toolOf(call, payload);
  const result = asObject(payload["toolResult"]);
  const text = asString(result?.["textResultForLlm"]) ?? asString(payload["error"]);
  const failed = payload["error"] !== undefined || (result !== undefined && result["resultType"] !== "success");
  const cwd = asString(payload["cwd"]) || call.cwd();
  const told = { success: !failed, result: { content: text }, error: { message: text } };
  const { output, exitCode, files } = copilotResult(tool, told, cwd);
  const isError = failed || (exitCode !== undefined && exitCode !== 0);
  return {
    kind: "tool-use",
    name: tool.name,
    input: tool.input,
    ...present("output", output),
    isError,
    ...present("exitCode", exitCode),
    files: isError ? [] : files,
  };
}
