// Converts Codex CLI's hook payloads to events. Tested with Codex CLI 0.166, except the hooks of subagents. Codex
// rejects an answer with a field it does not know, such as "suppressOutput".
import type { Activity } from "../../core/event.ts";
import { asId, asInteger, asObject, asString, type JsonObject, parseJson } from "../../core/json.ts";
import type { Loose } from "../fields.ts";
import { type HookCall, hookWire, promptActivity, readSessionEnd, readSessionStart } from "../hook-wire.ts";
import { toolUse } from "../tool-use.ts";
import { isTurnUuid, typedText } from "./prompt.ts";
import { codexResult, codexTool } from "./tool.ts";

export const codexWire = hookWire({
  agent: "codex",
  events: {
    context: { SessionStart: readSessionStart },
    new: {
      UserPromptSubmit: (payload) => promptActivity(typedText(asString(payload["prompt"]) ?? ""), turnId(payload)),
    },
    recall: { PreToolUse: readToolStart },
    save: { PostToolUse: readToolUse },
    summary: {
      Stop: (payload) => ({
        kind: "turn-end",
        promptId: turnId(payload),
        response: asString(payload["last_assistant_message"]),
      }),
    },
    cleanup: { SessionEnd: readSessionEnd },
  },
  header: (payload) => ({ sessionId: asId(payload["session_id"]) }),
});

function turnId(payload: JsonObject): string | undefined {
  const id = asId(payload["turn_id"]);
  return isTurnUuid(id) ? id : undefined;
}

function readToolStart(payload: JsonObject, _call: HookCall, cwd: string): Loose<Activity> {
  const { name, input, files } = toolOf(payload, cwd);
  return { kind: "tool-start", promptId: turnId(payload), name, input, path: files[0]?.path };
}

/** In payloads the shell is named Bash, and a patch is in the field `command`. */
function toolOf(payload: JsonObject, cwd: string) {
  const name = asId(payload["tool_name"]) ?? "unknown";
  const input = asObject(payload["tool_input"]) ?? {};
  if (name === "Bash") return codexTool("exec_command", undefined, input, cwd);
  return codexTool(name, undefined, name === "apply_patch" ? (input["command"] ?? input) : input, cwd);
}

/** Undefined without an exit code: the transcript has the code, but could not add it to a recorded tool use. */
function readToolUse(payload: JsonObject, call: HookCall, cwd: string): Loose<Activity> | undefined {
  const toolUseId = asId(payload["tool_use_id"]);
  const { failed, ...result } = codexResult(payload["tool_response"]);
  const exitCode = result.exitCode ?? exitCodeInTranscript(call, payload, toolUseId);
  if (toolUseId === undefined || exitCode === undefined) return undefined;
  const promptId = turnId(payload);
  return toolUse({ toolUseId, promptId, ...toolOf(payload, cwd), ...result, hasFailed: failed, exitCode });
}

/** The payload has a command's output but no exit code. Codex wrote the code to the transcript just before. */
function exitCodeInTranscript({ readEnd }: HookCall, payload: JsonObject, id: string | undefined): number | undefined {
  const path = asString(payload["transcript_path"]);
  if (path === undefined || id === undefined) return undefined;
  const lines = (readEnd(path) ?? "").split("\n");
  const line = lines.findLast((each) => each.includes('"exit_code"') && each.includes(JSON.stringify(id)));
  const event = asObject(asObject(parseJson(line))?.["payload"]);
  const item = asObject(event?.["item"]);
  const isThisCall = item?.["id"] === id || event?.["call_id"] === id;
  return isThisCall ? asInteger((item ?? event)?.["exit_code"]) : undefined;
}
