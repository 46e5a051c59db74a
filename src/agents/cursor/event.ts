// Reduces what Cursor's hooks send to our event. Written after Cursor's documentation and what others recorded of Cursor CLI
// 2026.09: untested against the client itself.
import type { Activity } from "../../core/event.ts";
import type { HookWire } from "../hook-wire.ts";
import { asArray, asId, asObject, asString, type JsonObject, present, payloadTime } from "../../core/json.ts";
import { cursorToolUse } from "./tool.ts";

const EVENTS: Readonly<Record<string, readonly string[]>> = {
  context: ["sessionStart"],
  new: ["beforeSubmitPrompt"],
  save: ["postToolUse", "postToolUseFailure"],
  summary: ["stop", "afterAgentResponse"],
  cleanup: ["sessionEnd"],
};

/** Inside a working tree; written only where `c-mem install cursor` has put it. */
export const CURSOR_RULES = ".cursor/rules/c-mem-context.mdc";

export const cursorWire: HookWire = {
  rulesFile: CURSOR_RULES,
  event(call) {
    const payload = asObject(call.payload) ?? {};
    const name = asString(payload["hook_event_name"]) ?? "";
    const sessionId = asId(payload["conversation_id"]) ?? asId(payload["session_id"]);
    const isOurs = EVENTS[call.command]?.includes(name) === true;
    const cwd = asString(asArray(payload["workspace_roots"])[0]) || asString(payload["cwd"]) || call.cwd();
    const activity = isOurs ? activityOf(name, payload, cwd) : undefined;
    if (sessionId === undefined || activity === undefined) return undefined;
    return {
      agent: "cursor",
      sessionId,
      cwd,
      ...present("transcriptPath", asString(payload["transcript_path"])),
      ...present("version", asString(payload["cursor_version"])),
      at: payloadTime(payload["timestamp"], call.at),
      activity,
    };
  },
  // Never "continue" or "permission": they decide whether the prompt or the tool goes on at all.
  answer: (_command, _activity, { text }) => present("additional_context", text),
};

function activityOf(name: string, payload: JsonObject, cwd: string): Activity | undefined {
  const promptId = present("promptId", asId(payload["generation_id"]));
  switch (name) {
    case "sessionStart":
      return { kind: "session-start", source: "startup", ...present("model", asString(payload["model"])) };
    case "beforeSubmitPrompt": {
      const text = asString(payload["prompt"]) ?? "";
      return text.trim() === "" ? undefined : { kind: "prompt", ...promptId, text };
    }
    case "postToolUse":
    case "postToolUseFailure": {
      const use = cursorToolUse(payload, name === "postToolUseFailure", cwd);
      return use === undefined ? undefined : { ...use, ...promptId };
    }
    case "afterAgentResponse": {
      const text = asString(payload["text"]) ?? "";
      return text.trim() === "" ? undefined : { kind: "response", ...promptId, text };
    }
    case "stop":
      return { kind: "turn-end", ...promptId, ...(payload["status"] === "aborted" && { isInterrupted: true }) };
    case "sessionEnd":
      return { kind: "session-end", reason: asString(payload["reason"]) ?? "other" };
    default:
      return undefined;
  }
}
