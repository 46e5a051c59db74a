// Reduces a Cursor hook payload to our event. Written from Cursor's documentation and from payloads of Cursor CLI 2026.09 that
// others recorded: untested with the client itself.
import type { Activity } from "../../core/event.ts";
import { asArray, asId, asString, type JsonObject } from "../../core/json.ts";
import type { Loose } from "../fields.ts";
import { hookWire, promptActivity, readSessionEnd, textAnswer } from "../hook-wire.ts";
import { CURSOR_RULES } from "./rules.ts";
import { cursorToolUse } from "./tool.ts";

export const cursorWire = hookWire({
  agent: "cursor",
  rulesFile: CURSOR_RULES,
  events: {
    context: {
      sessionStart: (payload) => ({ kind: "session-start", source: "startup", model: asString(payload["model"]) }),
    },
    new: { beforeSubmitPrompt: (payload) => promptActivity(asString(payload["prompt"]), promptIdOf(payload)) },
    save: {
      postToolUse: (payload, _call, cwd) => readToolUse(payload, false, cwd),
      postToolUseFailure: (payload, _call, cwd) => readToolUse(payload, true, cwd),
    },
    summary: { stop: readStop, afterAgentResponse: readResponse },
    cleanup: { sessionEnd: readSessionEnd },
  },
  header: (payload) => ({
    sessionId: asId(payload["conversation_id"]) ?? asId(payload["session_id"]),
    cwd: asString(asArray(payload["workspace_roots"])[0]),
    version: asString(payload["cursor_version"]),
  }),
  // Without "continue" and "permission": they decide whether the prompt or the tool may run.
  answer: textAnswer("additional_context"),
});

function promptIdOf(payload: JsonObject): string | undefined {
  return asId(payload["generation_id"]);
}

function readToolUse(payload: JsonObject, hasFailed: boolean, cwd: string): Loose<Activity> | undefined {
  const use = cursorToolUse(payload, hasFailed, cwd);
  return use && { ...use, promptId: promptIdOf(payload) };
}

function readResponse(payload: JsonObject): Loose<Activity> | undefined {
  const text = asString(payload["text"]) ?? "";
  return text.trim() === "" ? undefined : { kind: "response", promptId: promptIdOf(payload), text };
}

function readStop(payload: JsonObject): Loose<Activity> {
  const isInterrupted = payload["status"] === "aborted" ? true : undefined;
  return { kind: "turn-end", promptId: promptIdOf(payload), isInterrupted };
}
