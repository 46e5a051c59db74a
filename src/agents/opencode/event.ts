// Converts the payloads of C-Mem's OpenCode plugin to events. Tested with OpenCode 1.18.
import { join } from "node:path";
import type { Activity } from "../../core/event.ts";
import { asId, asObject, asObjects, asString, type JsonObject } from "../../core/json.ts";
import type { Loose } from "../fields.ts";
import { type HookCall, hookWire, promptActivity, readSessionStart } from "../hook-wire.ts";
import { openCodeData } from "./discover.ts";
import { databasePath, typedText } from "./store.ts";
import { openCodeToolUse } from "./tool.ts";

export const openCodeWire = hookWire({
  agent: "opencode",
  events: {
    context: (payload) => (isSubagent(payload) ? undefined : readSessionStart(payload)),
    new: (payload) =>
      isSubagent(payload) ? undefined : promptActivity(typedText(asObjects(payload["parts"])), messageId(payload)),
    recall: readToolStart,
    save: readToolUse,
    summary: (payload) => ({ kind: "turn-end", promptId: messageId(payload) }),
  },
  header(payload, { env }) {
    const own = asId(payload["sessionID"]);
    // A subagent has its own session id; its events are recorded in the session that a person sees.
    const sessionId = isSubagent(payload) ? asId(payload["rootID"]) : own;
    return {
      sessionId: own === undefined ? undefined : sessionId,
      ...(isSubagent(payload) && { agentId: own, agentType: asId(payload["agent"]) }),
      cwd: asString(payload["directory"]),
      transcriptPath: databasePath(join(openCodeData(env), "opencode.db"), sessionId ?? ""),
    };
  },
  // The plugin reads this field and injects the text.
  textField: "text",
});

function isSubagent(payload: JsonObject): boolean {
  const root = asId(payload["rootID"]);
  return root !== undefined && root !== payload["sessionID"];
}

function messageId(payload: JsonObject): string | undefined {
  return asId(payload["messageID"]);
}

function readToolStart(payload: JsonObject, call: HookCall, cwd: string): Loose<Activity> | undefined {
  const use = readToolUse(payload, call, cwd);
  const path = asString(asObject(payload["args"])?.["filePath"]) || undefined;
  return use && { kind: "tool-start", promptId: messageId(payload), name: use.name, input: use.input, path };
}

function readToolUse(payload: JsonObject, _call: HookCall, cwd: string) {
  const { tool, callID, args: input, output, metadata } = payload;
  const part = { tool, callID, state: { status: "completed", input, output, metadata } };
  const use = openCodeToolUse(part, cwd)?.use;
  return use && { ...use, promptId: messageId(payload) };
}
