// Reduces what our plugin for OpenCode sends to our event. It was tried with OpenCode 1.18.
import { join } from "node:path";
import type { Activity } from "../../core/event.ts";
import type { HookCall, HookWire } from "../hook-wire.ts";
import { asId, asObject, asObjects, asString, type JsonObject, present, payloadTime } from "../../core/json.ts";
import { openCodeData } from "./discover.ts";
import { typedText } from "./prompt.ts";
import { databasePath } from "./store.ts";
import { openCodeToolUse } from "./tool.ts";

export const openCodeWire: HookWire = {
  event(call) {
    const payload = asObject(call.payload) ?? {};
    const own = asId(payload["sessionID"]);
    const activity = own === undefined ? undefined : activityOf(call, payload);
    if (own === undefined || activity === undefined) return undefined;
    // A subagent has a session of its own, and belongs to the one a person sees.
    const root = asId(payload["rootID"]);
    const isSubagent = root !== undefined && root !== own;
    if (isSubagent && !["tool-use", "tool-start", "turn-end"].includes(activity.kind)) return undefined;
    const sessionId = isSubagent ? root : own;
    return {
      agent: "opencode",
      sessionId,
      ...(isSubagent && { agentId: own, ...present("agentType", asId(payload["agent"])) }),
      cwd: asString(payload["directory"]) || call.cwd(),
      transcriptPath: databasePath(join(openCodeData(call.env), "opencode.db"), sessionId),
      at: payloadTime(payload["timestamp"], call.at),
      activity,
    };
  },
  // Read by the plugin, which puts it where the model finds it.
  answer: (_command, _activity, { text }) => present("text", text),
};

function activityOf(call: HookCall, payload: JsonObject): Activity | undefined {
  const promptId = present("promptId", asId(payload["messageID"]));
  switch (call.command) {
    case "context":
      return { kind: "session-start", source: asString(payload["source"]) ?? "startup" };
    case "new": {
      const text = typedText(asObjects(payload["parts"]));
      return text === undefined ? undefined : { kind: "prompt", ...promptId, text };
    }
    case "recall":
    case "save": {
      const use = toolUse(call, payload);
      if (use === undefined || call.command === "save") return use === undefined ? undefined : { ...use, ...promptId };
      const path = asString(asObject(payload["args"])?.["filePath"]);
      return {
        kind: "tool-start",
        ...promptId,
        name: use.name,
        input: use.input,
        ...present("path", path || undefined),
      };
    }
    case "summary":
      return { kind: "turn-end", ...promptId };
    default:
      return undefined;
  }
}

/** In the shape of the part that OpenCode will write down. */
function toolUse(call: HookCall, payload: JsonObject) {
  const state = {
    status: "completed",
    input: payload["args"],
    output: payload["output"],
    metadata: payload["metadata"],
  };
  const part = { tool: payload["tool"], callID: payload["callID"], state };
  return openCodeToolUse(part, asString(payload["directory"]) || call.cwd())?.use;
}
