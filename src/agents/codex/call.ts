// Follows a Codex tool call from the model's request, through what Codex logs while it runs, to its result.
import { asArray, asCount, asId, asInteger, asObject, asString, type JsonObject } from "../../core/json.ts";
import type { Loose } from "../fields.ts";
import { toolUse, type ToolUse } from "../tool-use.ts";
import { changedFiles, codexResult, type CodexTool, codexTool, editName } from "./tool.ts";

export interface CodexCall extends CodexTool {
  id: string;
  exitCode?: number;
  durationMs?: number;
  failed?: boolean;
}

/** For calls without a name. */
const NAMES: Readonly<Record<string, string>> = { local_shell_call: "local_shell", tool_search_call: "ToolSearch" };

export function codexCall(item: JsonObject, cwd: string): CodexCall | undefined {
  const id = asId(item["call_id"]) ?? asId(item["id"]);
  if (id === undefined) return undefined;
  const type = asString(item["type"]) ?? "";
  const args = type === "local_shell_call" ? item["action"] : (item["arguments"] ?? item["input"]);
  return { id, ...codexTool(NAMES[type] ?? asId(item["name"]) ?? "unknown", asId(item["namespace"]), args, cwd) };
}

/** Codex logs how a call ended before the model gets its result; newer versions log it as a completed item. */
export function noteEnd(call: CodexCall, event: JsonObject, cwd: string): void {
  switch (event["type"]) {
    case "patch_apply_end":
      return notePatch(call, event, event["success"] === false, cwd);
    case "FileChange":
      return notePatch(call, event, event["status"] === "failed" || event["status"] === "declined", cwd);
    case "exec_command_end":
    case "CommandExecution": {
      const exitCode = asInteger(event["exit_code"]);
      if (exitCode !== undefined) call.exitCode = exitCode;
      return noteDuration(call, event);
    }
    case "mcp_tool_call_end": {
      const result = asObject(event["result"]);
      call.failed = result?.["Err"] !== undefined || asObject(result?.["Ok"])?.["isError"] === true;
      return noteDuration(call, event);
    }
  }
}

function notePatch(call: CodexCall, event: JsonObject, hasFailed: boolean, cwd: string): void {
  call.failed = hasFailed;
  const files = changedFiles(asObject(event["changes"]), cwd);
  if (files.length === 0) return;
  call.files = files;
  call.name = editName(files);
}

function noteDuration(call: CodexCall, event: JsonObject): void {
  const duration = asObject(event["duration"]);
  const ms = (asCount(duration?.["secs"]) ?? Number.NaN) * 1000 + (asCount(duration?.["nanos"]) ?? 0) / 1e6;
  const durationMs = asCount(ms);
  if (durationMs !== undefined) call.durationMs = durationMs;
}

export function finishCall(call: CodexCall, item: JsonObject): Loose<ToolUse> {
  const isSearch = item["type"] === "tool_search_output";
  const names = () => asArray(item["tools"]).map((tool) => asString(asObject(tool)?.["name"]) ?? "");
  const { output, failed, exitCode, durationMs } = codexResult(isSearch ? names().join("\n") : item["output"]);
  return toolUse({
    toolUseId: call.id,
    name: call.name,
    input: call.input,
    output,
    hasFailed: failed || call.failed === true,
    exitCode: exitCode ?? call.exitCode,
    durationMs: durationMs ?? call.durationMs,
    files: call.files,
  });
}

/** A web search runs at the provider: it is complete without a result. */
export function webSearch(item: JsonObject, id: string): Loose<ToolUse> {
  const action = asObject(item["action"]);
  return toolUse({
    toolUseId: asId(item["id"]) ?? id,
    name: action?.["url"] === undefined ? "WebSearch" : "WebFetch",
    input: action ?? {},
    hasFailed: item["status"] === "failed",
    files: [],
  });
}
