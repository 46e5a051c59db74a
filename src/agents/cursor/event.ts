// Converts Cursor's hook payloads to events. Written from Cursor's documentation and from published payloads of Cursor
// CLI 2026.09; not tested with Cursor itself.
import type { Activity, FileTouch } from "../../core/event.ts";
import { asArray, asCount, asId, asInteger, asObject, asString, type JsonObject, parseJson } from "../../core/json.ts";
import type { Loose } from "../fields.ts";
import { hookWire, promptActivity, readSessionEnd } from "../hook-wire.ts";
import { lineCount, touchedFile, withAbsolutePaths } from "../tool-use.ts";
import { CURSOR_RULES } from "./rules.ts";

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
  // The answer never has "continue" or "permission", which decide whether a prompt or tool may run.
  textField: "additional_context",
});

function promptIdOf(payload: JsonObject): string | undefined {
  return asId(payload["generation_id"]);
}

function readResponse(payload: JsonObject): Loose<Activity> | undefined {
  const text = asString(payload["text"]) ?? "";
  return text.trim() === "" ? undefined : { kind: "response", promptId: promptIdOf(payload), text };
}

function readStop(payload: JsonObject): Loose<Activity> {
  const isInterrupted = payload["status"] === "aborted" ? true : undefined;
  return { kind: "turn-end", promptId: promptIdOf(payload), isInterrupted };
}

/** Cursor does not name the MCP server of a tool. These tools may be C-Mem's own, which are never recorded. */
const MEMORY_TOOLS =
  /^MCP:(?=(?:search|timeline|get_observations|file_history|why|find_fix|remember|forget|handover)$)/;

function readToolUse(payload: JsonObject, hasFailed: boolean, cwd: string): Loose<Activity> | undefined {
  const ownName = asId(payload["tool_name"]);
  if (ownName === undefined) return undefined;
  const name = ownName === "Shell" ? "Bash" : ownName.replace(MEMORY_TOOLS, "c-mem__").replace(/^MCP:/, "mcp__");
  const sent = payload["tool_input"];
  const input = asObject(sent) ?? asObject(parseJson(asString(sent))) ?? {};
  const path = asString(input["file_path"]) ?? asString(input["path"]) ?? asString(input["target_file"]);
  return {
    kind: "tool-use",
    toolUseId: asId(payload["tool_use_id"]),
    promptId: promptIdOf(payload),
    name,
    input: path === undefined ? input : { ...input, file_path: path },
    ...resultOf(name === "Bash", payload, hasFailed),
    isError: hasFailed,
    durationMs: asCount(payload["duration"]),
    files: hasFailed ? [] : withAbsolutePaths(touchedFiles(name, path, input), cwd),
  };
}

/** The output is JSON, with the exit code of a shell. A failed command's exit code is only in the error text. */
function resultOf(isShell: boolean, payload: JsonObject, hasFailed: boolean) {
  const text = asString(hasFailed ? payload["error_message"] : payload["tool_output"]);
  if (hasFailed) {
    const code = /exit code (\d{1,3})\b/i.exec(text ?? "")?.[1] ?? 1;
    return { output: text, exitCode: isShell ? Number(code) : undefined };
  }
  const result = asObject(parseJson(text));
  const output = asString(result?.["output"]) ?? asString(result?.["content"]) ?? text;
  return { output, exitCode: isShell ? (asInteger(result?.["exitCode"]) ?? 0) : undefined };
}

/** The payload does not show whether a file is new, so its kind is never "create". */
function touchedFiles(name: string, path: string | undefined, input: JsonObject): FileTouch[] {
  const [before, after] = [asString(input["old_string"]), asString(input["new_string"])];
  const content = asString(input["content"]) ?? asString(input["contents"]);
  const files = touchedFile(["StrReplace", "Delete"].includes(name) ? "Edit" : name, path, { before, after });
  const added = content === undefined || before !== undefined ? {} : { added: lineCount(content) };
  return files.map((file) => (file.kind === "edit" ? { ...file, ...added } : file));
}
